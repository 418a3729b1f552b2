//! One question to a database that is not ours.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::TryStreamExt;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Column, ConnectOptions, Connection, Row, ValueRef};

/// How many rows are given.
const ROWS_MAX: usize = 100;
/// How long another writer is waited for.
const BUSY_WAIT_MAX: Duration = Duration::from_secs(1);

/// A database that is not ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Foreign {
    /// A SQLite file. It is not changed.
    File(PathBuf),
    /// A PostgreSQL server.
    Postgres(String),
}

/// The rows that a question has for an answer: a line each, with tabs between the values; or one sentence why not.
///
/// The question is somebody else's text and is sent as it is; a file is opened so that nothing can be written.
pub async fn ask(place: &Foreign, query: &str) -> Result<String, String> {
    match place {
        Foreign::File(path) => {
            if !only_reads(query) {
                return Err("a file is only asked questions: one SELECT, WITH or PRAGMA".to_owned());
            }
            let options =
                SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(BUSY_WAIT_MAX);
            let mut connection = options.connect().await.map_err(|error| said(&error))?;
            let rows = of_file(&mut connection, query).await;
            let _ = connection.close().await;
            rows
        }
        Foreign::Postgres(url) => {
            let options: PgConnectOptions = url.parse().map_err(|error| said(&error))?;
            let mut connection = options.connect().await.map_err(|error| said(&error))?;
            let rows = of_server(&mut connection, query).await;
            let _ = connection.close().await;
            rows
        }
    }
}

/// Whether a query is a single question. Even where nothing can be written to the file itself, `ATTACH` would open another one
/// and `VACUUM INTO` make one.
fn only_reads(query: &str) -> bool {
    let query = query.trim().trim_end_matches(';').trim_end();
    let first: String = query.chars().take_while(char::is_ascii_alphabetic).collect();
    let is_question = ["select", "with", "pragma"].iter().any(|word| first.eq_ignore_ascii_case(word));
    is_question && !query.contains(';')
}

async fn of_file(connection: &mut SqliteConnection, query: &str) -> Result<String, String> {
    let rows = sqlx::raw_sql(AssertSqlSafe(query.to_owned())).fetch(connection);
    let mut rows = std::pin::pin!(rows);
    let mut lines = Vec::new();
    while let Some(row) = rows.try_next().await.map_err(|error| said(&error))? {
        let value =
            |row: &SqliteRow, at: usize| row.try_get_unchecked::<Option<String>, _>(at).ok().flatten();
        lines.push(line(&row, value));
        if lines.len() == ROWS_MAX {
            break;
        }
    }
    Ok(lines.join("\n"))
}

async fn of_server(connection: &mut PgConnection, query: &str) -> Result<String, String> {
    // A plain query is answered in text, whatever the types are.
    let rows = sqlx::raw_sql(AssertSqlSafe(query.to_owned())).fetch(connection);
    let mut rows = std::pin::pin!(rows);
    let mut lines = Vec::new();
    while let Some(row) = rows.try_next().await.map_err(|error| said(&error))? {
        let value = |row: &PgRow, at: usize| {
            let raw = row.try_get_raw(at).ok().filter(|raw| !raw.is_null())?;
            raw.as_str().ok().map(str::to_owned)
        };
        lines.push(line(&row, value));
        if lines.len() == ROWS_MAX {
            break;
        }
    }
    Ok(lines.join("\n"))
}

fn line<R: Row>(row: &R, value: impl Fn(&R, usize) -> Option<String>) -> String {
    let values =
        row.columns().iter().map(|column| value(row, column.ordinal()).unwrap_or_else(|| "NULL".to_owned()));
    values.collect::<Vec<_>>().join("\t")
}

fn said(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        error => error.to_string(),
    }
}
