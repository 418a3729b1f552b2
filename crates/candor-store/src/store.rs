//! The store itself: opened, asked, closed.

use std::sync::Arc;

use candor_protocol::SessionId;

use crate::connection::Reader;
use crate::database::{Database, Location, Purpose};
use crate::lease::{Lease, Leases};
use crate::sql::{Row, Value};
use crate::work::{Applied, Work};
use crate::writer::Writer;
use crate::{Error, schema};

/// How many left-over staged sessions are looked at when the store is opened: the rest can wait for the next time.
const LEFT_OVER_MAX: u32 = 100;

/// Every session of one home.
///
/// It is shared by reference: one task writes, one connection answers, and both are waited for in line. It belongs to the
/// runtime that it was opened in.
pub struct Store {
    database: Database,
    reader: Reader,
    pub(crate) writer: Writer,
    pub(crate) leases: Arc<Leases>,
}

impl Store {
    /// Opens the database, or makes it. Others may not read a file, nor those that are kept beside it.
    pub async fn open(location: &Location) -> Result<Self, Error> {
        let database = Database::locate(location)?;
        let connected = database.connect(Purpose::Write).await;
        let mut connection = connected.map_err(|error| database.error(&error))?;
        schema::ready(&mut connection, &database).await?;
        let leases = Arc::new(Leases::of(&database));
        let store = Self {
            reader: Reader::new(database.clone()),
            writer: Writer::start(database.clone(), connection, Arc::clone(&leases)),
            leases,
            database,
        };
        store.remove_left_over().await?;
        Ok(store)
    }

    /// What to call the database in front of people: a file's path, or an address without the user and the password.
    pub fn name(&self) -> &str {
        self.database.name()
    }

    /// Removes a session with everything that is stored about it; false if it was not there. The lease says that nobody
    /// writes to it.
    pub async fn delete(&self, lease: &Lease) -> Result<bool, Error> {
        let session = lease.session();
        if self.writer.work(Work::Hide { session }).await? != Applied::Done {
            return Ok(false);
        }
        self.remove(session).await?;
        Ok(true)
    }

    /// Removes an invisible session piece by piece, so that nobody who writes has to wait for long. What is left after a
    /// crash goes when the store is next opened.
    pub(crate) async fn remove(&self, session: SessionId) -> Result<(), Error> {
        while self.writer.work(Work::Thin { session }).await? == Applied::Done {}
        self.writer.work(Work::Delete { session }).await.map(drop)
    }

    /// Looks whether the database is whole. On a file this reads all of it.
    pub async fn check(&self) -> Result<(), Error> {
        if !self.is_file() {
            return self.rows("SELECT last_seq FROM sessions LIMIT 1", &[]).await.map(drop);
        }
        let found =
            self.rows("SELECT integrity_check AS finding FROM pragma_integrity_check LIMIT 1", &[]).await?;
        let finding = self.read(found.first().map(|row| row.text("finding")).transpose())?.unwrap_or("ok");
        if finding != "ok" {
            return Err(self.database.damaged(finding));
        }
        let orphans =
            self.rows("SELECT \"table\" AS finding FROM pragma_foreign_key_check LIMIT 1", &[]).await?;
        match self.read(orphans.first().map(|row| row.text("finding")).transpose())? {
            None => Ok(()),
            Some(table) => Err(self.database.damaged(format_args!("{table} has a row of no session"))),
        }
    }

    /// Closes it and tidies up beside it. Not needed for anything that was appended: a program in a hurry can leave.
    pub async fn close(self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    /// Whether it is a SQLite file.
    pub(crate) fn is_file(&self) -> bool {
        self.database.file().is_some()
    }

    /// The rows that a question has for an answer.
    pub(crate) async fn rows(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, Error> {
        self.reader.rows(sql, values).await
    }

    /// What was read from a row, or the damage that it could not be.
    pub(crate) fn read<T>(&self, read: Result<T, sqlx::Error>) -> Result<T, Error> {
        read.map_err(|error| self.database.error(&error))
    }

    /// Removes what others staged or deleted and did not live to finish.
    async fn remove_left_over(&self) -> Result<(), Error> {
        let staged = "SELECT id FROM sessions WHERE last_seq < 0 ORDER BY id LIMIT $1";
        for session in self.ids(staged, &[LEFT_OVER_MAX.into()]).await? {
            if let Some(_lease) = self.lease(session).await? {
                self.remove(session).await?;
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("name", &self.name()).finish_non_exhaustive()
    }
}
