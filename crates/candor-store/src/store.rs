//! The store itself: opened, asked, closed.

use std::path::{Path, PathBuf};

use sqlx::Sqlite;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};

use crate::connection::{Purpose, Slot};
use crate::file::{self, Identity};
use crate::{Error, schema};

/// Where the sessions are.
#[derive(Clone)]
pub enum Location {
    /// A SQLite file. It and the folders above it are made when they are missing.
    File(PathBuf),
    /// A PostgreSQL database, by its address: `postgres://…`. The address may hold a password.
    Postgres(String),
}

/// Every session of one home.
///
/// It is shared by reference: one connection writes, another answers, and both are waited for in line.
pub struct Store {
    pub(crate) path: PathBuf,
    pub(crate) writer: Slot,
    reader: Slot,
    opened: Identity,
}

impl Store {
    /// Opens the database, or makes it. Others may not read it, nor the two files that SQLite keeps beside it.
    pub async fn open(location: &Location) -> Result<Self, Error> {
        let Location::File(path) = location else {
            return Err(Error::unavailable(Path::new("postgres"), "not yet"));
        };
        // Absolute, so that no name can be taken for something else than a file, such as `:memory:`.
        let path = std::path::absolute(path).map_err(|error| Error::unavailable(path, error))?;
        let opened = file::prepare(&path)?;
        let store = Self {
            writer: Slot::new(&path, Purpose::Write),
            reader: Slot::new(&path, Purpose::Read),
            opened,
            path,
        };
        let mut lent = store.writer.borrow().await?;
        schema::ready(lent.connection(), &store.path).await?;
        lent.give_back();
        Ok(store)
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Closes it and tidies up beside it. Not needed for anything that was appended: a program in a hurry can leave.
    pub async fn close(self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    /// Whether the file that is open is still the one that the next start will find.
    pub(crate) fn check_file(&self) -> Result<(), Error> {
        file::still_there(&self.path, self.opened)
    }

    /// The rows that a question has for an answer.
    pub(crate) async fn rows(
        &self,
        question: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<Vec<SqliteRow>, Error> {
        let mut lent = self.reader.borrow().await?;
        let rows = question
            .fetch_all(lent.connection())
            .await
            .map_err(|error| Error::database(&self.path, &error))?;
        lent.give_back();
        Ok(rows)
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("path", &self.path).finish_non_exhaustive()
    }
}
