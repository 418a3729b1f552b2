//! The connection that answers: opened when it is first needed, lent to one question at a time.

use tokio::sync::Mutex;

use crate::Error;
use crate::database::{Database, Purpose};
use crate::error::is_lost;
use crate::reconnect::reconnect;
use crate::sql::{Connection, Row, Value};

/// A place for one connection. It is opened when it is first needed, and again after trouble.
pub(crate) struct Reader {
    database: Database,
    // Held over awaits by intent: a connection does one thing at a time, and those who want it stand in line.
    connection: Mutex<Option<Connection>>,
}

impl Reader {
    pub(crate) fn new(database: Database) -> Self {
        Self { database, connection: Mutex::new(None) }
    }

    /// The rows that a question has for an answer. A server that went away since the last question is waited for.
    pub(crate) async fn rows(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, Error> {
        let mut guard = self.connection.lock().await;
        // Taken out: after an error, or when the caller is cancelled, nobody knows what state it is in, and the next
        // one to come gets a new one.
        if let Some(mut connection) = guard.take() {
            match connection.rows(sql, values).await {
                Err(error) if is_lost(&error) => {}
                Err(error) => return Err(self.database.error(&error)),
                Ok(rows) => {
                    *guard = Some(connection);
                    return Ok(rows);
                }
            }
        }
        let mut connection = reconnect(&self.database, Purpose::Read).await?;
        let rows = connection.rows(sql, values).await.map_err(|error| self.database.error(&error))?;
        *guard = Some(connection);
        Ok(rows)
    }

    pub(crate) async fn close(self) {
        if let Some(connection) = self.connection.into_inner() {
            connection.close().await;
        }
    }
}
