//! What can go wrong with a log.

use std::io;
use std::path::{Path, PathBuf};

use candor_protocol::{Code, Failure};

/// A log that cannot be opened, written, rotated or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file or its directory cannot be opened or created.
    #[error("cannot open the log {}", path.display())]
    Open {
        /// The live file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The thread that writes cannot be started.
    #[error("cannot start the thread that writes {}", path.display())]
    Thread {
        /// The live file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Another log already receives the events of this process.
    #[error("another log than {} is already installed in this process", path.display())]
    AlreadyInstalled {
        /// The live file of the log that came too late.
        path: PathBuf,
    },
    /// Lines cannot be written; they are counted and dropped while it lasts.
    #[error("cannot write to the log {}", path.display())]
    Write {
        /// The live file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// There is no room on the disk; lines are counted and dropped while it lasts.
    #[error("no room on the disk for the log {}", path.display())]
    DiskFull {
        /// The live file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file cannot be archived, or an old archive not removed; lines still go to the live file.
    #[error("cannot rotate the log {}", path.display())]
    Rotate {
        /// The live file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The mirror does not take lines any more; the file still does.
    #[error("cannot mirror the log {}", path.display())]
    Mirror {
        /// The live file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Writing a batch of lines panicked; the batch was dropped and counted, and writing went on.
    #[error("writing to the log {} panicked", path.display())]
    Panicked {
        /// The live file.
        path: PathBuf,
    },
    /// Lines were dropped, and the log ended before it could say so itself.
    #[error("{count} lines are missing from the log {}", path.display())]
    LinesDropped {
        /// The live file.
        path: PathBuf,
        /// How many.
        count: u64,
    },
    /// There is no log to read: neither a live file nor an archive.
    #[error("there is no log at {}", path.display())]
    NotFound {
        /// The live file.
        path: PathBuf,
    },
    /// A log file is there but cannot be read.
    #[error("cannot read the log {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Some lines of a log could not be understood and were skipped.
    #[error("{count} lines of the log {} are damaged", path.display())]
    Damaged {
        /// The live file.
        path: PathBuf,
        /// How many.
        count: u64,
    },
    /// A text that should have named a moment does not.
    #[error("{text:?} does not name a moment")]
    Time {
        /// What was given.
        text: String,
    },
}

impl Error {
    /// The failure of a write, told apart by what the reader of the card can do about it.
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path, source },
            _ => Self::Write { path, source },
        }
    }

    /// The failure this is, for its card.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Open { path, source } | Self::Thread { path, source } => {
                at(Code::LogOpenFailed, path).with("reason", source)
            }
            Self::AlreadyInstalled { path } => at(Code::LogOpenFailed, path)
                .with("reason", "another log is already installed in this process"),
            Self::Write { path, source } => at(Code::LogWriteFailed, path).with("reason", source),
            Self::DiskFull { path, source } => at(Code::LogDiskFull, path).with("reason", source),
            Self::Rotate { path, source } => {
                at(Code::LogWriteFailed, path).with("reason", format_args!("cannot rotate: {source}"))
            }
            Self::Mirror { path, source } => {
                at(Code::LogWriteFailed, path).with("reason", format_args!("cannot mirror: {source}"))
            }
            Self::Panicked { path } => at(Code::LogWriteFailed, path).with("reason", "the writer panicked"),
            Self::LinesDropped { path, count } => at(Code::LogLinesDropped, path).with("count", count),
            Self::NotFound { path } => at(Code::LogNotFound, path),
            Self::Read { path, source } => Failure::file(path, source),
            Self::Damaged { path, count } => at(Code::LogDamaged, path).with("count", count),
            Self::Time { text } => Failure::new(Code::UsageInvalidValue)
                .with("argument", "--since")
                .with("value", text)
                .with(
                    "detail",
                    "a moment is 2025-02-11, 2025-02-11T10:00:00Z, or an age such as 10m, 2h or 3d",
                )
                .with("help", "candor logs --help"),
        }
    }
}

fn at(code: Code, path: &Path) -> Failure {
    Failure::new(code).with("path", path.display())
}
