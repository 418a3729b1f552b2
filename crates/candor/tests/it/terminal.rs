//! The binary on a terminal, with a person who types while it runs.

use std::fs::File;
use std::io::Write;

use candor_testkit::{Candor, Home, Ran, Running};

use crate::rig::{BINARY, KEY};

/// What a person presses.
pub(crate) const ENTER: &str = "\r";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
pub(crate) const TAB: &str = "\t";

/// The editor asks the terminal to mark what is pasted whenever it begins to read a line.
const READS: &str = "\u{1b}[?2004h";

/// The binary under `script`, which is a terminal; what is typed goes through a pipe that stays open.
pub(crate) struct Terminal<'h> {
    running: Running<'h>,
    keys: File,
    /// How much of what was shown has been looked at.
    seen: usize,
}

impl<'h> Terminal<'h> {
    /// Starts the binary with arguments that need no quotes.
    #[track_caller]
    pub(crate) fn start(home: &'h Home, args: &str) -> Self {
        Self::shell(home, &format!("exec {BINARY} {args}"))
    }

    /// Starts a line of the shell.
    #[track_caller]
    pub(crate) fn shell(home: &'h Home, line: &str) -> Self {
        let pipe = home.tmp().join("keys");
        let _ = std::fs::remove_file(&pipe);
        Candor::new("mkfifo", home).args([&pipe]).run().ok();
        let running = Candor::new("sh", home)
            .args(["-c", "exec script -qefc \"$LINE\" /dev/null < \"$KEYS\""])
            .env("LINE", line)
            .env("KEYS", &pipe)
            .env("FAKE_KEY", KEY)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .spawn();
        let keys = File::options().write(true).open(&pipe).expect("a pipe");
        Self { running, keys, seen: 0 }
    }

    /// Types something.
    #[track_caller]
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).expect("somebody listens");
        self
    }

    /// Types a line.
    #[track_caller]
    pub(crate) fn enter(&mut self, line: &str) -> &mut Self {
        self.press(line).press(ENTER)
    }

    /// Waits until it is shown, after what was waited for before.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) -> &mut Self {
        self.seen = self.running.wait_for_stdout_after(text, self.seen);
        self
    }

    /// Waits until a line is read: what is typed earlier belongs to whoever reads then.
    #[track_caller]
    pub(crate) fn wait_for_prompt(&mut self) -> &mut Self {
        self.wait_for(READS).wait_for("candor> ")
    }

    /// Waits for the end.
    #[track_caller]
    pub(crate) fn finish(self) -> Ran {
        let ran = self.running.finish();
        drop(self.keys);
        ran
    }
}
