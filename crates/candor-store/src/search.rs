//! Finds what was said.

use candor_protocol::{Event, EventBody, Moment, Role, SessionId};
use serde::{Deserialize, Serialize};

use crate::index::spoken;
use crate::row::{self, count};
use crate::sql::Row;
use crate::words::Query;
use crate::{Error, Store};

/// How many hits an answer has at most: each of them is read for its excerpt.
pub const HITS_MAX: u32 = 200;

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Words. All must occur, in either case; the last one may be the beginning of a word.
    pub text: String,
    /// Only in sessions of this folder.
    pub workspace: Option<String>,
    /// At most so many, and never more than [`HITS_MAX`].
    pub limit: u32,
}

/// A message in which it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The session.
    pub session: SessionId,
    /// What that is called.
    pub session_name: String,
    /// Which of its events.
    pub seq: u64,
    /// When it was said.
    pub at: Moment,
    /// Who said it: the user or the model.
    pub role: Role,
    /// The text around the first word that was found.
    pub excerpt: String,
}

/// How many of the newest messages are looked into for each hit that is wanted, before the index is asked for the last word.
///
/// That one may be the beginning of many words, and both databases gather every message with any of them before they give
/// the first: half a millisecond for a thousand messages. Where a word is common the newest messages have it; where it is
/// not, there is little to gather.
const CANDIDATES_PER_HIT: u32 = 4;

/// The newest entries that match, then their events: the events of entries that are left out are not read. Sorted by the
/// key as the index of words has it, which SQLite then reads backwards and no further than it must.
macro_rules! hits {
    ($body:literal, $entries:literal, $key:literal, $matches:literal) => {
        concat!(
            "SELECT h.session_id, h.name, h.seq, ",
            $body,
            " AS body FROM (SELECT e.key, e.session_id, e.seq, s.name FROM ",
            $entries,
            " JOIN sessions s ON s.id = e.session_id WHERE ",
            $matches,
            " AND s.last_seq > 0 AND ($3 = '' OR s.workspace = $4) ORDER BY ",
            $key,
            " DESC LIMIT $2) AS h \
             JOIN events v ON v.session_id = h.session_id AND v.seq = h.seq ORDER BY h.key DESC"
        )
    };
}

/// The entries that have these words, in either database, with the whole event or with none that is too large to be read
/// beside others.
macro_rules! with_words {
    ($store:expr, $body:literal) => {
        if $store.is_file() {
            hits!($body, "words CROSS JOIN entries e ON e.key = words.rowid", "words.rowid", "words MATCH $1")
        } else {
            hits!($body, "words w JOIN entries e ON e.key = w.key", "e.key", "w.words @@ CAST($1 AS TSQUERY)")
        }
    };
    ($store:expr) => {
        with_words!($store, "CASE WHEN LENGTH(v.body) > 65536 THEN NULL ELSE v.body END")
    };
}

/// The newest entries of all, likewise. The limit comes before the folder, which may have few.
const NEWEST: &str = hits!(
    "CASE WHEN LENGTH(v.body) > 65536 THEN NULL ELSE v.body END",
    "(SELECT key, session_id, seq FROM entries ORDER BY key DESC LIMIT $2) e",
    "e.key",
    "$1 = ''"
);

impl Store {
    /// The messages in which all words occur, the newest first. What was stored before the call is found.
    pub async fn search(&self, search: &Search) -> Result<Vec<Hit>, Error> {
        let Some(query) = Query::of(&search.text) else { return Ok(Vec::new()) };
        self.catch_up().await?;
        if let Some(hits) = self.hits_among_newest(search, &query).await? {
            return Ok(hits);
        }
        let sql = with_words!(self, "v.body");
        let rows = self.entries(sql, self.spelt(&query), search.wanted(), search).await?;
        rows.iter().map(|row| self.hit(row, &query)).collect()
    }

    /// The same answer from the newest messages alone, where they are enough for it.
    async fn hits_among_newest(&self, search: &Search, query: &Query) -> Result<Option<Vec<Hit>>, Error> {
        let wanted = search.wanted();
        let many = wanted.saturating_mul(CANDIDATES_PER_HIT);
        let whole = query.without_last();
        let (sql, words) = match &whole {
            Some(whole) => (with_words!(self), self.spelt(whole)),
            None => (NEWEST, String::new()),
        };
        let rows = self.entries(sql, words, many, search).await?;
        let is_all = whole.is_some() && rows.len() < many as usize;
        let mut hits = Vec::new();
        for row in &rows {
            // What is too large to be read here, or damaged, is left to the index.
            let is_read = self.read(row.text_or_null("body"))?.is_some();
            let Some(found) = is_read.then(|| self.found(row).ok()).flatten() else { return Ok(None) };
            if query.is_in(&found.text) {
                hits.push(found.hit(query));
            }
            if hits.len() == wanted as usize {
                return Ok(Some(hits));
            }
        }
        Ok(is_all.then_some(hits))
    }

    async fn entries(
        &self,
        sql: &'static str,
        words: String,
        many: u32,
        search: &Search,
    ) -> Result<Vec<Row>, Error> {
        let everywhere = if search.workspace.is_some() { "only" } else { "" };
        let workspace = search.workspace.as_deref().unwrap_or_default();
        self.rows(sql, &[words.into(), many.into(), everywhere.into(), workspace.into()]).await
    }

    /// The words in the language of the database.
    fn spelt(&self, query: &Query) -> String {
        if self.is_file() { query.for_sqlite() } else { query.for_postgres() }
    }

    fn hit(&self, row: &Row, query: &Query) -> Result<Hit, Error> {
        Ok(self.found(row)?.hit(query))
    }

    fn found(&self, row: &Row) -> Result<Found, Error> {
        let session = self.read(row::session(row, "session_id"))?;
        let seq = self.read(count(row, "seq"))?;
        let event = self.event(row, session, seq)?;
        let session_name = self.read(row.text("name"))?.to_owned();
        let text = spoken(&event.body).unwrap_or_default();
        Ok(Found { event, session_name, text })
    }
}

impl Search {
    fn wanted(&self) -> u32 {
        self.limit.min(HITS_MAX)
    }
}

/// A message that was read.
struct Found {
    event: Event,
    session_name: String,
    text: String,
}

impl Found {
    fn hit(self, query: &Query) -> Hit {
        let is_user = matches!(self.event.body, EventBody::MessageAccepted { .. });
        Hit {
            session: self.event.session_id,
            session_name: self.session_name,
            seq: self.event.seq,
            at: self.event.at,
            role: if is_user { Role::User } else { Role::Assistant },
            excerpt: query.excerpt(&self.text),
        }
    }
}
