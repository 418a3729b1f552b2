//! Finds what was said.

use candor_protocol::{EventBody, Moment, Role, SessionId};
use serde::{Deserialize, Serialize};

use crate::index::spoken;
use crate::row::{self, count};
use crate::sql::{Row, Value};
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

/// The newest entries that match, then their events: the events of entries that are left out are not read. Sorted by the
/// key as the index of words has it, which SQLite then reads backwards and no further than it must.
macro_rules! hits {
    ($entries:literal, $key:literal, $matches:literal) => {
        concat!(
            "SELECT h.session_id, h.name, h.seq, v.body FROM (SELECT e.key, e.session_id, e.seq, s.name FROM ",
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

impl Store {
    /// The messages in which all words occur, the newest first. What was stored before the call is found.
    pub async fn search(&self, search: &Search) -> Result<Vec<Hit>, Error> {
        let Some(query) = Query::of(&search.text) else { return Ok(Vec::new()) };
        self.catch_up().await?;
        let (sql, words) = if self.is_file() {
            let sql =
                hits!("words CROSS JOIN entries e ON e.key = words.rowid", "words.rowid", "words MATCH $1");
            (sql, query.for_sqlite())
        } else {
            let sql =
                hits!("words w JOIN entries e ON e.key = w.key", "e.key", "w.words @@ CAST($1 AS TSQUERY)");
            (sql, query.for_postgres())
        };
        let everywhere = if search.workspace.is_some() { "only" } else { "" };
        let values = [
            Value::from(words),
            search.limit.min(HITS_MAX).into(),
            everywhere.into(),
            search.workspace.as_deref().unwrap_or_default().into(),
        ];
        let rows = self.rows(sql, &values).await?;
        rows.iter().map(|row| self.hit(row, &query)).collect()
    }

    fn hit(&self, row: &Row, query: &Query) -> Result<Hit, Error> {
        let session = self.read(row::session(row, "session_id"))?;
        let seq = self.read(count(row, "seq"))?;
        let event = self.event(row, session, seq)?;
        Ok(Hit {
            session,
            session_name: self.read(row.text("name"))?.to_owned(),
            seq,
            at: event.at,
            role: if matches!(event.body, EventBody::MessageAccepted { .. }) {
                Role::User
            } else {
                Role::Assistant
            },
            excerpt: query.excerpt(&spoken(&event.body).unwrap_or_default()),
        })
    }
}
