//! Puts passages into an index.

use sqlx::{QueryBuilder, Sqlite, Transaction};

use super::{Passage, terms};
use crate::Error;

/// How many passages are put in by one statement at most. At each the index writes down what it has gathered, which then has to
/// be merged. A statement takes some 32,000 values, and a passage is five.
pub const PASSAGES_AT_ONCE: usize = 6_500;

/// Takes everything out. What is put in then is gathered in memory in larger pieces than by default, which have to be merged
/// less often.
const CLEAR: &str = "
INSERT INTO terms (terms) VALUES ('delete-all');
INSERT INTO terms (terms, rank) VALUES ('hashsize', 16777216);
DELETE FROM passages;
DELETE FROM meta";

/// A change of an index: all of it happens when it is finished, and nothing when it is dropped. One that was just made can only be
/// thrown away then.
pub struct Filling<'p> {
    name: &'p str,
    transaction: Transaction<'p, Sqlite>,
    next: i64,
    is_new: bool,
}

/// A passage whose terms are made.
#[derive(Debug, Clone)]
pub struct Prepared {
    path: String,
    about: String,
    /// Of the title, the path, the names and the text.
    terms: [String; 4],
}

impl Passage {
    /// Makes its terms. That takes as long as it takes the index to put it in, and can be done meanwhile.
    pub fn prepare(self) -> Prepared {
        let terms = [&self.title, &self.path, &self.names, &self.text].map(|text| terms::of(text));
        Prepared { terms, path: self.path, about: self.about }
    }
}

impl<'p> Filling<'p> {
    pub(super) fn new(name: &'p str, transaction: Transaction<'p, Sqlite>, next: i64, is_new: bool) -> Self {
        Self { name, transaction, next, is_new }
    }

    /// Takes everything out.
    pub async fn clear(&mut self) -> Result<(), Error> {
        let cleared = sqlx::raw_sql(CLEAR);
        cleared.execute(&mut *self.transaction).await.map_err(|error| Error::database(self.name, &error))?;
        Ok(())
    }

    /// Takes the passages of a file out.
    pub async fn remove(&mut self, path: &str) -> Result<(), Error> {
        for sql in [
            "DELETE FROM terms WHERE rowid IN (SELECT key FROM passages WHERE path = $1)",
            "DELETE FROM passages WHERE path = $1",
        ] {
            let removed = sqlx::query(sql).bind(path).execute(&mut *self.transaction).await;
            removed.map_err(|error| Error::database(self.name, &error))?;
        }
        Ok(())
    }

    /// Puts passages in. Of more than [`PASSAGES_AT_ONCE`] the rest goes in after the first have gone.
    pub async fn add(&mut self, passages: Vec<Prepared>) -> Result<(), Error> {
        let mut passages = passages.into_iter().peekable();
        while passages.peek().is_some() {
            let (rows, words): (Vec<_>, Vec<_>) = (self.next..)
                .zip(passages.by_ref().take(PASSAGES_AT_ONCE))
                .map(|(key, passage)| ((key, passage.path, passage.about), (key, passage.terms)))
                .unzip();
            self.next += i64::try_from(rows.len()).unwrap_or(0);
            let mut both = QueryBuilder::new("INSERT INTO passages (key, path, about) ");
            both.push_values(rows, |mut row, (key, path, about)| {
                row.push_bind(key).push_bind(path).push_bind(about);
            });
            both.push("; INSERT INTO terms (rowid, title, path, names, body) ");
            both.push_values(words, |mut row, (key, terms)| {
                row.push_bind(key);
                for terms in terms {
                    row.push_bind(terms);
                }
            });
            let put = both.build().execute(&mut *self.transaction).await;
            put.map_err(|error| Error::database(self.name, &error))?;
        }
        Ok(())
    }

    /// Lets it happen, and notes what the index is filled from now.
    pub async fn finish(mut self, mark: &str) -> Result<(), Error> {
        let sql = "INSERT INTO meta (key, value) VALUES ('mark', $1) \
                   ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        let finished = async {
            if self.is_new {
                // What was written comes to the disk before the note that it is there.
                sqlx::raw_sql("COMMIT; BEGIN").execute(&mut *self.transaction).await?;
            }
            sqlx::query(sql).bind(mark).execute(&mut *self.transaction).await?;
            self.transaction.commit().await
        };
        finished.await.map_err(|error| Error::database(self.name, &error))
    }
}
