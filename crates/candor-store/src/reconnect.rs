//! A server that went away is waited for, for a while.

use std::time::Duration;

use tokio::time::Instant;

use crate::Error;
use crate::database::{Database, Purpose};
use crate::error::is_lost;
use crate::sql::Connection;

/// How long a server may be away before those who wait are told: a restart takes a second or two, and a person who
/// waits for longer wants to know.
const AWAY_MAX: Duration = Duration::from_secs(10);

/// The first wait before knocking again; each one is twice as long as the one before.
const BACKOFF_FIRST: Duration = Duration::from_millis(20);

/// The longest of these waits.
const BACKOFF_MAX: Duration = Duration::from_secs(1);

/// Opens a connection, again and again while the server cannot be reached.
pub(crate) async fn reconnect(database: &Database, purpose: Purpose) -> Result<Connection, Error> {
    let deadline = Instant::now() + AWAY_MAX;
    let mut backoff = BACKOFF_FIRST;
    loop {
        match database.connect(purpose).await {
            Err(error) if is_lost(&error) && Instant::now() + backoff < deadline => {
                tokio::time::sleep(backoff).await;
                backoff = (backoff * 2).min(BACKOFF_MAX);
            }
            connected => return connected.map_err(|error| database.error(&error)),
        }
    }
}
