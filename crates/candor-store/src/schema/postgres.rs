//! The tables in the current schema of a PostgreSQL database.

use sqlx::{Connection, PgConnection};

use super::{FIRST, Found, SECOND, THIRD, VERSION};

/// Words, found by the entry they are in.
const WORDS: &str = "
CREATE TABLE words (
    key BIGINT PRIMARY KEY REFERENCES entries (key) ON DELETE CASCADE,
    words TSVECTOR NOT NULL
);
CREATE INDEX words_inverted ON words USING gin (words);
";

/// The tables that must be there.
const NAMES: [&str; 9] =
    ["meta", "sessions", "runs", "events", "contexts", "marks", "entries", "words", "parents"];
/// How many of them the second version had.
const SECOND_COUNT: usize = 8;

/// Two processes that make the same tables at once are in each other's way even with `IF NOT EXISTS`. So one at a time;
/// the number means nothing but this.
const MAKING_LOCK: i64 = 0x0063_616e_646f_7201;

pub(super) async fn ready(connection: &mut PgConnection) -> Result<Found, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(MAKING_LOCK).execute(&mut *transaction).await?;
    let found = inspect(&mut transaction).await?;
    let missing: &[&'static str] = match found {
        Found::Empty => &[FIRST, SECOND, WORDS, THIRD],
        Found::Earlier(_) => &[THIRD],
        Found::Ours | Found::Newer | Found::Foreign => &[],
    };
    for definitions in missing {
        sqlx::raw_sql(*definitions).execute(&mut *transaction).await?;
    }
    if !missing.is_empty() {
        sqlx::query(
            "INSERT INTO meta (key, value) VALUES ('version', $1) \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        )
        .bind(VERSION.to_string())
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    Ok(found)
}

async fn inspect(connection: &mut PgConnection) -> Result<Found, sqlx::Error> {
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")
            .fetch_all(&mut *connection)
            .await?;
    let ours = NAMES.iter().filter(|name| tables.iter().any(|table| table == *name)).count();
    if ours == 0 {
        return Ok(Found::Empty);
    }
    let has_version: Option<i32> = sqlx::query_scalar(
        "SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() \
         AND table_name = 'meta' AND column_name = 'value' AND data_type = 'text'",
    )
    .fetch_optional(&mut *connection)
    .await?;
    if has_version.is_none() {
        return Ok(Found::Foreign);
    }
    let version: Option<String> = sqlx::query_scalar("SELECT value FROM meta WHERE key = 'version'")
        .fetch_optional(&mut *connection)
        .await?;
    // There was no first version in PostgreSQL.
    Ok(match version.and_then(|version| version.parse::<u32>().ok()) {
        Some(VERSION) if ours == NAMES.len() => Found::Ours,
        Some(2) if ours == SECOND_COUNT => Found::Earlier(2),
        Some(version) if version > VERSION => Found::Newer,
        Some(_) | None => Found::Foreign,
    })
}
