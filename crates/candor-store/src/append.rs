//! The one way in: events are put at the end of their session, all or none, and what repeats them is brought up to date
//! in the same transaction.

use std::sync::LazyLock;

use candor_protocol::{Event, RunId};

use crate::batch::{Audience, Batch, Creation, Entry, RunChange, Took};
use crate::row::to_column;
use crate::sql::{Connection, Value};
use crate::work::{Applied, Attempt, Work};
use crate::writer::Begun;
use crate::{Error, Store};

/// How many events go into one statement: each goes to another thread, or over a network, and back.
const EVENTS_AT_ONCE: usize = 8;

/// Moves the end of a session, provided it is where the events begin.
const CLAIM: &str = "UPDATE sessions SET last_seq = $2, updated_at = $3, message_count = message_count + $4, \
                     name = COALESCE($5, name), model = COALESCE($6, model), \
                     status = NULLIF(COALESCE($7, status), '') WHERE id = $1 AND last_seq = $8";
/// How many values a claim has.
const CLAIM_VALUES: usize = 8;

/// Where events go.
const EVENTS: &str = "INSERT INTO events (session_id, seq, run_id, at_ms, type, body)";

/// The statements for each number of events that can go at once.
fn for_each_count(statement: impl Fn(usize) -> String) -> Vec<String> {
    (0..=EVENTS_AT_ONCE).map(statement).collect()
}

/// So many rows of values, five for each event, after those that are numbered already.
fn rows(count: usize, numbered: usize, before: &str) -> String {
    let row = |at: usize| {
        let first = 5 * at + numbered + 1;
        let [run, time, kind, body] = [1, 2, 3, 4].map(|next| first + next);
        format!("({before}${first}, ${run}, ${time}, ${kind}, ${body})")
    };
    (0..count).map(row).collect::<Vec<_>>().join(", ")
}

/// The statement that puts in so many events of one session.
fn insert(count: usize) -> &'static str {
    static STATEMENTS: LazyLock<Vec<String>> =
        LazyLock::new(|| for_each_count(|count| format!("{EVENTS} VALUES {}", rows(count, 1, "$1, "))));
    STATEMENTS.get(count).map_or("", String::as_str)
}

/// The whole transaction that appends so many events to a session, and says how many it has put in: all, or none where the claim
/// failed. Only for a file: a server takes one statement at a time.
fn whole(count: usize) -> &'static str {
    static STATEMENTS: LazyLock<Vec<String>> = LazyLock::new(|| {
        for_each_count(|count| {
            let rows = rows(count, CLAIM_VALUES, "");
            format!(
                "BEGIN IMMEDIATE; {CLAIM}; {EVENTS} SELECT $1, * FROM (VALUES {rows}) WHERE changes() = 1; COMMIT; \
                 SELECT changes() AS stored"
            )
        })
    });
    STATEMENTS.get(count).map_or("", String::as_str)
}

impl Store {
    /// Appends events of one session, in order and without a gap after the last stored one. When this returns they are
    /// on the disk; when it fails none of them is stored, unless a server went away in the middle and did not come back
    /// in time: then nobody knows. The first one of a new session must be its creation.
    ///
    /// Appends that wait at the same time, whichever session they are for, share one write to the disk.
    ///
    /// A caller that gives up waiting does not know whether they were stored: it must ask for the last number before it
    /// appends again.
    pub async fn append(&self, events: &[Event]) -> Result<(), Error> {
        self.begin_append(events).await?.stored().await
    }

    /// The same for a caller that has something else to do meanwhile.
    pub async fn begin_append(&self, events: &[Event]) -> Result<Appending<'_>, Error> {
        let Some(batch) = Batch::of(events, Audience::Everyone)? else { return Ok(Appending(None)) };
        self.writer.begin(Work::Append(Box::new(batch))).await.map(|begun| Appending(Some(begun)))
    }
}

/// Events on their way to the disk. Whoever drops this does not know whether they came there.
pub struct Appending<'s>(Option<Begun<'s>>);

impl Appending<'_> {
    /// Waits until they are there.
    pub async fn stored(self) -> Result<(), Error> {
        match self.0 {
            Some(begun) => begun.end().await.map(drop),
            None => Ok(()),
        }
    }
}

impl Batch {
    /// Writes it, provided that it follows what is stored. Otherwise nothing is written, so that others can go on in the
    /// same transaction.
    pub(crate) async fn apply(
        &self,
        connection: &mut Connection,
        attempt: Attempt,
    ) -> Result<Applied, sqlx::Error> {
        let claim = self.claim(connection).await?;
        if !matches!(claim, Applied::Done) {
            let stored = attempt == Attempt::Again && self.is_stored(connection).await?;
            return Ok(if stored { Applied::Done } else { claim });
        }
        let session = self.session.to_string();
        for some in self.entries.chunks(EVENTS_AT_ONCE) {
            let values: Vec<Value<'_>> = [Value::from(&session)].into_iter().chain(columns(some)).collect();
            connection.execute(insert(some.len()), &values).await?;
        }
        for change in &self.runs {
            self.apply_run(connection, &session, change).await?;
        }
        Ok(Applied::Done)
    }

    /// Writes it in a transaction of its own, and asks only once: each question goes to the thread of the file and back, and most
    /// events are appended by a run that waits for them. False: it has more to it, or does not follow what is stored, and nothing
    /// is written.
    pub(crate) async fn apply_at_once(&self, connection: &mut Connection) -> Result<bool, sqlx::Error> {
        let is_plain = self.creation.is_none() && self.runs.is_empty();
        if !is_plain || self.entries.len() > EVENTS_AT_ONCE || !connection.takes_several() {
            return Ok(false);
        }
        let session = self.session.to_string();
        let values: Vec<Value<'_>> =
            self.claim_values(&session).into_iter().chain(columns(&self.entries)).collect();
        let rows = connection.rows(whole(self.entries.len()), &values).await?;
        rows.first().map_or(Ok(false), |row| Ok(row.int("stored")? > 0))
    }

    /// Moves the end of the session. It is the first statement, so that of two writers the later one finds the end moved
    /// already, whichever the database is.
    async fn claim(&self, connection: &mut Connection) -> Result<Applied, sqlx::Error> {
        let session = self.session.to_string();
        if let Some(creation) = &self.creation {
            creation.insert(connection, &session).await?;
        }
        if connection.execute(CLAIM, &self.claim_values(&session)).await? == 1 {
            return Ok(Applied::Done);
        }
        let sql = "SELECT last_seq FROM sessions WHERE id = $1";
        let known = connection.rows(sql, &[(&session).into()]).await?;
        Ok(if known.is_empty() { Applied::Unknown } else { Applied::Conflict })
    }

    fn claim_values<'b>(&'b self, session: &'b str) -> [Value<'b>; CLAIM_VALUES] {
        [
            session.into(),
            self.mark(self.end()).into(),
            self.updated_at.into(),
            to_column(self.change.messages).into(),
            self.change.name.as_deref().into(),
            self.change.model.as_deref().into(),
            self.change.status.into(),
            self.mark(self.follows).into(),
        ]
    }

    /// Whether the session ends with these very events: the commit whose answer was lost did happen.
    async fn is_stored(&self, connection: &mut Connection) -> Result<bool, sqlx::Error> {
        let sql = "SELECT e.body FROM sessions s JOIN events e ON e.session_id = s.id AND e.seq = $2 \
                   WHERE s.id = $1 AND s.last_seq = $3";
        let session = self.session.to_string();
        let values = [Value::from(&session), self.end().into(), self.mark(self.end()).into()];
        let rows = connection.rows(sql, &values).await?;
        let (Some(row), Some(last)) = (rows.first(), self.entries.last()) else { return Ok(false) };
        Ok(row.text("body")? == last.body)
    }

    /// The last number as the session's row has it.
    fn mark(&self, seq: i64) -> i64 {
        match self.audience {
            Audience::Everyone => seq,
            Audience::Nobody => -seq,
        }
    }

    async fn apply_run(
        &self,
        connection: &mut Connection,
        session: &str,
        change: &RunChange,
    ) -> Result<(), sqlx::Error> {
        match change {
            RunChange::Start { run, at, model } => {
                let sql = "INSERT INTO runs (run_id, session_id, model, started_at) VALUES ($1, $2, $3, $4) \
                           ON CONFLICT (run_id) DO NOTHING";
                let values = [Value::from(run.to_string()), session.into(), model.into(), (*at).into()];
                connection.execute(sql, &values).await.map(drop)
            }
            RunChange::End { run, at, status, took } => {
                let ended = end_run(connection, session, *run, *at, status, took).await?;
                // A run that the session has in common with the one it was copied from is the other's in the
                // totals over all sessions, and in this session's own it counts as well.
                if ended
                    || (self.audience == Audience::Nobody && is_elsewhere(connection, session, *run).await?)
                {
                    add_to_totals(connection, session, took).await?;
                }
                Ok(())
            }
            RunChange::Title { run, at, model, took } => {
                let sql = "INSERT INTO runs (run_id, session_id, model, started_at, ended_at, input_tokens, \
                           output_tokens, total_tokens, cache_read_tokens, cache_write_tokens) \
                           VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9) ON CONFLICT (run_id) DO UPDATE SET \
                           input_tokens = runs.input_tokens + excluded.input_tokens, \
                           output_tokens = runs.output_tokens + excluded.output_tokens, \
                           total_tokens = runs.total_tokens + excluded.total_tokens, \
                           cache_read_tokens = runs.cache_read_tokens + excluded.cache_read_tokens, \
                           cache_write_tokens = runs.cache_write_tokens + excluded.cache_write_tokens \
                           WHERE runs.session_id = excluded.session_id";
                let values = [
                    Value::from(run.to_string()),
                    session.into(),
                    model.as_deref().into(),
                    (*at).into(),
                    took.input_tokens.into(),
                    took.output_tokens.into(),
                    took.total_tokens.into(),
                    took.cache_read_tokens.into(),
                    took.cache_write_tokens.into(),
                ];
                connection.execute(sql, &values).await?;
                add_to_totals(connection, session, took).await
            }
        }
    }
}

/// What goes into the rows of some events, but for their session.
fn columns(entries: &[Entry]) -> impl Iterator<Item = Value<'_>> {
    entries.iter().flat_map(|entry| {
        let run = Value::from(entry.run.as_deref());
        [entry.seq.into(), run, entry.at.into(), entry.kind.into(), (&entry.body).into()]
    })
}

impl Creation {
    async fn insert(&self, connection: &mut Connection, session: &str) -> Result<(), sqlx::Error> {
        // One that is there already has its end elsewhere, so that the claim fails and nothing of this remains.
        let sql = "INSERT INTO sessions \
                   (id, name, source, workspace, instructions, created_at, updated_at, last_seq) \
                   VALUES ($1, $2, $3, $4, $5, $6, $6, 0) ON CONFLICT (id) DO NOTHING";
        let values = [
            Value::from(session),
            (&self.name).into(),
            (&self.source).into(),
            (&self.workspace).into(),
            self.instructions.as_deref().into(),
            self.at.into(),
        ];
        let is_new = connection.execute(sql, &values).await? == 1;
        let Some(parent) = self.parent.filter(|_| is_new) else { return Ok(()) };
        let sql = "INSERT INTO parents (session_id, parent_id) VALUES ($1, $2)";
        connection.execute(sql, &[Value::from(session), parent.to_string().into()]).await.map(drop)
    }
}

/// Ends a run once, also one whose start was never told; false when it was ended before, or is another session's. What a
/// title took under the same id stays in the sum.
async fn end_run(
    connection: &mut Connection,
    session: &str,
    run: RunId,
    at: i64,
    status: &str,
    took: &Took,
) -> Result<bool, sqlx::Error> {
    let sql = "INSERT INTO runs (run_id, session_id, started_at, ended_at, status, turns, tool_calls, \
               duration_ms, input_tokens, output_tokens, total_tokens, cache_read_tokens, cache_write_tokens, \
               cost_usd) VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
               ON CONFLICT (run_id) DO UPDATE SET ended_at = excluded.ended_at, status = excluded.status, \
               turns = excluded.turns, tool_calls = excluded.tool_calls, duration_ms = excluded.duration_ms, \
               input_tokens = runs.input_tokens + excluded.input_tokens, \
               output_tokens = runs.output_tokens + excluded.output_tokens, \
               total_tokens = runs.total_tokens + excluded.total_tokens, \
               cache_read_tokens = runs.cache_read_tokens + excluded.cache_read_tokens, \
               cache_write_tokens = runs.cache_write_tokens + excluded.cache_write_tokens, \
               cost_usd = excluded.cost_usd \
               WHERE runs.status IS NULL AND runs.session_id = excluded.session_id";
    let head = [Value::from(run.to_string()), session.into(), at.into(), status.into()];
    let values = [head.as_slice(), &numbers(took), &[Value::from(took.cost_usd)]].concat();
    Ok(connection.execute(sql, &values).await? == 1)
}

async fn is_elsewhere(connection: &mut Connection, session: &str, run: RunId) -> Result<bool, sqlx::Error> {
    let sql = "SELECT run_id FROM runs WHERE run_id = $1 AND session_id <> $2";
    Ok(!connection.rows(sql, &[run.to_string().into(), session.into()]).await?.is_empty())
}

async fn add_to_totals(connection: &mut Connection, session: &str, took: &Took) -> Result<(), sqlx::Error> {
    let sql = "UPDATE sessions SET turns = turns + $1, tool_calls = tool_calls + $2, \
               duration_ms = duration_ms + $3, input_tokens = input_tokens + $4, \
               output_tokens = output_tokens + $5, total_tokens = total_tokens + $6, \
               cache_read_tokens = cache_read_tokens + $7, cache_write_tokens = cache_write_tokens + $8, \
               cost_usd = cost_usd + $9 WHERE id = $10";
    let cost = Value::from(Some(took.cost_usd.unwrap_or_default()));
    let values = [numbers(took).as_slice(), &[cost, session.into()]].concat();
    connection.execute(sql, &values).await.map(drop)
}

fn numbers(took: &Took) -> [Value<'static>; 8] {
    [
        took.turns,
        took.tool_calls,
        took.duration_ms,
        took.input_tokens,
        took.output_tokens,
        took.total_tokens,
        took.cache_read_tokens,
        took.cache_write_tokens,
    ]
    .map(Value::from)
}
