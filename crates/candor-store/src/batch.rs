//! What is to be written for some events of one session, worked out before the database is asked.

use candor_protocol::{Event, EventBody, Moment, Outcome, RunId, SessionId, Usage};

use crate::Error;
use crate::row::{cost_to_column, seq_to_column, to_column};

/// Who may see the session that is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Everyone.
    Everyone,
    /// Nobody yet: its last number is kept below zero.
    Nobody,
}

/// Events that are appended together, with everything that repeats them.
pub(crate) struct Batch {
    pub(crate) session: SessionId,
    pub(crate) audience: Audience,
    /// The number that must be the last stored one.
    pub(crate) follows: i64,
    pub(crate) updated_at: i64,
    pub(crate) creation: Option<Creation>,
    pub(crate) change: Change,
    pub(crate) entries: Vec<Entry>,
    pub(crate) runs: Vec<RunChange>,
    /// How large the bodies are together.
    pub(crate) bytes: usize,
}

/// One event as its row.
pub(crate) struct Entry {
    pub(crate) seq: i64,
    pub(crate) run: Option<String>,
    pub(crate) at: i64,
    pub(crate) kind: &'static str,
    pub(crate) body: String,
}

/// The row of a session that begins.
pub(crate) struct Creation {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) workspace: String,
    pub(crate) instructions: Option<String>,
    pub(crate) parent: Option<SessionId>,
    pub(crate) at: i64,
}

/// What a session's row takes from some events.
#[derive(Default)]
pub(crate) struct Change {
    pub(crate) messages: u64,
    pub(crate) name: Option<String>,
    pub(crate) model: Option<String>,
    /// Empty while a run is open.
    pub(crate) status: Option<&'static str>,
}

/// What happens to the row of a run.
pub(crate) enum RunChange {
    Start {
        run: RunId,
        at: i64,
        model: String,
    },
    End {
        run: RunId,
        at: i64,
        status: &'static str,
        took: Took,
    },
    /// A name for the session that a model thought of. It is no run that anyone asked for, but it was paid for.
    Title {
        run: RunId,
        at: i64,
        model: Option<String>,
        took: Took,
    },
}

/// What a run took, as columns hold it.
pub(crate) struct Took {
    pub(crate) turns: i64,
    pub(crate) tool_calls: i64,
    pub(crate) duration_ms: i64,
    pub(crate) input_tokens: i64,
    pub(crate) output_tokens: i64,
    pub(crate) total_tokens: i64,
    pub(crate) cache_read_tokens: i64,
    pub(crate) cache_write_tokens: i64,
    pub(crate) cost_usd: Option<f64>,
}

impl Took {
    fn of(usage: &Usage) -> Self {
        Self {
            turns: 0,
            tool_calls: 0,
            duration_ms: 0,
            input_tokens: to_column(usage.input_tokens),
            output_tokens: to_column(usage.output_tokens),
            total_tokens: to_column(usage.total_tokens),
            cache_read_tokens: to_column(usage.cache_read_tokens),
            cache_write_tokens: to_column(usage.cache_write_tokens),
            cost_usd: None,
        }
    }

    fn of_run(outcome: &Outcome) -> Self {
        Self {
            turns: to_column(outcome.turns),
            tool_calls: to_column(outcome.tool_calls),
            duration_ms: to_column(outcome.duration_ms),
            cost_usd: cost_to_column(outcome.cost_usd),
            ..Self::of(&outcome.usage)
        }
    }
}

impl Batch {
    /// Checks what can be said about events without looking at those already stored, and turns them into rows.
    pub(crate) fn of(events: &[Event], audience: Audience) -> Result<Option<Self>, Error> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(None) };
        let session = first.session_id;
        check(events, session)?;
        let follows = first.seq.checked_sub(1).filter(|_| i64::try_from(last.seq).is_ok());
        let Some(follows) = follows else { return Err(Error::Conflict { session }) };
        let mut batch = Self {
            session,
            audience,
            follows: seq_to_column(follows),
            updated_at: last.at.as_millis(),
            creation: creation(first),
            change: Change::default(),
            entries: Vec::with_capacity(events.len()),
            runs: Vec::new(),
            bytes: 0,
        };
        for event in events {
            batch.add(event)?;
        }
        Ok(Some(batch))
    }

    /// The number of its last event.
    pub(crate) fn end(&self) -> i64 {
        self.entries.last().map_or(self.follows, |entry| entry.seq)
    }

    fn add(&mut self, event: &Event) -> Result<(), Error> {
        // Every event can be written as JSON; one that could not would be a defect of its type.
        let body = serde_json::to_string(event)
            .map_err(|_| Error::NotDurable { session: self.session, seq: event.seq })?;
        self.bytes += body.len();
        self.entries.push(Entry {
            seq: seq_to_column(event.seq),
            run: event.run_id.map(|run| run.to_string()),
            at: event.at.as_millis(),
            kind: kind(&event.body),
            body,
        });
        self.runs.extend(run_change(event));
        self.change.take(&event.body);
        Ok(())
    }
}

fn check(events: &[Event], session: SessionId) -> Result<(), Error> {
    let mut expected = events.first().map_or(0, |event| event.seq);
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
    Ok(())
}

fn creation(event: &Event) -> Option<Creation> {
    let EventBody::SessionCreated { source, name, workspace, instructions, parent, .. } = &event.body else {
        return None;
    };
    Some(Creation {
        name: name.clone(),
        source: source.clone(),
        workspace: workspace.clone(),
        instructions: instructions.clone(),
        parent: parent.as_ref().map(|parent| parent.session_id),
        at: event.at.as_millis(),
    })
}

impl Change {
    fn take(&mut self, body: &EventBody) {
        match body {
            EventBody::MessageAccepted { .. } | EventBody::MessageComplete { .. } => self.messages += 1,
            EventBody::SessionRenamed { name, .. } => self.name = Some(name.clone()),
            EventBody::RunStart { model, .. } => {
                self.model = Some(model.clone());
                self.status = Some("");
            }
            EventBody::RunEnd(outcome) => self.status = Some(outcome.status.as_str()),
            _ => {}
        }
    }
}

fn run_change(event: &Event) -> Option<RunChange> {
    let (run, at) = (event.run_id?, Moment::as_millis(event.at));
    match &event.body {
        EventBody::RunStart { model, .. } => Some(RunChange::Start { run, at, model: model.clone() }),
        EventBody::RunEnd(outcome) => {
            let (status, took) = (outcome.status.as_str(), Took::of_run(outcome));
            Some(RunChange::End { run, at, status, took })
        }
        EventBody::SessionRenamed { model, usage: Some(usage), .. } => {
            Some(RunChange::Title { run, at, model: model.clone(), took: Took::of(usage) })
        }
        _ => None,
    }
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
