//! Questions about sessions.

use candor_protocol::{Moment, SessionId, Status, Usage};
use serde::{Deserialize, Serialize};

use crate::row::{self, count, moment, status, usage};
use crate::sql::{Row, Value};
use crate::{Error, Store};

/// How many sessions [`Found::Many`] names: as many as a person reads to choose one.
pub const FOUND_MAX: usize = 20;

/// How many sources can be asked about at once: more than there are surfaces.
pub const SOURCES_MAX: usize = 16;

/// Fewer digits than this are rather a mistake than the name of a session.
const DIGITS_MIN: usize = 4;

/// An id has this many digits.
const DIGITS_MAX: usize = 32;

/// How far ahead of this machine's clock the time of an event may lie and still be believed: machines that share a
/// database differ by seconds, a wrong time zone by half an hour at least.
const AHEAD_MAX_MS: i64 = 10 * 60 * 1000;

/// Newest first, by what clocks said. A time that is yet to come was said by a clock that was wrong then, or is wrong now;
/// either way it says nothing about what happened last, so those sessions come after all others. `$1` is the latest time
/// that is believed.
macro_rules! newest_first {
    ($before:expr, $after:literal) => {
        concat!(
            $before,
            " ORDER BY CASE WHEN updated_at > $1 THEN 1 ELSE 0 END, updated_at DESC, id DESC ",
            $after
        )
    };
}

/// The columns of a summary; the rest of the statement says which sessions, and how many of the newest.
macro_rules! summaries {
    ($which:literal, $many:literal) => {
        newest_first!(summaries!($which), $many)
    };
    ($which:literal) => {
        concat!(
            "SELECT id, name, source, workspace, instructions, created_at, updated_at, model, status, \
             message_count, turns, tool_calls, input_tokens, output_tokens, total_tokens, cache_read_tokens, \
             cache_write_tokens, duration_ms, cost_usd, \
             (SELECT parent_id FROM parents WHERE parents.session_id = sessions.id) AS parent FROM sessions ",
            $which
        )
    };
}

/// Of the sessions only those that work for nobody: one whose parent is gone has nobody left to work for.
macro_rules! unled {
    () => {
        " AND NOT EXISTS (SELECT 1 FROM parents p JOIN sessions l ON l.id = p.parent_id AND l.last_seq > 0 \
         WHERE p.session_id = sessions.id) "
    };
}

/// What is known about a session without reading its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// Which session.
    pub id: SessionId,
    /// What it is called.
    pub name: String,
    /// The surface that it came from.
    pub source: String,
    /// The folder worked in.
    pub workspace: String,
    /// Instructions that hold for this session alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The session that it works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// When it began.
    pub created_at: Moment,
    /// When something last happened in it.
    pub updated_at: Moment,
    /// The model of its last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What its runs took.
    pub metrics: SessionMetrics,
    /// How many messages it has, those of the model included.
    pub message_count: u64,
    /// How its last run ended; nothing while one is open, or when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

/// What all ended runs of a session took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionMetrics {
    /// Which session.
    pub session_id: SessionId,
    /// How many turns.
    pub total_turns: u64,
    /// How many tokens.
    pub total_tokens: Usage,
    /// How many tools were called.
    pub total_tool_calls: u64,
    /// How long they took together.
    pub total_duration_ms: u64,
    /// What they cost, as far as prices are known.
    pub total_cost_usd: f64,
}

/// Which sessions to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this folder.
    pub workspace: Option<String>,
    /// Whether those that work for another session are listed, too.
    pub children: bool,
    /// At most so many.
    pub limit: u32,
    /// After leaving out so many.
    pub offset: u32,
}

/// What a piece of an id stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Exactly one session.
    One(SessionId),
    /// No session.
    None,
    /// Several, the most recent first, and not more than [`FOUND_MAX`] of them.
    Many(Vec<SessionId>),
}

impl Store {
    /// One session.
    pub async fn session(&self, id: SessionId) -> Result<Option<SessionSummary>, Error> {
        let sql = summaries!("WHERE id = $1 AND last_seq > 0");
        Ok(self.summaries(sql, &[id.to_string().into()]).await?.pop())
    }

    /// Sessions, those with the newest activity first, and after them those with a time that is yet to come.
    pub async fn sessions(&self, filter: &Filter) -> Result<Vec<SessionSummary>, Error> {
        let mut values = vec![believed_until(), Value::from(filter.limit), Value::from(filter.offset)];
        let sql = match (&filter.workspace, filter.children) {
            (Some(_), true) => IN_FOLDER,
            (Some(_), false) => UNLED_IN_FOLDER,
            (None, true) => EVERYWHERE,
            (None, false) => UNLED_EVERYWHERE,
        };
        values.extend(filter.workspace.as_ref().map(Value::from));
        self.summaries(sql, &values).await
    }

    /// The sessions that work for this one, those first that began first.
    pub async fn children(&self, parent: SessionId, limit: u32) -> Result<Vec<SessionSummary>, Error> {
        let sql = summaries!(
            "JOIN parents c ON c.session_id = sessions.id \
             WHERE c.parent_id = $1 AND last_seq > 0 ORDER BY created_at, id LIMIT $2"
        );
        self.summaries(sql, &[parent.to_string().into(), limit.into()]).await
    }

    /// The session of a folder in which something happened last; one with a time that is yet to come only if there is no
    /// other, and none that works for another session.
    pub async fn latest(&self, workspace: &str) -> Result<Option<SessionId>, Error> {
        let sql = newest_first!(
            concat!("SELECT id FROM sessions WHERE workspace = $2 AND last_seq > 0", unled!()),
            "LIMIT 1"
        );
        Ok(self.ids(sql, &[believed_until(), workspace.into()]).await?.first().copied())
    }

    /// Finds a session by its id, or by the beginning or the end of it: at least four digits, with or without the
    /// hyphens, in either case.
    pub async fn find(&self, text: &str) -> Result<Found, Error> {
        let digits: String =
            text.trim().chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect();
        let is_piece = digits.chars().all(|c| c.is_ascii_hexdigit());
        if !is_piece || !(DIGITS_MIN..=DIGITS_MAX).contains(&digits.len()) {
            return Ok(Found::None);
        }
        let mut ids = if let Ok(id) = digits.parse::<SessionId>() {
            let sql = "SELECT id FROM sessions WHERE id = $1 AND last_seq > 0";
            self.ids(sql, &[id.to_string().into()]).await?
        } else {
            let sql = newest_first!(
                "SELECT id FROM sessions WHERE last_seq > 0 \
                 AND (REPLACE(id, '-', '') LIKE $2 OR REPLACE(id, '-', '') LIKE $3)",
                "LIMIT $4"
            );
            let most = Value::from(i64::try_from(FOUND_MAX).unwrap_or(i64::MAX));
            let pieces = [format!("{digits}%"), format!("%{digits}")].map(Value::from);
            let [begins, ends] = pieces;
            self.ids(sql, &[believed_until(), begins, ends, most]).await?
        };
        Ok(match ids.as_mut_slice() {
            [] => Found::None,
            [id] => Found::One(*id),
            _ => Found::Many(ids),
        })
    }

    /// The sessions of these sources that are not among the `keep` newest of them all, or in which nothing happened since
    /// a moment; those first that have been quiet for longest. Without either nothing has expired. A session with a time
    /// that is yet to come neither counts nor expires: it may be the newest of them all. One that works for another goes
    /// with that, and neither counts nor expires by itself. More sources than [`SOURCES_MAX`] are not looked at.
    pub async fn expired(
        &self,
        sources: &[&str],
        keep: Option<u32>,
        before: Option<Moment>,
        limit: u32,
    ) -> Result<Vec<SessionId>, Error> {
        let Some(any) = sources.first() else { return Ok(Vec::new()) };
        let sql = concat!(
            "SELECT id FROM (SELECT id, updated_at, \
             ROW_NUMBER() OVER (ORDER BY updated_at DESC, id DESC) AS place FROM sessions \
             WHERE last_seq > 0 AND updated_at <= $1 AND source IN ($5, $6, $7, $8, $9, $10, $11, $12, $13, \
             $14, $15, $16, $17, $18, $19, $20)",
            unled!(),
            ") AS ranked WHERE place > $2 OR updated_at < $3 ORDER BY updated_at, id LIMIT $4"
        );
        let keep = keep.map_or(i64::MAX, i64::from);
        let before = before.map_or(i64::MIN, Moment::as_millis);
        let mut values = vec![believed_until(), Value::from(keep), before.into(), limit.into()];
        values.extend((0..SOURCES_MAX).map(|place| Value::from(*sources.get(place).unwrap_or(any))));
        self.ids(sql, &values).await
    }

    /// When something last happened, of what happened until a moment; nothing if nothing did.
    pub async fn last_activity(&self, until: Moment) -> Result<Option<Moment>, Error> {
        let sql = "SELECT COALESCE(MAX(at), -1) AS at FROM (\
                   SELECT MAX(updated_at) AS at FROM sessions WHERE last_seq > 0 AND updated_at <= $1 \
                   UNION ALL SELECT MAX(started_at) AS at FROM runs WHERE started_at <= $1) AS activity";
        let rows = self.rows(sql, &[until.as_millis().into()]).await?;
        let at = self.read(rows.first().map(|row| row.int("at")).transpose())?;
        Ok(at.filter(|at| *at >= 0).map(Moment::from_millis))
    }

    pub(crate) async fn ids(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<SessionId>, Error> {
        let rows = self.rows(sql, values).await?;
        self.read(rows.iter().map(|row| row::session(row, "id")).collect())
    }

    async fn summaries(&self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<SessionSummary>, Error> {
        let rows = self.rows(sql, values).await?;
        self.read(rows.iter().map(summary).collect())
    }
}

/// The sessions of a folder, and all; so many after leaving out so many.
const IN_FOLDER: &str = summaries!("WHERE workspace = $4 AND last_seq > 0 ", "LIMIT $2 OFFSET $3");
const EVERYWHERE: &str = summaries!("WHERE last_seq > 0 ", "LIMIT $2 OFFSET $3");
/// The same without those that work for another one.
const UNLED_IN_FOLDER: &str = newest_first!(
    concat!(summaries!("WHERE workspace = $4 AND last_seq > 0 "), unled!()),
    "LIMIT $2 OFFSET $3"
);
const UNLED_EVERYWHERE: &str =
    newest_first!(concat!(summaries!("WHERE last_seq > 0 "), unled!()), "LIMIT $2 OFFSET $3");

fn believed_until() -> Value<'static> {
    Moment::now().as_millis().saturating_add(AHEAD_MAX_MS).into()
}

fn summary(row: &Row) -> Result<SessionSummary, sqlx::Error> {
    let id = row::session(row, "id")?;
    Ok(SessionSummary {
        id,
        name: row.text("name")?.to_owned(),
        source: row.text("source")?.to_owned(),
        workspace: row.text("workspace")?.to_owned(),
        instructions: row.text_or_null("instructions")?,
        parent: row::session_or_null(row, "parent")?,
        created_at: moment(row, "created_at")?,
        updated_at: moment(row, "updated_at")?,
        model: row.text_or_null("model")?,
        metrics: SessionMetrics {
            session_id: id,
            total_turns: count(row, "turns")?,
            total_tokens: usage(row)?,
            total_tool_calls: count(row, "tool_calls")?,
            total_duration_ms: count(row, "duration_ms")?,
            total_cost_usd: row.float("cost_usd")?,
        },
        message_count: count(row, "message_count")?,
        status: status(row, "status")?,
    })
}
