//! The connection that answers: opened when it is first needed, lent to one question at a time.

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::Error;
use crate::database::{Database, Purpose};
use crate::error::is_lost;
use crate::reconnect::reconnect;
use crate::sql::{Connection, Row, Value};

/// A place for one connection. It is opened when it is first needed, and again after trouble.
pub(crate) struct Reader {
    database: Database,
    // Held over awaits by intent: a connection does one thing at a time, and those who want it stand in line.
    place: Mutex<Place>,
}

#[derive(Default)]
struct Place {
    connection: Option<Connection>,
    /// When a server was last waited for in vain, and what came of it.
    away: Option<(Instant, Error)>,
}

impl Reader {
    pub(crate) fn new(database: Database) -> Self {
        Self { database, place: Mutex::default() }
    }

    /// The rows that a question has for an answer. A server that went away since the last question is waited for: once
    /// for all who stand in line, and not by each in turn.
    pub(crate) async fn rows(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, Error> {
        let came = Instant::now();
        let mut place = self.place.lock().await;
        if let Some((_, error)) = place.away.as_ref().filter(|(since, _)| came < *since) {
            return Err(error.clone());
        }
        // Taken out: after an error, or when the caller is cancelled, nobody knows what state it is in, and the next
        // one to come gets a new one.
        if let Some(mut connection) = place.connection.take() {
            match connection.rows(sql, values).await {
                Err(error) if is_lost(&error) => {}
                Err(error) => return Err(self.database.error(&error)),
                Ok(rows) => {
                    place.connection = Some(connection);
                    return Ok(rows);
                }
            }
        }
        let connected = reconnect(&self.database, Purpose::Read).await;
        let mut connection =
            connected.inspect_err(|error| place.away = Some((Instant::now(), error.clone())))?;
        let rows = connection.rows(sql, values).await.map_err(|error| self.database.error(&error))?;
        place.connection = Some(connection);
        Ok(rows)
    }

    pub(crate) async fn close(self) {
        if let Some(connection) = self.place.into_inner().connection {
            connection.close().await;
        }
    }
}
