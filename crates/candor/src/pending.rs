//! What the front door does not do yet, over the store.

use std::io::BufRead;

use candor_protocol::{Code, Event, EventBody, Failure, Forked, Moment, SessionId, plain_text};
use candor_runtime::{Runtime, Setup};
use candor_store::{Filter, Location};

/// How many events are read at a time.
const PAGE: u32 = 1000;

/// Whether an imported session keeps its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ids {
    Kept,
    New,
}

pub(crate) struct Imported {
    pub(crate) session: SessionId,
    pub(crate) events: u64,
}

pub(crate) struct Search {
    pub(crate) text: String,
    pub(crate) workspace: Option<String>,
    pub(crate) limit: u32,
}

pub(crate) struct Hit {
    pub(crate) session: SessionId,
    pub(crate) session_name: String,
    pub(crate) seq: u64,
    pub(crate) at: Moment,
    pub(crate) role: &'static str,
    pub(crate) excerpt: String,
}

pub(crate) async fn reconfigure(
    runtime: &mut Runtime,
    database: &Location,
    setup: Setup,
) -> Result<(), Failure> {
    *runtime = Runtime::open(database, setup).await?;
    Ok(())
}

async fn all(runtime: &Runtime, session: SessionId) -> Result<Vec<Event>, Failure> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.seq);
        let page = runtime.query().events(session, after, PAGE).await.map_err(|error| error.failure())?;
        let full = page.len() == PAGE as usize;
        events.extend(page);
        if !full {
            return Ok(events);
        }
    }
}

pub(crate) async fn fork(
    runtime: &Runtime,
    session: SessionId,
    upto: Option<u64>,
) -> Result<SessionId, Failure> {
    let id = SessionId::now();
    let mut events = all(runtime, session).await?;
    events.retain(|event| upto.is_none_or(|upto| event.seq <= upto));
    let seq = events.len() as u64;
    for event in &mut events {
        event.session_id = id;
        if let EventBody::SessionCreated { forked_from, .. } = &mut event.body {
            *forked_from = Some(Forked { session_id: session, seq });
        }
    }
    runtime.query().append(&events).await.map_err(|error| error.failure())?;
    Ok(id)
}

#[expect(clippy::unused_async, reason = "the signature to come")]
pub(crate) async fn delete(_runtime: &Runtime, _session: SessionId) -> Result<(), Failure> {
    Err(Failure::new(Code::UsageNotInThisBuild).with("command", "sessions delete"))
}

pub(crate) async fn import(
    runtime: &Runtime,
    lines: &mut (dyn BufRead + Send),
    name: &str,
    ids: Ids,
) -> Result<Imported, Failure> {
    let mut events = Vec::new();
    let fresh = SessionId::now();
    for (number, line) in lines.lines().enumerate() {
        let invalid = |reason: String| {
            Failure::new(Code::ImportInvalid)
                .with("line", number + 1)
                .with("path", name)
                .with("reason", reason)
        };
        let line = line.map_err(|error| invalid(error.to_string()))?;
        let mut event: Event = serde_json::from_str(&line).map_err(|error| invalid(error.to_string()))?;
        if ids == Ids::New {
            event.session_id = fresh;
        }
        events.push(event);
    }
    let Some(session) = events.first().map(|event| event.session_id) else {
        return Err(Failure::new(Code::ImportInvalid)
            .with("line", 1)
            .with("path", name)
            .with("reason", "there is none"));
    };
    if runtime.query().last_seq(session).await.map_err(|error| error.failure())?.is_some() {
        return Err(Failure::new(Code::SessionExists).with("session", session));
    }
    runtime.query().append(&events).await.map_err(|error| error.failure())?;
    Ok(Imported { session, events: events.len() as u64 })
}

pub(crate) async fn search(runtime: &Runtime, search: &Search) -> Result<Vec<Hit>, Failure> {
    let filter = Filter { workspace: search.workspace.clone(), limit: PAGE, offset: 0 };
    let sessions = runtime.query().sessions(&filter).await.map_err(|error| error.failure())?;
    let words: Vec<String> = search.text.split_whitespace().map(str::to_lowercase).collect();
    let mut hits = Vec::new();
    for summary in sessions {
        for event in all(runtime, summary.id).await? {
            let (role, text) = match &event.body {
                EventBody::MessageAccepted { content, .. } => ("user", plain_text(content)),
                EventBody::MessageComplete { content, .. } => ("assistant", plain_text(content)),
                _ => continue,
            };
            let lower = text.to_lowercase();
            if words.iter().all(|word| lower.contains(word)) {
                hits.push(Hit {
                    session: summary.id,
                    session_name: summary.name.clone(),
                    seq: event.seq,
                    at: event.at,
                    role,
                    excerpt: text,
                });
            }
        }
    }
    hits.truncate(search.limit as usize);
    Ok(hits)
}
