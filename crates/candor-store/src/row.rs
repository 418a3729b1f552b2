//! Numbers and words, to and from columns.

use candor_protocol::{Moment, Status, Usage};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as NotAWord;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// The largest count that is stored. Counts come from providers, who are not to be trusted with an overflow: millions
/// of these still add up.
const COUNT_MAX: u64 = 1 << 40;

/// A count, as a column holds it.
pub(crate) fn to_column(count: u64) -> i64 {
    i64::try_from(count.min(COUNT_MAX)).unwrap_or(i64::MAX)
}

/// A cost, as a column holds it: one that is no number is one that is not known.
pub(crate) fn cost_to_column(cost_usd: Option<f64>) -> Option<f64> {
    cost_usd.filter(|cost| cost.is_finite())
}

pub(crate) fn text(row: &SqliteRow, column: &str) -> Result<String, sqlx::Error> {
    row.try_get(column)
}

/// A count is never below nothing.
pub(crate) fn count(row: &SqliteRow, column: &str) -> Result<u64, sqlx::Error> {
    u64::try_from(row.try_get::<i64, _>(column)?)
        .map_err(|error| sqlx::Error::ColumnDecode { index: column.to_owned(), source: error.into() })
}

pub(crate) fn moment(row: &SqliteRow, column: &str) -> Result<Moment, sqlx::Error> {
    row.try_get(column).map(Moment::from_millis)
}

pub(crate) fn status(row: &SqliteRow, column: &str) -> Result<Option<Status>, sqlx::Error> {
    let Some(word) = row.try_get::<Option<String>, _>(column)? else { return Ok(None) };
    let status = Status::deserialize(word.as_str().into_deserializer());
    status.map(Some).map_err(|error: NotAWord| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: error.into(),
    })
}

pub(crate) fn usage(row: &SqliteRow) -> Result<Usage, sqlx::Error> {
    Ok(Usage {
        input_tokens: count(row, "input_tokens")?,
        output_tokens: count(row, "output_tokens")?,
        total_tokens: count(row, "total_tokens")?,
        cache_read_tokens: count(row, "cache_read_tokens")?,
        cache_write_tokens: count(row, "cache_write_tokens")?,
    })
}
