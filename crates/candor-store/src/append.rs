//! The one way in: events are put at the end of their session, all or none, and what repeats them is brought up to date
//! in the same transaction.

use candor_protocol::{Event, EventBody, Outcome, SessionId};
use sqlx::{Connection, SqliteConnection};

use crate::row::{cost_to_column, to_column};
use crate::{Error, Store};

impl Store {
    /// Appends events of one session, in order and without a gap after the last stored one. When this returns they are
    /// on the disk; when it fails none of them is stored. The first one of a new session must be its creation.
    ///
    /// A caller that gives up waiting does not know whether they were stored: it must ask for the last number before it
    /// appends again.
    pub async fn append(&self, events: &[Event]) -> Result<(), Error> {
        let Some(batch) = Batch::check(events)? else { return Ok(()) };
        self.check_file()?;
        let mut lent = self.writer.borrow().await?;
        let claim =
            write(lent.connection(), &batch).await.map_err(|error| Error::database(&self.path, &error))?;
        lent.give_back();
        match claim {
            Claim::Held => Ok(()),
            Claim::Conflict => Err(Error::Conflict { session: batch.session }),
            Claim::Unknown => Err(Error::SessionUnknown { session: batch.session }),
        }
    }
}

/// Events that may be appended together.
struct Batch<'e> {
    session: SessionId,
    /// The number that must be the last stored one.
    follows: i64,
    last: &'e Event,
    events: &'e [Event],
}

/// Whether the end of a session is ours to write at.
enum Claim {
    Held,
    Conflict,
    Unknown,
}

impl<'e> Batch<'e> {
    /// What can be said about events without looking at those already stored.
    fn check(events: &'e [Event]) -> Result<Option<Self>, Error> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(None) };
        let session = first.session_id;
        let mut expected = first.seq;
        for event in events {
            if event.session_id != session {
                return Err(Error::Mixed { session });
            }
            if !event.body.is_durable() {
                return Err(Error::NotDurable { session, seq: event.seq });
            }
            let creates = matches!(event.body, EventBody::SessionCreated { .. });
            // A session is created once, by its first event.
            if event.seq != expected || (creates && event.seq != 1) {
                return Err(Error::Conflict { session });
            }
            expected = expected.saturating_add(1);
        }
        let follows = first.seq.checked_sub(1).and_then(|seq| i64::try_from(seq).ok());
        let Some(follows) = follows else { return Err(Error::Conflict { session }) };
        Ok(Some(Self { session, follows, last, events }))
    }
}

async fn write(connection: &mut SqliteConnection, batch: &Batch<'_>) -> Result<Claim, sqlx::Error> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let claim = claim(&mut transaction, batch).await?;
    if !matches!(claim, Claim::Held) {
        transaction.rollback().await?;
        return Ok(claim);
    }
    for event in batch.events {
        insert(&mut transaction, event).await?;
        match &event.body {
            EventBody::RunStart { model, .. } => start_run(&mut transaction, event, model).await?,
            EventBody::RunEnd(outcome) => end_run(&mut transaction, event, outcome).await?,
            _ => {}
        }
    }
    transaction.commit().await?;
    Ok(Claim::Held)
}

/// Moves the end of the session, provided it is where the events begin. It is the first statement, so that of two
/// writers the later one finds the end moved already, whichever the database is.
async fn claim(connection: &mut SqliteConnection, batch: &Batch<'_>) -> Result<Claim, sqlx::Error> {
    let session = batch.session.to_string();
    if let Some(first) = batch.events.first() {
        create_session(connection, first).await?;
    }
    let change = Change::of(batch.events);
    let moved = sqlx::query(
        "UPDATE sessions SET last_seq = $1, updated_at = $2, message_count = message_count + $3, \
         name = COALESCE($4, name), model = COALESCE($5, model), \
         status = NULLIF(COALESCE($6, status), '') \
         WHERE id = $7 AND last_seq = $8",
    )
    .bind(batch.follows.saturating_add_unsigned(batch.events.len() as u64))
    .bind(batch.last.at.as_millis())
    .bind(to_column(change.messages))
    .bind(change.name)
    .bind(change.model)
    .bind(change.status)
    .bind(&session)
    .bind(batch.follows)
    .execute(&mut *connection)
    .await?;
    if moved.rows_affected() == 1 {
        return Ok(Claim::Held);
    }
    let known: Option<i64> = sqlx::query_scalar("SELECT last_seq FROM sessions WHERE id = $1")
        .bind(&session)
        .fetch_optional(connection)
        .await?;
    Ok(if known.is_some() { Claim::Conflict } else { Claim::Unknown })
}

/// What a session's row takes from some events.
#[derive(Default)]
struct Change<'e> {
    messages: u64,
    name: Option<&'e str>,
    model: Option<&'e str>,
    /// Empty while a run is open.
    status: Option<&'static str>,
}

impl<'e> Change<'e> {
    fn of(events: &'e [Event]) -> Self {
        let mut change = Self::default();
        for event in events {
            match &event.body {
                EventBody::MessageAccepted { .. } | EventBody::MessageComplete { .. } => change.messages += 1,
                EventBody::SessionRenamed { name, .. } => change.name = Some(name),
                EventBody::RunStart { model, .. } => {
                    change.model = Some(model);
                    change.status = Some("");
                }
                EventBody::RunEnd(outcome) => change.status = Some(outcome.status.as_str()),
                _ => {}
            }
        }
        change
    }
}

async fn create_session(connection: &mut SqliteConnection, event: &Event) -> Result<(), sqlx::Error> {
    let EventBody::SessionCreated { source, name, workspace, instructions, .. } = &event.body else {
        return Ok(());
    };
    // One that is there already has its end elsewhere, so that the claim fails.
    sqlx::query(
        "INSERT INTO sessions (id, name, source, workspace, instructions, created_at, updated_at, last_seq) \
         VALUES ($1, $2, $3, $4, $5, $6, $6, 0) ON CONFLICT (id) DO NOTHING",
    )
    .bind(event.session_id.to_string())
    .bind(name)
    .bind(source)
    .bind(workspace)
    .bind(instructions)
    .bind(event.at.as_millis())
    .execute(connection)
    .await
    .map(drop)
}

async fn insert(connection: &mut SqliteConnection, event: &Event) -> Result<(), sqlx::Error> {
    let body = serde_json::to_string(event).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query(
        "INSERT INTO events (session_id, seq, run_id, at_ms, type, body) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(event.session_id.to_string())
    // In range: the batch's numbers follow one that is.
    .bind(i64::try_from(event.seq).unwrap_or(i64::MAX))
    .bind(event.run_id.map(|run| run.to_string()))
    .bind(event.at.as_millis())
    .bind(kind(&event.body))
    .bind(body)
    .execute(connection)
    .await
    .map(drop)
}

async fn start_run(connection: &mut SqliteConnection, event: &Event, model: &str) -> Result<(), sqlx::Error> {
    let Some(run) = event.run_id else { return Ok(()) };
    sqlx::query(
        "INSERT INTO runs (run_id, session_id, model, started_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (run_id) DO NOTHING",
    )
    .bind(run.to_string())
    .bind(event.session_id.to_string())
    .bind(model)
    .bind(event.at.as_millis())
    .execute(connection)
    .await
    .map(drop)
}

/// Ends a run once, also one whose start was never told; the session's totals are those of its ended runs.
async fn end_run(
    connection: &mut SqliteConnection,
    event: &Event,
    outcome: &Outcome,
) -> Result<(), sqlx::Error> {
    let Some(run) = event.run_id else { return Ok(()) };
    let ended = sqlx::query(
        "INSERT INTO runs (run_id, session_id, started_at, ended_at, status, turns, tool_calls, duration_ms, \
         input_tokens, output_tokens, total_tokens, cache_read_tokens, cache_write_tokens, cost_usd) \
         VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
         ON CONFLICT (run_id) DO UPDATE SET ended_at = excluded.ended_at, status = excluded.status, \
         turns = excluded.turns, tool_calls = excluded.tool_calls, duration_ms = excluded.duration_ms, \
         input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, \
         total_tokens = excluded.total_tokens, cache_read_tokens = excluded.cache_read_tokens, \
         cache_write_tokens = excluded.cache_write_tokens, cost_usd = excluded.cost_usd \
         WHERE runs.ended_at IS NULL",
    )
    .bind(run.to_string())
    .bind(event.session_id.to_string())
    .bind(event.at.as_millis())
    .bind(outcome.status.as_str())
    .bind(to_column(outcome.turns))
    .bind(to_column(outcome.tool_calls))
    .bind(to_column(outcome.duration_ms))
    .bind(to_column(outcome.usage.input_tokens))
    .bind(to_column(outcome.usage.output_tokens))
    .bind(to_column(outcome.usage.total_tokens))
    .bind(to_column(outcome.usage.cache_read_tokens))
    .bind(to_column(outcome.usage.cache_write_tokens))
    .bind(cost_to_column(outcome.cost_usd))
    .execute(&mut *connection)
    .await?;
    if ended.rows_affected() == 0 {
        return Ok(());
    }
    add_to_totals(connection, event.session_id, outcome).await
}

async fn add_to_totals(
    connection: &mut SqliteConnection,
    session: SessionId,
    outcome: &Outcome,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE sessions SET turns = turns + $1, tool_calls = tool_calls + $2, duration_ms = duration_ms + $3, \
         input_tokens = input_tokens + $4, output_tokens = output_tokens + $5, \
         total_tokens = total_tokens + $6, cache_read_tokens = cache_read_tokens + $7, \
         cache_write_tokens = cache_write_tokens + $8, cost_usd = cost_usd + $9 WHERE id = $10",
    )
    .bind(to_column(outcome.turns))
    .bind(to_column(outcome.tool_calls))
    .bind(to_column(outcome.duration_ms))
    .bind(to_column(outcome.usage.input_tokens))
    .bind(to_column(outcome.usage.output_tokens))
    .bind(to_column(outcome.usage.total_tokens))
    .bind(to_column(outcome.usage.cache_read_tokens))
    .bind(to_column(outcome.usage.cache_write_tokens))
    .bind(cost_to_column(outcome.cost_usd).unwrap_or_default())
    .bind(session.to_string())
    .execute(connection)
    .await
    .map(drop)
}

/// The word that the body's JSON has for it, without making the JSON twice.
const fn kind(body: &EventBody) -> &'static str {
    match body {
        EventBody::SessionCreated { .. } => "session_created",
        EventBody::SessionRenamed { .. } => "session_renamed",
        EventBody::MessageAccepted { .. } => "message_accepted",
        EventBody::RunStart { .. } => "run_start",
        EventBody::StreamDelta { .. } => "stream_delta",
        EventBody::ToolStart { .. } => "tool_start",
        EventBody::ToolProgress { .. } => "tool_progress",
        EventBody::ToolResult { .. } => "tool_result",
        EventBody::Status { .. } => "status",
        EventBody::ApprovalRequest { .. } => "approval_request",
        EventBody::ApprovalAnswer { .. } => "approval_answer",
        EventBody::Verification { .. } => "verification",
        EventBody::Compacted { .. } => "compacted",
        EventBody::MessageComplete { .. } => "message_complete",
        EventBody::Error { .. } => "error",
        EventBody::RunEnd(_) => "run_end",
    }
}
