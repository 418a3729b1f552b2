//! One thin layer over both databases: a connection, what goes into a statement, what comes out of a row.
//!
//! Statements are shared. They are written in the SQL that both databases understand, with `$1` for what goes in; the
//! few places where the databases differ ask a connection which one it is.

use std::borrow::Cow;
use std::future::Future;
use std::io;
use std::time::Duration;

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, PgConnection, Row as _, SqliteConnection};

/// How long an answer of a PostgreSQL server is waited for. Its own limit for a statement is shorter: who does not say
/// a word for so long is gone, and only the network has not noticed.
const REPLY_WAIT_MAX: Duration = Duration::from_secs(45);

/// What stands in place of a NUL character, which PostgreSQL cannot store in a text. Both databases get it, so that
/// both give the same back.
const REPLACEMENT: &str = "\u{fffd}";

/// A connection to one of the two databases.
pub(crate) enum Connection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

/// What goes into a statement.
#[derive(Clone)]
pub(crate) enum Value<'v> {
    Int(i64),
    Float(Option<f64>),
    Text(Option<Cow<'v, str>>),
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(number: Option<f64>) -> Self {
        Self::Float(number)
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Self::Text(Some(storable(text)))
    }
}

impl<'v> From<&'v String> for Value<'v> {
    fn from(text: &'v String) -> Self {
        Self::from(text.as_str())
    }
}

impl<'v> From<Option<&'v str>> for Value<'v> {
    fn from(text: Option<&'v str>) -> Self {
        Self::Text(text.map(storable))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Some(Cow::Owned(storable(&text).into_owned())))
    }
}

fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', REPLACEMENT).into() } else { text.into() }
}

/// Binds every value to a query, whose type differs between the databases.
macro_rules! bound {
    ($sql:expr, $values:expr) => {
        $values.iter().fold(sqlx::query($sql), |query, value| match value {
            Value::Int(number) => query.bind(*number),
            Value::Float(number) => query.bind(*number),
            Value::Text(text) => query.bind(text.as_deref()),
        })
    };
}

impl Connection {
    /// Carries a statement out, and says how many rows it touched.
    pub(crate) async fn execute(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, sqlx::Error> {
        match self {
            Self::Sqlite(connection) => {
                bound!(sql, values).execute(connection).await.map(|done| done.rows_affected())
            }
            Self::Postgres(connection) => {
                answered(bound!(sql, values).execute(connection)).await.map(|done| done.rows_affected())
            }
        }
    }

    /// The rows that a question has for an answer.
    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, sqlx::Error> {
        match self {
            Self::Sqlite(connection) => {
                let rows = bound!(sql, values).fetch_all(connection).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            Self::Postgres(connection) => {
                let rows = answered(bound!(sql, values).fetch_all(connection)).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// Carries out statements that have nothing to fill in.
    pub(crate) async fn run(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection) => sqlx::raw_sql(sql).execute(connection).await.map(drop),
            Self::Postgres(connection) => answered(sqlx::raw_sql(sql).execute(connection)).await.map(drop),
        }
    }

    /// Whether one question may be several statements, of which any may have values.
    pub(crate) fn takes_several(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }

    /// Begins a transaction that will write.
    pub(crate) async fn begin(&mut self) -> Result<(), sqlx::Error> {
        match self {
            // Taken at once: a transaction that becomes a writing one later cannot wait for another writer.
            Self::Sqlite(_) => self.run("BEGIN IMMEDIATE").await,
            Self::Postgres(_) => self.run("BEGIN").await,
        }
    }

    pub(crate) async fn commit(&mut self) -> Result<(), sqlx::Error> {
        self.run("COMMIT").await
    }

    pub(crate) async fn rollback(&mut self) -> Result<(), sqlx::Error> {
        self.run("ROLLBACK").await
    }

    pub(crate) async fn close(self) {
        // What was acknowledged is on the disk; an error here costs nothing but the tidying up.
        let _ = match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::Postgres(connection) => answered(connection.close()).await,
        };
    }
}

async fn answered<T>(reply: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    tokio::time::timeout(REPLY_WAIT_MAX, reply)
        .await
        .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "the server does not answer").into()))
}

/// A row of an answer.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// Reads a column from whichever row it is.
macro_rules! column {
    ($row:expr, $column:expr) => {
        match $row {
            Row::Sqlite(row) => row.try_get($column),
            Row::Postgres(row) => row.try_get($column),
        }
    };
}

impl Row {
    pub(crate) fn int(&self, column: &str) -> Result<i64, sqlx::Error> {
        column!(self, column)
    }

    pub(crate) fn float(&self, column: &str) -> Result<f64, sqlx::Error> {
        column!(self, column)
    }

    pub(crate) fn text(&self, column: &str) -> Result<&str, sqlx::Error> {
        column!(self, column)
    }

    pub(crate) fn text_or_null(&self, column: &str) -> Result<Option<String>, sqlx::Error> {
        column!(self, column)
    }
}
