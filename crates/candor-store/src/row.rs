//! Numbers and words, to and from columns.

use candor_protocol::{Moment, SessionId, Status, Usage};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as NotAWord;

use crate::sql::Row;

/// The largest count that is stored. Counts come from providers, who are not to be trusted with an overflow: millions
/// of these still add up.
const COUNT_MAX: u64 = 1 << 40;

/// A count, as a column holds it.
pub(crate) fn to_column(count: u64) -> i64 {
    i64::try_from(count.min(COUNT_MAX)).unwrap_or(i64::MAX)
}

/// The number of an event, as a column holds it. In range: every stored number follows one that is.
pub(crate) fn seq_to_column(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

/// A cost, as a column holds it: one that is no number is one that is not known.
pub(crate) fn cost_to_column(cost_usd: Option<f64>) -> Option<f64> {
    cost_usd.filter(|cost| cost.is_finite())
}

/// A count is never below nothing.
pub(crate) fn count(row: &Row, column: &str) -> Result<u64, sqlx::Error> {
    u64::try_from(row.int(column)?).map_err(|error| wrong(column, error))
}

pub(crate) fn moment(row: &Row, column: &str) -> Result<Moment, sqlx::Error> {
    row.int(column).map(Moment::from_millis)
}

pub(crate) fn session(row: &Row, column: &str) -> Result<SessionId, sqlx::Error> {
    row.text(column)?.parse().map_err(|error| wrong(column, error))
}

pub(crate) fn session_or_null(row: &Row, column: &str) -> Result<Option<SessionId>, sqlx::Error> {
    let Some(id) = row.text_or_null(column)? else { return Ok(None) };
    id.parse().map(Some).map_err(|error| wrong(column, error))
}

pub(crate) fn status(row: &Row, column: &str) -> Result<Option<Status>, sqlx::Error> {
    let Some(word) = row.text_or_null(column)? else { return Ok(None) };
    let status = Status::deserialize(word.as_str().into_deserializer());
    status.map(Some).map_err(|error: NotAWord| wrong(column, error))
}

pub(crate) fn usage(row: &Row) -> Result<Usage, sqlx::Error> {
    Ok(Usage {
        input_tokens: count(row, "input_tokens")?,
        output_tokens: count(row, "output_tokens")?,
        total_tokens: count(row, "total_tokens")?,
        cache_read_tokens: count(row, "cache_read_tokens")?,
        cache_write_tokens: count(row, "cache_write_tokens")?,
    })
}

/// A column that holds something else than we put into it.
pub(crate) fn wrong(column: &str, error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: column.to_owned(), source: Box::new(error) }
}
