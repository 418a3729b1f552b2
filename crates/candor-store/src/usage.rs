//! What runs took and cost, added up.

use candor_protocol::{Moment, Usage};
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::row::{count, text, usage};
use crate::{Error, Store};

/// How many rows an answer has at most: far more than days or models ever give, and the most recent ten thousand of the
/// sessions.
pub const USAGE_ROWS_MAX: u32 = 10_000;

/// Sums by one expression. They are cast because PostgreSQL gives a wider type for them.
macro_rules! sums {
    ($key:literal) => {
        concat!(
            "SELECT ",
            $key,
            " AS key, CAST(COUNT(*) AS BIGINT) AS runs, CAST(SUM(turns) AS BIGINT) AS turns, \
             CAST(SUM(tool_calls) AS BIGINT) AS tool_calls, CAST(SUM(duration_ms) AS BIGINT) AS duration_ms, \
             CAST(SUM(input_tokens) AS BIGINT) AS input_tokens, \
             CAST(SUM(output_tokens) AS BIGINT) AS output_tokens, \
             CAST(SUM(total_tokens) AS BIGINT) AS total_tokens, \
             CAST(SUM(cache_read_tokens) AS BIGINT) AS cache_read_tokens, \
             CAST(SUM(cache_write_tokens) AS BIGINT) AS cache_write_tokens, \
             COALESCE(SUM(cost_usd), 0.0) AS cost_usd, \
             CAST(COUNT(*) - COUNT(cost_usd) AS BIGINT) AS unpriced_runs \
             FROM runs WHERE ended_at IS NOT NULL AND started_at >= $1 \
             GROUP BY 1 ORDER BY MAX(started_at) DESC, 1 LIMIT $2"
        )
    };
}

/// How many milliseconds a day has.
const DAY_MS: i64 = 86_400_000;

/// By what to add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// By the day, in UTC, on which a run began: `2025-02-11`.
    Day,
    /// By model.
    Model,
    /// By session.
    Session,
}

/// What some runs took together. Runs that have not ended are not among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// The day, the model or the session.
    pub key: String,
    /// How many runs.
    pub runs: u64,
    /// How many turns they had.
    pub turns: u64,
    /// How many tools they called.
    pub tool_calls: u64,
    /// How many tokens.
    pub usage: Usage,
    /// What they cost, as far as prices are known.
    pub cost_usd: f64,
    /// How many of the runs have no known price.
    pub unpriced_runs: u64,
    /// How long they took.
    pub duration_ms: u64,
}

impl Store {
    /// What runs took, the most recent first; with `since`, only runs that began then or later.
    pub async fn usage(&self, by: Grouping, since: Option<Moment>) -> Result<Vec<UsageRow>, Error> {
        let question = match by {
            Grouping::Day => sqlx::query(sums!("CAST(started_at / 86400000 AS TEXT)")),
            Grouping::Model => sqlx::query(sums!("COALESCE(model, 'unknown')")),
            Grouping::Session => sqlx::query(sums!("session_id")),
        };
        let question =
            question.bind(since.map_or(i64::MIN, Moment::as_millis)).bind(i64::from(USAGE_ROWS_MAX));
        let rows = self.rows(question).await?;
        let rows = rows.iter().map(|row| read(row, by)).collect::<Result<_, _>>();
        rows.map_err(|error| Error::database(&self.path, &error))
    }
}

fn read(row: &SqliteRow, by: Grouping) -> Result<UsageRow, sqlx::Error> {
    let key = text(row, "key")?;
    Ok(UsageRow {
        key: match by {
            Grouping::Day => date(&key),
            Grouping::Model | Grouping::Session => key,
        },
        runs: count(row, "runs")?,
        turns: count(row, "turns")?,
        tool_calls: count(row, "tool_calls")?,
        usage: usage(row)?,
        cost_usd: row.try_get("cost_usd")?,
        unpriced_runs: count(row, "unpriced_runs")?,
        duration_ms: count(row, "duration_ms")?,
    })
}

/// The date of the so-many-th day since 1970. Made here, because the databases have no function for it in common.
fn date(day: &str) -> String {
    let millis = day.parse::<i64>().unwrap_or_default().saturating_mul(DAY_MS);
    Moment::from_millis(millis).to_string().chars().take_while(|c| *c != 'T').collect()
}
