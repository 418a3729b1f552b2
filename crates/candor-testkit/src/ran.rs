//! What the binary printed and how it ended.

use std::fmt;

/// A finished run of the binary.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The exit code, or 128 plus the signal's number as a shell would show it.
    pub status: i32,
    /// What went to stdout; bytes that are not UTF-8 are shown as replacement characters.
    pub stdout: String,
    /// What went to stderr, likewise.
    pub stderr: String,
    /// What went to stdout, byte for byte.
    pub stdout_bytes: Vec<u8>,
    pub(crate) command: String,
}

impl Ran {
    /// Demands exit code 0, and shows everything when it is another.
    #[track_caller]
    pub fn ok(self) -> Self {
        self.code(0)
    }

    /// Demands this exit code, and shows everything when it is another.
    #[track_caller]
    pub fn code(self, expected: i32) -> Self {
        assert!(self.status == expected, "expected exit code {expected}\n{self}");
        self
    }

    /// Demands that stdout contains the text.
    #[track_caller]
    pub fn stdout_has(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "expected stdout to contain {text:?}\n{self}");
        self
    }

    /// Demands that stderr contains the text.
    #[track_caller]
    pub fn stderr_has(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "expected stderr to contain {text:?}\n{self}");
        self
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, stdout, stderr, command, .. } = self;
        write!(f, "$ {command}\nexit code {status}\n--- stdout\n{stdout}\n--- stderr\n{stderr}\n---")
    }
}
