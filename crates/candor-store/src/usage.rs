//! What runs took and cost, added up.

use candor_protocol::{Moment, Usage};
use serde::{Deserialize, Serialize};

use crate::row::{count, usage};
use crate::sql::{Row, Value};
use crate::{Error, Store};

/// How many rows an answer has at most: far more than days or models ever give, and the most recent ten thousand of the
/// sessions.
pub const USAGE_ROWS_MAX: u32 = 10_000;

/// Sums by one expression. They are cast because PostgreSQL gives a wider type for them. A title that a model thought of
/// has no status and no price: its tokens count, and it is not a run.
macro_rules! sums {
    ($key:literal) => {
        concat!(
            "SELECT ",
            $key,
            " AS key, CAST(COUNT(status) AS BIGINT) AS runs, CAST(SUM(turns) AS BIGINT) AS turns, \
             CAST(SUM(tool_calls) AS BIGINT) AS tool_calls, CAST(SUM(duration_ms) AS BIGINT) AS duration_ms, \
             CAST(SUM(input_tokens) AS BIGINT) AS input_tokens, \
             CAST(SUM(output_tokens) AS BIGINT) AS output_tokens, \
             CAST(SUM(total_tokens) AS BIGINT) AS total_tokens, \
             CAST(SUM(cache_read_tokens) AS BIGINT) AS cache_read_tokens, \
             CAST(SUM(cache_write_tokens) AS BIGINT) AS cache_write_tokens, \
             COALESCE(SUM(cost_usd), 0.0) AS cost_usd, \
             CAST(COUNT(status) - COUNT(cost_usd) AS BIGINT) AS unpriced_runs \
             FROM runs WHERE ended_at IS NOT NULL AND started_at >= $1 \
             AND session_id NOT IN (SELECT id FROM sessions WHERE last_seq < 0) \
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
        let sql = match by {
            Grouping::Day => sums!("CAST(started_at / 86400000 AS TEXT)"),
            Grouping::Model => sums!("COALESCE(model, 'unknown')"),
            Grouping::Session => sums!("session_id"),
        };
        let since = since.map_or(i64::MIN, Moment::as_millis);
        let rows = self.rows(sql, &[since.into(), Value::from(USAGE_ROWS_MAX)]).await?;
        self.read(rows.iter().map(|row| read(row, by)).collect())
    }
}

fn read(row: &Row, by: Grouping) -> Result<UsageRow, sqlx::Error> {
    let key = row.text("key")?;
    Ok(UsageRow {
        key: match by {
            Grouping::Day => date(key),
            Grouping::Model | Grouping::Session => key.to_owned(),
        },
        runs: count(row, "runs")?,
        turns: count(row, "turns")?,
        tool_calls: count(row, "tool_calls")?,
        usage: usage(row)?,
        cost_usd: row.float("cost_usd")?,
        unpriced_runs: count(row, "unpriced_runs")?,
        duration_ms: count(row, "duration_ms")?,
    })
}

/// The date of the so-many-th day since 1970. Made here, because the databases have no function for it in common.
fn date(day: &str) -> String {
    let millis = day.parse::<i64>().unwrap_or_default().saturating_mul(DAY_MS);
    Moment::from_millis(millis).to_string().chars().take_while(|c| *c != 'T').collect()
}
