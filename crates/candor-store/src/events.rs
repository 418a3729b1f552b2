//! Questions about the events of one session.

use candor_protocol::{Event, SessionId};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::{Error, Store};

impl Store {
    /// The events after one number, in order, at most so many.
    pub async fn events(&self, session: SessionId, after: u64, limit: u32) -> Result<Vec<Event>, Error> {
        // No event has a larger number than a column holds.
        let Ok(first) = i64::try_from(after) else { return Ok(Vec::new()) };
        let question = sqlx::query(
            "SELECT seq, body FROM events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
        )
        .bind(session.to_string())
        .bind(first)
        .bind(i64::from(limit));
        let rows = self.rows(question).await?;
        let expected = after.saturating_add(1)..;
        rows.into_iter().zip(expected).map(|(row, seq)| self.event(&row, session, seq)).collect()
    }

    /// The number of the last event; nothing when there is no such session.
    pub async fn last_seq(&self, session: SessionId) -> Result<Option<u64>, Error> {
        let question = sqlx::query("SELECT last_seq FROM sessions WHERE id = $1").bind(session.to_string());
        let rows = self.rows(question).await?;
        let last = rows.first().map(|row| crate::row::count(row, "last_seq")).transpose();
        last.map_err(|error| Error::database(&self.path, &error))
    }

    /// Reads one event, which must be the one that it is stored as. Its text is not repeated in the reason: it may be
    /// anything.
    fn event(&self, row: &SqliteRow, session: SessionId, seq: u64) -> Result<Event, Error> {
        let damaged =
            |what: &str| Error::damaged(&self.path, format_args!("event {seq} of session {session} {what}"));
        let stored: i64 = row.try_get("seq").map_err(|_| damaged("has no number"))?;
        if u64::try_from(stored) != Ok(seq) {
            return Err(damaged("is missing"));
        }
        let body: &str = row.try_get("body").map_err(|_| damaged("is not text"))?;
        let event: Event = serde_json::from_str(body).map_err(|_| damaged("cannot be read"))?;
        if event.seq != seq || event.session_id != session {
            return Err(damaged("is another one than it should be"));
        }
        Ok(event)
    }
}
