//! What can go wrong with the store.

use std::path::{Path, PathBuf};

use candor_protocol::{Code, Failure, SessionId};

/// The low byte of SQLite's code is its kind; the rest is detail.
const KIND_MASK: i32 = 0xff;
const ERROR: i32 = 1;
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const CORRUPT: i32 = 11;
const CONSTRAINT: i32 = 19;
const MISMATCH: i32 = 20;
const FORMAT: i32 = 24;
const NOT_A_DATABASE: i32 = 26;
/// An input/output error by which a file turns out to end before it should.
const IO_SHORT_READ: i32 = 0x020a;
/// An input/output error by which the file system reports that it is damaged itself.
const IO_CORRUPT_FILE_SYSTEM: i32 = 0x210a;

/// A store that cannot be opened, written or read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// The file cannot be opened, read or written: no permission, no room, held by another process.
    #[error("the database {} cannot be used", path.display())]
    Unavailable { path: PathBuf, reason: String },
    /// A later version of this program wrote it.
    #[error("the database {} is of a newer version", path.display())]
    Newer { path: PathBuf },
    /// What is stored is not what was written.
    #[error("the database {} is damaged", path.display())]
    Damaged { path: PathBuf, reason: String },
    /// Another writer was there first, or the events do not follow the last stored one. Nothing was written.
    #[error("session {session} has another writer")]
    Conflict { session: SessionId },
    /// Events for a session that was never created. Nothing was written.
    #[error("there is no session {session}")]
    SessionUnknown { session: SessionId },
    /// An event that is not to be stored was given. Nothing was written.
    #[error("an event of session {session} after {seq} is not one to store")]
    NotDurable { session: SessionId, seq: u64 },
    /// Events of more than one session were given at once. Nothing was written.
    #[error("events of session {session} came with those of another")]
    Mixed { session: SessionId },
}

impl Error {
    /// The failure this is, for its card.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Unavailable { path, reason } => on(Code::StoreUnavailable, path).with("reason", reason),
            Self::Newer { path } => on(Code::StoreNewer, path),
            Self::Damaged { path, reason } => on(Code::StoreDamaged, path).with("reason", reason),
            Self::Conflict { session } => Failure::new(Code::SessionBusy).with("session", session),
            Self::SessionUnknown { session } => Failure::new(Code::SessionUnknown).with("session", session),
            // Only a defect of the caller leads here.
            Self::NotDurable { .. } | Self::Mixed { .. } => {
                Failure::new(Code::InternalPanic).with("message", self).with("location", "candor-store")
            }
        }
    }

    /// The database's own error, told apart by what the reader of the card can do about it.
    pub(crate) fn database(path: &Path, error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(told) => {
                Self::told(path, told.message(), number(error).unwrap_or_default())
            }
            sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::Decode(_)
            | sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::ColumnIndexOutOfBounds { .. } => Self::damaged(path, error),
            _ => Self::unavailable(path, error),
        }
    }

    fn told(path: &Path, message: &str, number: i32) -> Self {
        match number & KIND_MASK {
            BUSY | LOCKED => Self::unavailable(path, "another process keeps it locked"),
            // Our statements never change, so one that fails means that the tables are not as we made them.
            ERROR | CORRUPT | CONSTRAINT | MISMATCH | FORMAT | NOT_A_DATABASE => Self::damaged(path, message),
            _ if number == IO_SHORT_READ => Self::damaged(path, "it ends before it should"),
            _ if number == IO_CORRUPT_FILE_SYSTEM => Self::damaged(path, message),
            _ => Self::unavailable(path, message),
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers pass displays made on the spot")]
    pub(crate) fn unavailable(path: &Path, reason: impl ToString) -> Self {
        Self::Unavailable { path: path.to_owned(), reason: reason.to_string() }
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers pass displays made on the spot")]
    pub(crate) fn damaged(path: &Path, reason: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// Whether another connection was in the way.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    number(error).is_some_and(|number| matches!(number & KIND_MASK, BUSY | LOCKED))
}

/// Whether the statement itself was refused, as it is when its tables are not there.
pub(crate) fn is_refused(error: &sqlx::Error) -> bool {
    number(error).is_some_and(|number| number & KIND_MASK == ERROR)
}

fn number(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error()?.code()?.parse().ok()
}

fn on(code: Code, path: &Path) -> Failure {
    Failure::new(code).with("path", path.display())
}
