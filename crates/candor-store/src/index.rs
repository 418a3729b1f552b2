//! The search index. It is brought up to date by those who search, not by those who write: nobody waits for it who has
//! something to store, and without it nothing is lost.

use candor_protocol::{Event, EventBody, Part, SessionId};

use crate::row::{self, seq_to_column};
use crate::sql::{Connection, Row, Value};
use crate::words::vocabulary;
use crate::work::{Applied, Work};
use crate::{Error, Store};

/// How many sessions are asked for at once that are behind.
const SESSIONS_MAX: u32 = 64;

/// How many events one step goes forward: one transaction, which others wait for.
const STEP_EVENTS: u32 = 200;

/// The largest event that is read together with others; one that is larger, with a picture in it, is read alone.
const STEP_BODY_CHARS_MAX: i64 = 64 << 10;

/// The lower bits of an entry's key tell events of the same millisecond apart.
const SAME_TIME_BITS: u32 = 20;

/// The largest time that fits above them.
const TIME_MAX: i64 = (1 << (62 - SAME_TIME_BITS)) - 1;

/// How far to the next key when one is taken: odd, so that all are tried, and large, so that they lie apart.
const KEY_STRIDE: i64 = 0x9_e375;

/// How many keys are tried for one entry. So many events of one millisecond come only from a clock that stands still;
/// those beyond cannot be searched for.
const KEY_TRIES_MAX: usize = 1000;

/// Some events of one session that go into its index together.
pub(crate) struct Indexing {
    pub(crate) session: SessionId,
    /// Up to which event it is there already, and up to which it will be.
    from: i64,
    to: i64,
    entries: Vec<IndexEntry>,
}

struct IndexEntry {
    seq: i64,
    at: i64,
    words: Vec<String>,
}

impl Store {
    /// Brings the index up to what was the newest event of every session when this began. Two who do so at once do not
    /// get in each other's way.
    pub(crate) async fn catch_up(&self) -> Result<(), Error> {
        // One pass in the order of the ids: a session whose events are not all there must not be come back to for ever.
        let mut passed = String::new();
        loop {
            let sql = "SELECT s.id, COALESCE(m.indexed_seq, 0) AS indexed FROM sessions s \
                       LEFT JOIN marks m ON m.session_id = s.id \
                       WHERE s.id > $2 AND s.last_seq > COALESCE(m.indexed_seq, 0) ORDER BY s.id LIMIT $1";
            let behind = self.rows(sql, &[SESSIONS_MAX.into(), (&passed).into()]).await?;
            let Some(last) = behind.last() else { return Ok(()) };
            self.read(last.text("id"))?.clone_into(&mut passed);
            for row in &behind {
                let session = self.read(row::session(row, "id"))?;
                self.index(session, self.read(row.int("indexed"))?).await?;
            }
        }
    }

    /// Indexes one session to its end, together with whoever else is at it.
    async fn index(&self, session: SessionId, mut from: i64) -> Result<(), Error> {
        loop {
            let Some(step) = self.step(session, from).await? else { return Ok(()) };
            let to = step.to;
            if self.writer.work(Work::Index(step)).await? == Applied::Done {
                from = to;
                continue;
            }
            let sql = "SELECT indexed_seq FROM marks WHERE session_id = $1";
            let rows = self.rows(sql, &[session.to_string().into()]).await?;
            match self.read(rows.first().map(|row| row.int("indexed_seq")).transpose())? {
                Some(mark) if mark > from => from = mark,
                // It was deleted.
                _ => return Ok(()),
            }
        }
    }

    /// Reads the next events, and what words are in them.
    async fn step(&self, session: SessionId, from: i64) -> Result<Option<Indexing>, Error> {
        let sql = "SELECT seq, CASE WHEN type NOT IN ('message_accepted', 'message_complete') THEN '' \
                   WHEN LENGTH(body) > $3 THEN NULL ELSE body END AS body FROM events \
                   WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $4";
        let values =
            [Value::from(session.to_string()), from.into(), STEP_BODY_CHARS_MAX.into(), STEP_EVENTS.into()];
        let rows = self.rows(sql, &values).await?;
        let mut step = Indexing { session, from, to: from, entries: Vec::new() };
        for row in &rows {
            step.to = self.read(row.int("seq"))?;
            step.entries.extend(match self.read(row.text_or_null("body"))? {
                Some(body) => entry(&body),
                None => self.large(session, step.to).await?,
            });
        }
        Ok((step.to > from).then_some(step))
    }

    async fn large(&self, session: SessionId, seq: i64) -> Result<Option<IndexEntry>, Error> {
        let sql = "SELECT body FROM events WHERE session_id = $1 AND seq = $2";
        let rows = self.rows(sql, &[session.to_string().into(), seq.into()]).await?;
        self.read(rows.first().map_or(Ok(None), |row: &Row| Ok(entry(row.text("body")?))))
    }
}

/// What an event has to search for. One that cannot be read has nothing: that it is damaged is said to those who read it.
fn entry(body: &str) -> Option<IndexEntry> {
    let event: Event = serde_json::from_str(body).ok()?;
    let words = vocabulary(&spoken(&event.body)?);
    (!words.is_empty()).then(|| IndexEntry { seq: seq_to_column(event.seq), at: event.at.as_millis(), words })
}

/// What a person or the model said, without what tools did.
pub(crate) fn spoken(body: &EventBody) -> Option<String> {
    let (EventBody::MessageAccepted { content, .. } | EventBody::MessageComplete { content, .. }) = body
    else {
        return None;
    };
    let texts = content.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    Some(texts.collect::<Vec<_>>().join("\n"))
}

impl Indexing {
    pub(crate) fn bytes(&self) -> usize {
        self.entries.iter().flat_map(|entry| &entry.words).map(String::len).sum()
    }

    /// Writes it, unless the session is gone or somebody else was there first.
    pub(crate) async fn apply(&self, connection: &mut Connection) -> Result<Applied, sqlx::Error> {
        let session = self.session.to_string();
        let values = [Value::from(&session), self.to.into(), self.from.into()];
        let moved = if self.from == 0 {
            let sql = "INSERT INTO marks (session_id, indexed_seq) SELECT id, $2 FROM sessions \
                       WHERE id = $1 AND last_seq > $3 ON CONFLICT (session_id) DO NOTHING";
            connection.execute(sql, &values).await?
        } else {
            let sql = "UPDATE marks SET indexed_seq = $2 WHERE session_id = $1 AND indexed_seq = $3";
            connection.execute(sql, &values).await?
        };
        if moved == 0 {
            return Ok(Applied::Needless);
        }
        for entry in &self.entries {
            if let Some(key) = place(connection, &session, entry).await? {
                put_words(connection, key, &entry.words).await?;
            }
        }
        Ok(Applied::Done)
    }
}

/// Finds a key for an entry that sorts by its time, and takes it.
async fn place(
    connection: &mut Connection,
    session: &str,
    entry: &IndexEntry,
) -> Result<Option<i64>, sqlx::Error> {
    let sql = "INSERT INTO entries (key, session_id, seq) VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING";
    let time = entry.at.clamp(0, TIME_MAX) << SAME_TIME_BITS;
    let mut low = session.bytes().fold(0_i64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    low = low.wrapping_add(entry.seq);
    for _ in 0..KEY_TRIES_MAX {
        let key = time | (low & ((1 << SAME_TIME_BITS) - 1));
        if connection.execute(sql, &[key.into(), session.into(), entry.seq.into()]).await? == 1 {
            return Ok(Some(key));
        }
        low = low.wrapping_add(KEY_STRIDE);
    }
    Ok(None)
}

async fn put_words(connection: &mut Connection, key: i64, words: &[String]) -> Result<(), sqlx::Error> {
    let (sql, words) = match connection {
        Connection::Sqlite(_) => ("INSERT INTO words (rowid, text) VALUES ($1, $2)", words.join(" ")),
        Connection::Postgres(_) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
            ("INSERT INTO words (key, words) VALUES ($1, CAST($2 AS TSVECTOR))", quoted.join(" "))
        }
    };
    connection.execute(sql, &[key.into(), words.into()]).await.map(drop)
}

/// Removes so many of a session's entries, with their words; how many there were.
pub(crate) async fn remove(
    connection: &mut Connection,
    session: &str,
    entries_max: i64,
) -> Result<u64, sqlx::Error> {
    if matches!(connection, Connection::Sqlite(_)) {
        let sql = "DELETE FROM words WHERE rowid IN \
                   (SELECT key FROM entries WHERE session_id = $1 ORDER BY key LIMIT $2)";
        connection.execute(sql, &[session.into(), entries_max.into()]).await?;
    }
    let sql = "DELETE FROM entries WHERE key IN \
               (SELECT key FROM entries WHERE session_id = $1 ORDER BY key LIMIT $2)";
    connection.execute(sql, &[session.into(), entries_max.into()]).await
}
