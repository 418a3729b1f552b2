//! Connections: how one is opened, and how one is lent.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{Mutex, MutexGuard};

use crate::error::{Error, is_busy};

/// How long to wait for another process. A commit takes milliseconds; who holds the file for longer has hung.
const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);

/// How often to look again where SQLite itself does not wait: while another process turns a new file into a log.
const BUSY_POLL: Duration = Duration::from_millis(5);

/// What a connection is for.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// The one that appends.
    Write,
    /// The one that answers.
    Read,
}

/// A place for one connection. It is opened when it is first needed, and again after trouble.
pub(crate) struct Slot {
    path: PathBuf,
    options: SqliteConnectOptions,
    // Held over awaits by intent: a connection does one thing at a time, and those who want it stand in line.
    connection: Mutex<Option<SqliteConnection>>,
}

impl Slot {
    pub(crate) fn new(path: &Path, purpose: Purpose) -> Self {
        Self { path: path.to_owned(), options: options(path, purpose), connection: Mutex::new(None) }
    }

    /// Takes the connection out. Unless it is given back it is closed, and the next one to come gets a new one: after an
    /// error, or when the caller was cancelled, nobody knows what state it is in.
    pub(crate) async fn borrow(&self) -> Result<Lent<'_>, Error> {
        let mut guard = self.connection.lock().await;
        let connection = match guard.take() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        Ok(Lent { guard, connection })
    }

    pub(crate) async fn close(self) {
        if let Some(connection) = self.connection.into_inner() {
            // What was acknowledged is on the disk; an error here costs nothing but the tidying up.
            let _ = connection.close().await;
        }
    }

    async fn connect(&self) -> Result<SqliteConnection, Error> {
        let deadline = Instant::now() + BUSY_WAIT_MAX;
        loop {
            match self.options.connect().await {
                Err(error) if is_busy(&error) && Instant::now() < deadline => {
                    tokio::time::sleep(BUSY_POLL).await;
                }
                connected => return connected.map_err(|error| Error::database(&self.path, &error)),
            }
        }
    }
}

/// A connection taken out of its slot.
pub(crate) struct Lent<'s> {
    guard: MutexGuard<'s, Option<SqliteConnection>>,
    connection: SqliteConnection,
}

impl Lent<'_> {
    pub(crate) fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }

    /// Puts it back, in order.
    pub(crate) fn give_back(mut self) {
        *self.guard = Some(self.connection);
    }
}

fn options(path: &Path, purpose: Purpose) -> SqliteConnectOptions {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_WAIT_MAX)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        // With less, a commit survives the end of the process but not that of the power.
        .synchronous(SqliteSynchronous::Full)
        // The file may come from someone else: it must not bring along code that runs.
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
        // A large sort must not leave pieces of sessions in a folder for everyone.
        .pragma("temp_store", "MEMORY")
        .thread_name(move |_| format!("candor-store-{}", purpose.as_str()))
        .disable_statement_logging();
    match purpose {
        Purpose::Write => options,
        Purpose::Read => options.pragma("query_only", "ON"),
    }
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
        }
    }
}
