//! What a log is started with.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use candor_protocol::Level;
use candor_redact::Redactor;

use crate::{Clock, Error};

/// Everything [`start`](crate::start) needs to know.
#[derive(Debug)]
pub struct Options {
    /// The live file. Its archives are made beside it: `candor.log` becomes `candor.2025-02-11.log`.
    pub file: PathBuf,
    /// The least severe level that is written.
    pub level: Level,
    /// When a new file begins and when old ones go.
    pub rotation: Rotation,
    /// Where else the lines go.
    pub mirror: Mirror,
    /// Masks the secrets in the finished bytes.
    pub redactor: Redactor,
    /// The time.
    pub clock: Clock,
    /// Told when the log itself is in trouble.
    pub trouble: Trouble,
}

impl Options {
    /// Options for a file, with the defaults for everything else: level info, no mirror, the built-in redaction
    /// rules, and trouble that nobody hears.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            level: Level::default(),
            rotation: Rotation::default(),
            mirror: Mirror::Off,
            redactor: Redactor::new(),
            clock: Clock::system(),
            trouble: Trouble::default(),
        }
    }
}

/// When a new file begins and when old ones go. A new UTC day always begins a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// Archives are kept for this many days after the day in their name; 0 keeps them for ever.
    pub max_days: u32,
    /// A file is archived rather than grown past this many bytes; 0 means no limit. A single line that is longer
    /// still gets a file of its own.
    pub size_bytes_max: u64,
    /// Archives are removed, oldest first, until they and the live file together hold no more than this; 0 means no
    /// limit. The live file itself is never removed. Both this and the days are looked at when the log starts and at
    /// each rotation, so the live file may take the total past it in between.
    pub total_bytes_max: u64,
}

impl Default for Rotation {
    fn default() -> Self {
        Self { max_days: 30, size_bytes_max: 100_000_000, total_bytes_max: 1_000_000_000 }
    }
}

/// A second place for the same masked lines.
#[derive(Default)]
pub enum Mirror {
    /// Nowhere else.
    #[default]
    Off,
    /// Into this writer, from the log's own thread. One that may block belongs into a [`Relay`](crate::Relay), or it holds
    /// up the file as well.
    To(Box<dyn Write + Send>),
}

impl fmt::Debug for Mirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "Off",
            Self::To(_) => "To(..)",
        })
    }
}

/// Hears, once for each kind, what goes wrong with the log itself.
pub struct Trouble(Box<dyn Fn(&Error) + Send + Sync>);

impl Trouble {
    /// Calls the function from the log's own thread.
    pub fn new(hear: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        Self(Box::new(hear))
    }

    pub(crate) fn tell(&self, error: &Error) {
        (self.0)(error);
    }
}

impl Default for Trouble {
    /// Hears nothing.
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trouble")
    }
}
