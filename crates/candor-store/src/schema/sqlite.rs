//! The tables in a SQLite file.

use sqlx::{Connection, SqliteConnection};

use super::{FIRST, Found, SECOND, THIRD, VERSION, statements};
use crate::error::is_refused;

/// Words, found by the entry they are in. They come out of our own tokeniser, separated by spaces, and the one named here
/// splits them nowhere else. The words themselves are not kept, nor where in a text they were: the text is in `events`.
const WORDS: &str = "
CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='ascii');
";

pub(super) async fn ready(connection: &mut SqliteConnection) -> Result<Found, sqlx::Error> {
    match inspect(connection).await {
        Ok(Found::Earlier(_)) => make(connection).await,
        Err(error) if is_refused(&error) => make(connection).await,
        found => found,
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
    let has = |made: &str| definitions.iter().any(|found| found == made.as_bytes());
    let first = || statements(FIRST).all(has);
    let second = || statements(SECOND).chain(statements(WORDS)).all(has);
    let third = || statements(THIRD).all(has);
    Ok(match version {
        Some(VERSION) if first() && second() && third() => Found::Ours,
        Some(2) if first() && second() => Found::Earlier(2),
        Some(1) if first() => Found::Earlier(1),
        Some(version) if version > VERSION => Found::Newer,
        Some(_) | None => Found::Foreign,
    })
}

/// Makes the tables, or those that are missing, unless another process did so while this one waited for its turn.
async fn make(connection: &mut SqliteConnection) -> Result<Found, sqlx::Error> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let tables: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_master").fetch_one(&mut *transaction).await?;
    let found = if tables == 0 {
        sqlx::raw_sql(FIRST).execute(&mut *transaction).await?;
        Found::Empty
    } else {
        match inspect(&mut transaction).await {
            Err(error) if is_refused(&error) => Found::Foreign,
            found => found?,
        }
    };
    if matches!(found, Found::Empty | Found::Earlier(1)) {
        sqlx::raw_sql(SECOND).execute(&mut *transaction).await?;
        sqlx::raw_sql(WORDS).execute(&mut *transaction).await?;
    }
    if matches!(found, Found::Empty | Found::Earlier(_)) {
        sqlx::raw_sql(THIRD).execute(&mut *transaction).await?;
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
