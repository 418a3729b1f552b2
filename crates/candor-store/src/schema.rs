//! The tables, and how an opened database is found to have them.

use std::path::Path;

use sqlx::{Connection, SqliteConnection};

use crate::error::{Error, is_refused};

/// The version of the tables and of what is in them. A new kind of event raises it too: a program that does not know
/// the kind must not take it for damage.
const VERSION: u32 = 1;

/// Everything at once. `events` is what happened; `sessions` and `runs` only repeat it in the form in which lists and
/// totals want it. There is no index on `updated_at`: it would be written at every append, and sessions are few.
const TABLES: &str = "
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    workspace TEXT NOT NULL,
    instructions TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    model TEXT,
    status TEXT,
    message_count BIGINT NOT NULL DEFAULT 0,
    turns BIGINT NOT NULL DEFAULT 0,
    tool_calls BIGINT NOT NULL DEFAULT 0,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    total_tokens BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0,
    duration_ms BIGINT NOT NULL DEFAULT 0,
    cost_usd DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_workspace ON sessions (workspace);
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    model TEXT,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    status TEXT,
    turns BIGINT NOT NULL DEFAULT 0,
    tool_calls BIGINT NOT NULL DEFAULT 0,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    total_tokens BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0,
    duration_ms BIGINT NOT NULL DEFAULT 0,
    cost_usd DOUBLE PRECISION
);
CREATE INDEX runs_by_session ON runs (session_id);
CREATE TABLE events (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    run_id TEXT,
    at_ms BIGINT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
);
";

/// What an opened database turned out to be.
enum Found {
    /// One of ours, of this version.
    Ours,
    /// One of ours, of a later version.
    Newer,
    /// Nothing yet.
    Empty,
    /// Something that we did not write, or not like this.
    Foreign,
}

/// Sees that the tables are there, and makes them in a database that is empty.
pub(crate) async fn ready(connection: &mut SqliteConnection, path: &Path) -> Result<(), Error> {
    let wrong = |error: sqlx::Error| Error::database(path, &error);
    let found = match inspect(connection).await {
        Err(error) if is_refused(&error) => make(connection).await.map_err(wrong)?,
        found => found.map_err(wrong)?,
    };
    match found {
        Found::Ours | Found::Empty => Ok(()),
        Found::Newer => Err(Error::Newer { path: path.to_owned() }),
        Found::Foreign => Err(Error::damaged(path, "its tables are not as Candor makes them")),
    }
}

/// Looks at the version, and whether every table is as it was made. A damaged definition must be found here: the library
/// below panics over some of them when it is asked for rows.
async fn inspect(connection: &mut SqliteConnection) -> Result<Found, sqlx::Error> {
    // Bytes, because damaged text may be no text.
    let mut rows: Vec<Vec<u8>> = sqlx::query_scalar(
        "SELECT CAST(value AS BLOB) FROM meta WHERE key = 'version' \
         UNION ALL SELECT CAST(sql AS BLOB) FROM sqlite_master WHERE sql IS NOT NULL",
    )
    .fetch_all(connection)
    .await?;
    let definitions = rows.split_off(rows.len().min(1));
    let version = rows.first().and_then(|version| str::from_utf8(version).ok()?.parse::<u32>().ok());
    let whole = || statements().all(|made| definitions.iter().any(|found| found == made.as_bytes()));
    Ok(match version {
        Some(VERSION) if whole() => Found::Ours,
        Some(version) if version > VERSION => Found::Newer,
        Some(_) | None => Found::Foreign,
    })
}

/// The statements one by one, as SQLite keeps them.
fn statements() -> impl Iterator<Item = &'static str> {
    TABLES.split(';').map(str::trim).filter(|statement| !statement.is_empty())
}

/// Makes the tables, unless another process did so while this one waited for its turn.
async fn make(connection: &mut SqliteConnection) -> Result<Found, sqlx::Error> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let tables: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_master").fetch_one(&mut *transaction).await?;
    let found = if tables == 0 {
        sqlx::raw_sql(TABLES).execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO meta (key, value) VALUES ('version', $1)")
            .bind(VERSION.to_string())
            .execute(&mut *transaction)
            .await?;
        Found::Empty
    } else {
        match inspect(&mut transaction).await {
            Err(error) if is_refused(&error) => Found::Foreign,
            found => found?,
        }
    };
    transaction.commit().await?;
    Ok(found)
}
