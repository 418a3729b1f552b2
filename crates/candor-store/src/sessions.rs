//! Questions about sessions.

use candor_protocol::{Moment, SessionId, Status, Usage};
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::row::{count, moment, status, text, usage};
use crate::{Error, Store};

/// How many sessions [`Found::Many`] names: as many as a person reads to choose one.
pub const FOUND_MAX: usize = 20;

/// Fewer digits than this are rather a mistake than the name of a session.
const DIGITS_MIN: usize = 4;

/// An id has this many digits.
const DIGITS_MAX: usize = 32;

/// The columns of a summary; the rest of the statement says which sessions.
macro_rules! summaries {
    ($which:literal) => {
        concat!(
            "SELECT id, name, source, workspace, instructions, created_at, updated_at, model, status, \
             message_count, turns, tool_calls, input_tokens, output_tokens, total_tokens, cache_read_tokens, \
             cache_write_tokens, duration_ms, cost_usd FROM sessions ",
            $which
        )
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
        let question = sqlx::query(summaries!("WHERE id = $1")).bind(id.to_string());
        let rows = self.rows(question).await?;
        rows.first().map(|row| self.summary(row)).transpose()
    }

    /// Sessions, those with the newest activity first.
    pub async fn sessions(&self, filter: &Filter) -> Result<Vec<SessionSummary>, Error> {
        let question = match &filter.workspace {
            Some(workspace) => sqlx::query(summaries!(
                "WHERE workspace = $3 ORDER BY updated_at DESC, id DESC LIMIT $1 OFFSET $2"
            ))
            .bind(i64::from(filter.limit))
            .bind(i64::from(filter.offset))
            .bind(workspace),
            None => sqlx::query(summaries!("ORDER BY updated_at DESC, id DESC LIMIT $1 OFFSET $2"))
                .bind(i64::from(filter.limit))
                .bind(i64::from(filter.offset)),
        };
        let rows = self.rows(question).await?;
        rows.iter().map(|row| self.summary(row)).collect()
    }

    /// The session of a folder in which something happened last.
    pub async fn latest(&self, workspace: &str) -> Result<Option<SessionId>, Error> {
        let question = sqlx::query(
            "SELECT id FROM sessions WHERE workspace = $1 ORDER BY updated_at DESC, id DESC LIMIT 1",
        )
        .bind(workspace);
        Ok(self.ids(question).await?.first().copied())
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
        let question = if let Ok(id) = digits.parse::<SessionId>() {
            sqlx::query("SELECT id FROM sessions WHERE id = $1").bind(id.to_string())
        } else {
            sqlx::query(
                "SELECT id FROM sessions WHERE REPLACE(id, '-', '') LIKE $1 OR REPLACE(id, '-', '') LIKE $2 \
                 ORDER BY updated_at DESC, id DESC LIMIT $3",
            )
            .bind(format!("{digits}%"))
            .bind(format!("%{digits}"))
            .bind(i64::try_from(FOUND_MAX).unwrap_or(i64::MAX))
        };
        let mut ids = self.ids(question).await?;
        Ok(match ids.as_mut_slice() {
            [] => Found::None,
            [id] => Found::One(*id),
            _ => Found::Many(ids),
        })
    }

    async fn ids(
        &self,
        question: sqlx::query::Query<'_, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>,
    ) -> Result<Vec<SessionId>, Error> {
        let rows = self.rows(question).await?;
        let ids = rows.iter().map(id).collect::<Result<_, _>>();
        ids.map_err(|error| Error::database(&self.path, &error))
    }

    fn summary(&self, row: &SqliteRow) -> Result<SessionSummary, Error> {
        summary(row).map_err(|error| Error::database(&self.path, &error))
    }
}

fn id(row: &SqliteRow) -> Result<SessionId, sqlx::Error> {
    text(row, "id")?
        .parse()
        .map_err(|error| sqlx::Error::ColumnDecode { index: "id".to_owned(), source: Box::new(error) })
}

fn summary(row: &SqliteRow) -> Result<SessionSummary, sqlx::Error> {
    let id = id(row)?;
    Ok(SessionSummary {
        id,
        name: text(row, "name")?,
        source: text(row, "source")?,
        workspace: text(row, "workspace")?,
        instructions: row.try_get("instructions")?,
        created_at: moment(row, "created_at")?,
        updated_at: moment(row, "updated_at")?,
        model: row.try_get("model")?,
        metrics: SessionMetrics {
            session_id: id,
            total_turns: count(row, "turns")?,
            total_tokens: usage(row)?,
            total_tool_calls: count(row, "tool_calls")?,
            total_duration_ms: count(row, "duration_ms")?,
            total_cost_usd: row.try_get("cost_usd")?,
        },
        message_count: count(row, "message_count")?,
        status: status(row, "status")?,
    })
}
