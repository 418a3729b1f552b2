//! Sessions from elsewhere: lines of JSON, as an export has them.

use std::io::{BufRead, Read};

use candor_protocol::{Code, Event, EventBody, Failure, SessionId, is_picture};
use candor_redact::Redactor;
use candor_store::{Stage, Store};
use serde_json::Value;

/// The longest line that is read: the longest message that is taken, with room for what JSON adds.
const LINE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How many events are stored at a time.
const EVENTS_AT_A_TIME: usize = 500;
/// How many bytes of lines are in memory at a time, but for the last one: events with pictures are large.
const BYTES_AT_A_TIME: u64 = 8 * 1024 * 1024;
/// The fields of an event that are no free text.
const NAMES: &[&str] =
    &["type", "sessionId", "runId", "at", "callId", "toolName", "origin", "source", "opaque"];

/// Whether an imported session keeps its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// It does; one that is there already is not touched.
    Kept,
    /// It gets a new one.
    New,
}

/// A session that was imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Imported {
    /// Its id here.
    pub session: SessionId,
    /// How many events it has.
    pub events: u64,
}

/// Reads a session from lines, masks it, and stores it: all of it, or nothing.
pub(crate) async fn import(
    store: &Store,
    redactor: &Redactor,
    lines: &mut (dyn BufRead + Send),
    path: &str,
    ids: Ids,
) -> Result<Imported, Failure> {
    let mut reader = Reader { lines, path, line: 0, bytes: 0, session: None, events: 0 };
    let Some(first) = reader.next(redactor)? else { return Err(reader.invalid("it is empty")) };
    let session = match ids {
        Ids::Kept => first.session_id,
        Ids::New => SessionId::now(),
    };
    let exists = || Failure::new(Code::SessionExists).with("session", session);
    let staged = store.stage(session).await.map_err(|error| error.failure())?;
    let mut stage = staged.ok_or_else(exists)?;
    let first = Event { session_id: session, ..first };
    if let Err(failure) = fill(&mut stage, first, &mut reader, redactor).await {
        // What cannot be removed now is removed at the next start.
        let _ = stage.abandon().await;
        return Err(failure);
    }
    stage.finish().await.map_err(|error| error.failure())?;
    Ok(Imported { session, events: reader.events })
}

async fn fill(
    stage: &mut Stage<'_>,
    first: Event,
    reader: &mut Reader<'_>,
    redactor: &Redactor,
) -> Result<(), Failure> {
    let session_id = first.session_id;
    let mut batch = vec![first];
    while !batch.is_empty() {
        stage.push(&batch).await.map_err(|error| error.failure())?;
        let next = reader.some(redactor)?.into_iter();
        batch = next.map(|event| Event { session_id, ..event }).collect();
    }
    Ok(())
}

/// Reads events one by one and sees that they are those of one session, in order.
struct Reader<'r> {
    lines: &'r mut (dyn BufRead + Send),
    path: &'r str,
    line: u64,
    /// How many bytes were read.
    bytes: u64,
    session: Option<SessionId>,
    events: u64,
}

impl Reader<'_> {
    /// The next events, as many as are stored at a time; none at the end.
    fn some(&mut self, redactor: &Redactor) -> Result<Vec<Event>, Failure> {
        let (mut events, end) = (Vec::new(), self.bytes + BYTES_AT_A_TIME);
        while events.len() < EVENTS_AT_A_TIME && self.bytes < end {
            let Some(event) = self.next(redactor)? else { break };
            events.push(event);
        }
        Ok(events)
    }

    /// The next event that is kept. Lines of `--json` that tell of something passing are left out.
    fn next(&mut self, redactor: &Redactor) -> Result<Option<Event>, Failure> {
        loop {
            let mut line = Vec::new();
            self.line += 1;
            let read = self.lines.take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line);
            read.map_err(|error| self.invalid(&error.to_string()))?;
            self.bytes += line.len() as u64;
            if line.is_empty() {
                return Ok(None);
            }
            if line.len() as u64 > LINE_BYTES_MAX {
                return Err(self.invalid("it is too long"));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let event = self.event(&line, redactor)?;
            if event.body.is_durable() {
                return self.check(event).map(Some);
            }
        }
    }

    fn event(&self, line: &[u8], redactor: &Redactor) -> Result<Event, Failure> {
        let mut value: Value =
            serde_json::from_slice(line).map_err(|error| self.invalid(&format!("no JSON: {error}")))?;
        mask(&mut value, redactor);
        serde_json::from_value(value).map_err(|error| self.invalid(&format!("no event: {error}")))
    }

    fn check(&mut self, event: Event) -> Result<Event, Failure> {
        let begins = matches!(event.body, EventBody::SessionCreated { .. });
        let session = *self.session.get_or_insert(event.session_id);
        self.events += 1;
        if begins != (self.events == 1) {
            return Err(self.invalid("a session begins with session_created, and only there"));
        }
        if event.session_id != session {
            return Err(self.invalid("it is of another session than the first"));
        }
        if event.seq != self.events {
            return Err(self.invalid(&format!("it has the number {}, not {}", event.seq, self.events)));
        }
        Ok(event)
    }

    fn invalid(&self, reason: &str) -> Failure {
        Failure::new(Code::ImportInvalid)
            .with("path", self.path)
            .with("line", self.line)
            .with("reason", reason)
    }
}

/// Masks every free text: what comes from elsewhere may hold what must not be stored here. A mask in a picture would leave
/// nothing of it.
fn mask(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) if is_picture(text) => {}
        Value::String(text) => {
            if let std::borrow::Cow::Owned(masked) = redactor.redact_str(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, redactor)),
        Value::Object(fields) => {
            let free = fields.iter_mut().filter(|(name, _)| !NAMES.contains(&name.as_str()));
            free.for_each(|(_, field)| mask(field, redactor));
        }
        _ => {}
    }
}
