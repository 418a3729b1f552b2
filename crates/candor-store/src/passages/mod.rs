//! Passages of files, found by their words: the index of a context pack.
//!
//! It only repeats what is in a pack and in its files, and can be thrown away and filled anew at any time. So it is a file
//! of its own, is never upgraded, and whatever is wrong with it is damage that its caller repairs by filling it again.

mod filling;
mod terms;

pub use filling::{Filling, PASSAGES_AT_ONCE, Prepared};

use std::fs;
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, Row, SqliteConnection};

use crate::{Error, file};

/// How long to wait for another process that fills it.
const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);

/// How many hits an answer has at most.
pub const PASSAGES_MAX: u32 = 1_000;

/// A word that so many passages have tells them apart no more than "the" does, and to weigh all of them takes long.
const FREQUENT: u32 = 2_000;

/// How much of a new index is kept in memory while it is filled, in the form that SQLite takes. What does not fit is written more
/// than once.
const NEW_CACHE_KIB: &str = "-32768";

/// The names of the files that SQLite keeps beside a database end so.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// Terms are made here, separated by spaces, and the tokeniser named here splits them nowhere else, but takes the forms of
/// an English word for one. The texts are not kept. A word in a title says more than one in a path or in a name that is defined, and these more than any other.
const TABLES: &str = "
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS passages (key INTEGER PRIMARY KEY, path TEXT NOT NULL, about TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passages_by_path ON passages (path);
CREATE VIRTUAL TABLE IF NOT EXISTS terms
    USING fts5(title, path, names, body, content='', contentless_delete=1, tokenize='porter ascii');
";

const FOUND: &str = "
SELECT p.about AS about, h.score AS score
FROM (SELECT rowid AS key, rank AS score FROM terms
      WHERE terms MATCH $1 AND rank MATCH 'bm25(8.0, 4.0, 3.0, 1.0)' ORDER BY rank LIMIT $2) AS h
JOIN passages p ON p.key = h.key ORDER BY h.score, p.key";

/// A part of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    /// The file.
    pub path: String,
    /// What it is called.
    pub title: String,
    /// What is defined in it.
    pub names: String,
    /// All of its words.
    pub text: String,
    /// What its finder is given: the index does not look into it.
    pub about: String,
}

/// A passage in which something was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPassage {
    /// What was said about it when it was put in.
    pub about: String,
    /// How well it fits, by BM25; more is better.
    pub score: f64,
}

/// An index of passages.
pub struct Passages {
    name: String,
    connection: SqliteConnection,
    /// What goes wrong while it is filled cannot be taken back, but only be thrown away with all of it.
    is_new: bool,
}

impl Passages {
    /// Opens the file, or makes it.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        // Whoever made the folder may have put a link to another database there; it is the link that goes.
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(Error::unavailable(&path.display().to_string(), "it is a link"));
        }
        file::prepare(path)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            // A cut of the power may take the last change away, and does not leave half of one.
            .synchronous(SqliteSynchronous::Normal);
        Self::ready(path.display().to_string(), options, false).await
    }

    /// Makes the file, which must not be there, to be filled from nothing: each page is written once, and nothing could be taken
    /// back. What the index was filled from is noted when all of it is on the disk, so that an index that has no such note, or
    /// cannot be read, was not finished.
    pub async fn create(path: &Path) -> Result<Self, Error> {
        file::prepare(path)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Off)
            .synchronous(SqliteSynchronous::Normal)
            .pragma("cache_size", NEW_CACHE_KIB);
        Self::ready(path.display().to_string(), options, true).await
    }

    /// An index that is in no file, for where none can be written.
    pub async fn in_memory() -> Result<Self, Error> {
        Self::ready("(memory)".to_owned(), SqliteConnectOptions::new().in_memory(true), false).await
    }

    /// Removes the file and what is beside it. Nobody must be filling it.
    pub fn remove(path: &Path) -> std::io::Result<()> {
        let beside = BESIDE.iter().map(|end| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            name.into()
        });
        for file in std::iter::once(path.to_owned()).chain(beside) {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    async fn ready(name: String, options: SqliteConnectOptions, is_new: bool) -> Result<Self, Error> {
        let options = options
            .busy_timeout(BUSY_WAIT_MAX)
            // The file may come from someone else: it must not bring along code that runs.
            .pragma("trusted_schema", "OFF")
            .pragma("cell_size_check", "ON")
            .pragma("temp_store", "MEMORY")
            .thread_name(|_| "candor-store-passages".to_owned())
            .disable_statement_logging();
        let connected = async {
            let mut connection = options.connect().await?;
            sqlx::raw_sql(TABLES).execute(&mut connection).await?;
            Ok(connection)
        };
        let connection = connected.await.map_err(|error: sqlx::Error| Error::database(&name, &error))?;
        Ok(Self { name, connection, is_new })
    }

    /// What it was filled from, as it was said then; nothing if it is empty.
    pub async fn mark(&mut self) -> Result<Option<String>, Error> {
        let mark = sqlx::query_scalar("SELECT value FROM meta WHERE key = 'mark'");
        mark.fetch_optional(&mut self.connection).await.map_err(|error| Error::database(&self.name, &error))
    }

    /// How many passages it has.
    pub async fn count(&mut self) -> Result<u64, Error> {
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM passages");
        let count: i64 = count
            .fetch_one(&mut self.connection)
            .await
            .map_err(|error| Error::database(&self.name, &error))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Begins a change.
    pub async fn fill(&mut self) -> Result<Filling<'_>, Error> {
        let name = self.name.as_str();
        let begun = async {
            let mut transaction = self.connection.begin_with("BEGIN IMMEDIATE").await?;
            let last: Option<i64> =
                sqlx::query_scalar("SELECT MAX(key) FROM passages").fetch_one(&mut *transaction).await?;
            Ok((transaction, last.unwrap_or(0) + 1))
        };
        let (transaction, next) = begun.await.map_err(|error: sqlx::Error| Error::database(name, &error))?;
        Ok(Filling::new(name, transaction, next, self.is_new))
    }

    /// The passages that fit best, the best first: those with all words, or if these are fewer than wanted, with
    /// any that tells something.
    pub async fn search(&mut self, text: &str, limit: u32) -> Result<Vec<FoundPassage>, Error> {
        let Some(query) = terms::Query::of(text) else { return Ok(Vec::new()) };
        let limit = limit.min(PASSAGES_MAX);
        let all = self.found(&query.all(), limit).await?;
        if all.len() >= limit as usize || query.words().len() == 1 {
            return Ok(all);
        }
        let mut telling = Vec::new();
        for word in query.words() {
            if !self.is_frequent(&word).await? {
                telling.push(word);
            }
        }
        if telling.is_empty() && !all.is_empty() {
            return Ok(all);
        }
        let any = if telling.is_empty() { query.words() } else { telling };
        self.found(&any.join(" OR "), limit).await
    }

    async fn is_frequent(&mut self, word: &str) -> Result<bool, Error> {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM terms WHERE terms MATCH $1 LIMIT $2)";
        let count = sqlx::query_scalar(sql).bind(word).bind(FREQUENT).fetch_one(&mut self.connection).await;
        let count: i64 = count.map_err(|error| Error::database(&self.name, &error))?;
        Ok(count >= i64::from(FREQUENT))
    }

    async fn found(&mut self, words: &str, limit: u32) -> Result<Vec<FoundPassage>, Error> {
        let rows = sqlx::query(FOUND).bind(words).bind(limit).fetch_all(&mut self.connection).await;
        let found = rows.and_then(|rows| {
            let found = rows.iter().map(|row| {
                let score: f64 = row.try_get("score")?;
                // SQLite counts down from nought, so that the best come first.
                Ok(FoundPassage { about: row.try_get("about")?, score: -score })
            });
            found.collect()
        });
        found.map_err(|error| Error::database(&self.name, &error))
    }

    /// Looks whether the file is whole; this reads all of it.
    pub async fn check(&mut self) -> Result<(), Error> {
        let finding = sqlx::query_scalar("SELECT integrity_check FROM pragma_integrity_check LIMIT 1");
        let checked = async {
            let finding: String = finding.fetch_one(&mut self.connection).await?;
            sqlx::query("INSERT INTO terms (terms) VALUES ('integrity-check')")
                .execute(&mut self.connection)
                .await?;
            Ok(finding)
        };
        match checked.await.map_err(|error: sqlx::Error| Error::database(&self.name, &error))?.as_str() {
            "ok" => Ok(()),
            finding => Err(Error::damaged(&self.name, finding)),
        }
    }

    /// Closes it and tidies up beside it.
    pub async fn close(mut self) {
        if self.is_new {
            // If it stays as it is, the next one to open it will do this.
            let _ = sqlx::raw_sql("PRAGMA journal_mode = WAL").execute(&mut self.connection).await;
        }
        // What it could not tidy up, the next one to open it will.
        let _ = self.connection.close().await;
    }
}

impl std::fmt::Debug for Passages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Passages").field("name", &self.name).finish_non_exhaustive()
    }
}
