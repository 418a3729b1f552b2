//! Questions about the events of one session.

use candor_protocol::{Event, RunId, SessionId};

use crate::row::{self, count, seq_to_column};
use crate::sql::{Row, Value};
use crate::work::Work;
use crate::{Error, Store};

/// How many events of one run are read at most; of a longer one the newest are. It is what has to be looked through when
/// a run is closed after a crash, and a run of so many was not going anywhere.
pub const RUN_EVENTS_MAX: u32 = 10_000;

/// How many events a page has at most, however short they are.
const PAGE_EVENTS_MAX: u32 = 500;

impl Store {
    /// The events after one number, in order, at most so many.
    pub async fn events(&self, session: SessionId, after: u64, limit: u32) -> Result<Vec<Event>, Error> {
        // No event has a larger number than a column holds.
        let Ok(first) = i64::try_from(after) else { return Ok(Vec::new()) };
        let sql = "SELECT e.seq, e.body FROM events e JOIN sessions s ON s.id = e.session_id \
                   WHERE e.session_id = $1 AND e.seq > $2 AND s.last_seq > 0 ORDER BY e.seq LIMIT $3";
        let rows = self.rows(sql, &[session.to_string().into(), first.into(), limit.into()]).await?;
        let expected = after.saturating_add(1)..;
        rows.iter().zip(expected).map(|(row, seq)| self.event(row, session, seq)).collect()
    }

    /// The last events, in order, at most so many. The ones before them are not read.
    pub async fn newest_events(&self, session: SessionId, limit: u32) -> Result<Vec<Event>, Error> {
        let sql = "SELECT e.seq, e.body FROM events e JOIN sessions s ON s.id = e.session_id \
                   WHERE e.session_id = $1 AND s.last_seq > 0 ORDER BY e.seq DESC LIMIT $2";
        let rows = self.rows(sql, &[session.to_string().into(), limit.into()]).await?;
        let Some(newest) = rows.first() else { return Ok(Vec::new()) };
        let last = self.read(count(newest, "seq"))?;
        // Read backwards, so that each has the number below the one before it.
        let expected = (1..=last).rev();
        let mut events: Vec<Event> = rows
            .iter()
            .zip(expected)
            .map(|(row, seq)| self.event(row, session, seq))
            .collect::<Result<_, _>>()?;
        events.reverse();
        Ok(events)
    }

    /// The stored events of one run, in order; of more than [`RUN_EVENTS_MAX`] the newest.
    pub async fn run_events(&self, session: SessionId, run: RunId) -> Result<Vec<Event>, Error> {
        let sql = "SELECT seq, body FROM events WHERE run_id = $1 AND session_id = $2 \
                   ORDER BY seq DESC LIMIT $3";
        let values = [run.to_string().into(), session.to_string().into(), Value::from(RUN_EVENTS_MAX)];
        let rows = self.rows(sql, &values).await?;
        let events = rows.iter().rev().map(|row| self.event(row, session, self.read(count(row, "seq"))?));
        events.collect()
    }

    /// The events after one number, in order, as many as fit into so many bytes, and at least one where there is one.
    pub async fn page(&self, session: SessionId, after: u64, bytes_max: u64) -> Result<Vec<Event>, Error> {
        let Ok(first) = i64::try_from(after) else { return Ok(Vec::new()) };
        let sql = "SELECT seq, body FROM (SELECT seq, body, \
                   CAST(SUM(LENGTH(body)) OVER (ORDER BY seq) AS BIGINT) AS total FROM events \
                   WHERE session_id = $1 AND seq > $2 \
                   AND EXISTS (SELECT 1 FROM sessions WHERE id = $1 AND last_seq > 0) ORDER BY seq LIMIT $3) AS newer \
                   WHERE total <= $4 OR seq = $2 + 1 ORDER BY seq";
        let bytes_max = i64::try_from(bytes_max).unwrap_or(i64::MAX);
        let values = [session.to_string().into(), first.into(), PAGE_EVENTS_MAX.into(), bytes_max.into()];
        let rows = self.rows(sql, &values).await?;
        let expected = after.saturating_add(1)..;
        rows.iter().zip(expected).map(|(row, seq)| self.event(row, session, seq)).collect()
    }

    /// The number of the last event; nothing when there is no such session.
    pub async fn last_seq(&self, session: SessionId) -> Result<Option<u64>, Error> {
        let sql = "SELECT last_seq FROM sessions WHERE id = $1 AND last_seq >= 0";
        let rows = self.rows(sql, &[session.to_string().into()]).await?;
        self.read(rows.first().map(|row| count(row, "last_seq")).transpose())
    }

    /// The runs that have begun and not ended, of one session or of all, the oldest first, at most so many.
    pub async fn open_runs(
        &self,
        session: Option<SessionId>,
        limit: u32,
    ) -> Result<Vec<(SessionId, RunId)>, Error> {
        let sql = "SELECT session_id, run_id FROM runs WHERE ended_at IS NULL \
                   AND session_id NOT IN (SELECT id FROM sessions WHERE last_seq < 0) \
                   AND ($2 = '' OR session_id = $2) ORDER BY started_at, run_id LIMIT $1";
        let session = session.map(|session| session.to_string()).unwrap_or_default();
        let rows = self.rows(sql, &[limit.into(), session.into()]).await?;
        let run = |row: &Row| row.text("run_id")?.parse().map_err(|error| row::wrong("run_id", error));
        self.read(rows.iter().map(|row| Ok((row::session(row, "session_id")?, run(row)?))).collect())
    }

    /// Keeps what the context of a session was at one of its events, in place of an earlier one. It saves reading the
    /// whole session, and nothing is lost without it.
    pub async fn save_context(&self, session: SessionId, seq: u64, body: &str) -> Result<(), Error> {
        let (seq, body) = (seq_to_column(seq), body.to_owned());
        self.writer.work(Work::SaveContext { session, seq, body }).await.map(drop)
    }

    /// The context that was kept last, and the number of the event that it was kept at.
    pub async fn context(&self, session: SessionId) -> Result<Option<(u64, String)>, Error> {
        let sql = "SELECT seq, body FROM contexts WHERE session_id = $1";
        let rows = self.rows(sql, &[session.to_string().into()]).await?;
        let read = |row: &Row| Ok((count(row, "seq")?, row.text("body")?.to_owned()));
        self.read(rows.first().map(read).transpose())
    }

    /// Reads one event, which must be the one that it is stored as. Its text is not repeated in the reason: it may be
    /// anything.
    pub(crate) fn event(&self, row: &Row, session: SessionId, seq: u64) -> Result<Event, Error> {
        let damaged =
            |what: &str| Error::damaged(self.name(), format_args!("event {seq} of session {session} {what}"));
        let stored = row.int("seq").map_err(|_| damaged("has no number"))?;
        if u64::try_from(stored) != Ok(seq) {
            return Err(damaged("is missing"));
        }
        let body = row.text("body").map_err(|_| damaged("is not text"))?;
        let event: Event = serde_json::from_str(body).map_err(|_| damaged("cannot be read"))?;
        if event.seq != seq || event.session_id != session {
            return Err(damaged("is another one than it should be"));
        }
        Ok(event)
    }
}
