//! What can go wrong with the store.

use candor_protocol::{Code, Failure, SessionId};
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

/// The low byte of SQLite's code is its kind; the rest is detail.
const KIND_MASK: i32 = 0xff;
const ERROR: i32 = 1;
const BUSY: i32 = 5;
const READ_ONLY: i32 = 8;
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

/// The first two characters of PostgreSQL's code are its class. By these the connection is gone, or about to be: broken,
/// or the server is starting, stopping, or ending this one, be it only for having been idle.
const LOST: [&str; 2] = ["08", "57P"];
/// By these the tables are not as we made them, or what is in them: a broken constraint, bad data, an unknown table or
/// column, an internal error of the server such as a bad page.
const NOT_AS_MADE: [&str; 4] = ["22", "23", "42", "XX"];
/// Of class 42, but about what this user may do.
const NOT_ALLOWED: &str = "42501";

/// A store that cannot be opened, written or read. `database` is a file's path, or the address of a server without the
/// user and the password.
#[derive(Debug, Clone, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// It cannot be opened, read or written: no permission, no room, held by another process, a server that is away.
    #[error("the database {database} cannot be used")]
    Unavailable { database: String, reason: String },
    /// A later version of this program wrote it.
    #[error("the database {database} is of a newer version")]
    Newer { database: String },
    /// What is stored is not what was written.
    #[error("the database {database} is damaged")]
    Damaged { database: String, reason: String },
    /// Another writer was there first, or the events do not follow the last stored one. Nothing was written.
    #[error("session {session} has another writer")]
    Conflict { session: SessionId },
    /// Something for a session that was never created. Nothing was written.
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
            // Nothing about a file helps whoever keeps sessions on a server.
            Self::Unavailable { database, reason } | Self::Damaged { database, reason }
                if database.starts_with("postgres") =>
            {
                Failure::new(Code::StoreServer).with("database", database).with("reason", reason)
            }
            Self::Unavailable { database, reason } => {
                on(Code::StoreUnavailable, database).with("reason", reason)
            }
            Self::Newer { database } => on(Code::StoreNewer, database),
            Self::Damaged { database, reason } => on(Code::StoreDamaged, database).with("reason", reason),
            Self::Conflict { session } => Failure::new(Code::SessionBusy).with("session", session),
            Self::SessionUnknown { session } => Failure::new(Code::SessionUnknown).with("session", session),
            // Only a defect of the caller leads here.
            Self::NotDurable { .. } | Self::Mixed { .. } => {
                Failure::new(Code::InternalPanic).with("message", self).with("location", "candor-store")
            }
        }
    }

    /// The database's own error, told apart by what the reader of the card can do about it.
    pub(crate) fn database(database: &str, error: &sqlx::Error) -> Self {
        if let Some(number) = number(error) {
            let message = error.as_database_error().map(sqlx::error::DatabaseError::message);
            return Self::told_by_sqlite(database, message.unwrap_or_default(), number);
        }
        if let Some(told) = postgres(error) {
            return Self::told_by_postgres(database, told);
        }
        match error {
            sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::Decode(_)
            | sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::ColumnIndexOutOfBounds { .. } => Self::damaged(database, error),
            sqlx::Error::Io(error) => Self::unavailable(database, error),
            // It may repeat the address, password and all.
            sqlx::Error::Configuration(_) => Self::unavailable(database, "its address cannot be used"),
            _ => Self::unavailable(database, error),
        }
    }

    fn told_by_sqlite(database: &str, message: &str, number: i32) -> Self {
        match number & KIND_MASK {
            BUSY | LOCKED => Self::unavailable(database, "another process keeps it locked"),
            // Our statements never change, so one that fails means that the tables are not as we made them.
            ERROR | CORRUPT | CONSTRAINT | MISMATCH | FORMAT | NOT_A_DATABASE => {
                Self::damaged(database, message)
            }
            READ_ONLY if is_marked_read_only(database) => {
                Self::damaged(database, "its head says that it must not be written")
            }
            _ if number == IO_SHORT_READ => Self::damaged(database, "it ends before it should"),
            _ if number == IO_CORRUPT_FILE_SYSTEM => Self::damaged(database, message),
            _ => Self::unavailable(database, message),
        }
    }

    fn told_by_postgres(database: &str, told: &PgDatabaseError) -> Self {
        let code = told.code();
        if code != NOT_ALLOWED && NOT_AS_MADE.iter().any(|class| code.starts_with(class)) {
            Self::damaged(database, told.message())
        } else {
            Self::unavailable(database, told.message())
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers pass displays made on the spot")]
    pub(crate) fn unavailable(database: &str, reason: impl ToString) -> Self {
        Self::Unavailable { database: database.to_owned(), reason: reason.to_string() }
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers pass displays made on the spot")]
    pub(crate) fn damaged(database: &str, reason: impl ToString) -> Self {
        Self::Damaged { database: database.to_owned(), reason: reason.to_string() }
    }
}

/// Whether the head of a database asks not to be written. We never make one like that, so its head is not what it was; where
/// the disk does not let us write, the head is.
fn is_marked_read_only(database: &str) -> bool {
    let mut head = [0; 20];
    let read =
        std::fs::File::open(database).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
    // The version of the format for those who write: 1, or 2 with a write-ahead log.
    read.is_ok() && head[18] > 2
}

/// Whether another connection was in the way.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    number(error).is_some_and(|number| matches!(number & KIND_MASK, BUSY | LOCKED))
}

/// Whether the statement itself was refused, as it is when its tables are not there.
pub(crate) fn is_refused(error: &sqlx::Error) -> bool {
    number(error).is_some_and(|number| number & KIND_MASK == ERROR)
}

/// Whether the server cannot be spoken to, so that a new connection may help. What was under way may have been stored.
pub(crate) fn is_lost(error: &sqlx::Error) -> bool {
    match postgres(error) {
        Some(told) => LOST.iter().any(|code| told.code().starts_with(code)),
        None => matches!(error, sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::Tls(_)),
    }
}

fn number(error: &sqlx::Error) -> Option<i32> {
    let told = error.as_database_error()?;
    told.try_downcast_ref::<SqliteError>()?;
    told.code()?.parse().ok()
}

fn postgres(error: &sqlx::Error) -> Option<&PgDatabaseError> {
    error.as_database_error()?.try_downcast_ref()
}

fn on(code: Code, database: &str) -> Failure {
    Failure::new(code).with("path", database)
}
