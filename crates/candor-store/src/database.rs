//! Which database it is, and how a connection to it is opened.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use crate::Error;
use crate::error::is_busy;
use crate::file::{self, Identity};
use crate::sql::Connection;

/// How long to wait for another process. A commit takes milliseconds; who holds the file for longer has hung.
const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);

/// How often to look again where SQLite itself does not wait: while another process turns a new file into a log.
const BUSY_POLL: Duration = Duration::from_millis(5);

/// How long a server may take to answer the knock: a machine that is down never does.
const CONNECT_WAIT_MAX: Duration = Duration::from_secs(5);

/// How long PostgreSQL works on one statement before it gives up, in its own words. The longest of ours deletes a
/// session of a million events.
const STATEMENT_TIMEOUT: &str = "30s";

/// Where the sessions are.
#[derive(Clone)]
pub enum Location {
    /// A SQLite file. It and the folders above it are made when they are missing.
    File(PathBuf),
    /// A PostgreSQL database, by its address: `postgres://…`. The address may hold a password.
    Postgres(String),
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Postgres(address) => {
                let name = PgConnectOptions::from_str(address).map(|options| address_name(&options));
                f.debug_tuple("Postgres").field(&name.unwrap_or_default()).finish()
            }
        }
    }
}

/// What a connection is for.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// The one that appends.
    Write,
    /// The one that answers.
    Read,
}

/// A database that was found usable once.
#[derive(Clone)]
pub(crate) struct Database {
    name: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    File { path: PathBuf, opened: Identity },
    Server(Box<PgConnectOptions>),
}

impl Database {
    /// Prepares the file, or reads the address.
    pub(crate) fn locate(location: &Location) -> Result<Self, Error> {
        match location {
            Location::File(path) => {
                let unusable = |error| Error::unavailable(&path.display().to_string(), error);
                // Absolute, so that no name can be taken for something else than a file, such as `:memory:`.
                let path = std::path::absolute(path).map_err(unusable)?;
                let opened = file::prepare(&path)?;
                Ok(Self { name: path.display().to_string(), kind: Kind::File { path, opened } })
            }
            Location::Postgres(address) => {
                // The reason of the library may repeat the address, password and all.
                let options = PgConnectOptions::from_str(address).map_err(|_| {
                    Error::unavailable("postgres://", "its address is not one of a PostgreSQL database")
                })?;
                Ok(Self { name: address_name(&options), kind: Kind::Server(Box::new(options)) })
            }
        }
    }

    /// What to call it in front of people: a path, or an address without the user and the password.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The file that it is in.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.kind {
            Kind::File { path, .. } => Some(path),
            Kind::Server(_) => None,
        }
    }

    /// Whether the file that is open is still the one that the next start will find.
    pub(crate) fn still_there(&self) -> Result<(), Error> {
        match &self.kind {
            Kind::File { path, opened } => file::still_there(path, *opened),
            Kind::Server(_) => Ok(()),
        }
    }

    pub(crate) async fn connect(&self, purpose: Purpose) -> Result<Connection, sqlx::Error> {
        match &self.kind {
            Kind::File { path, .. } => open_file(&file_options(path, purpose)).await,
            Kind::Server(options) => {
                let connect = server_options(options, purpose);
                let connected = tokio::time::timeout(CONNECT_WAIT_MAX, connect.connect()).await;
                let timed_out =
                    || std::io::Error::new(std::io::ErrorKind::TimedOut, "the server does not answer");
                connected.unwrap_or_else(|_| Err(timed_out().into())).map(Connection::Postgres)
            }
        }
    }

    pub(crate) fn error(&self, error: &sqlx::Error) -> Error {
        Error::database(&self.name, error)
    }

    pub(crate) fn damaged(&self, reason: impl ToString) -> Error {
        Error::damaged(&self.name, reason)
    }
}

fn address_name(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or_else(|| options.get_username());
    format!("postgres://{}:{}/{database}", options.get_host(), options.get_port())
}

async fn open_file(options: &SqliteConnectOptions) -> Result<Connection, sqlx::Error> {
    let deadline = Instant::now() + BUSY_WAIT_MAX;
    loop {
        match options.connect().await {
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                tokio::time::sleep(BUSY_POLL).await;
            }
            connected => return connected.map(Connection::Sqlite),
        }
    }
}

fn file_options(path: &Path, purpose: Purpose) -> SqliteConnectOptions {
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

fn server_options(options: &PgConnectOptions, purpose: Purpose) -> PgConnectOptions {
    let options = options
        .clone()
        .application_name("candor")
        // Whatever the server's default is: what is acknowledged is on its disk.
        .options([("synchronous_commit", "on"), ("statement_timeout", STATEMENT_TIMEOUT)])
        .disable_statement_logging();
    match purpose {
        Purpose::Write => options,
        Purpose::Read => options.options([("default_transaction_read_only", "on")]),
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
