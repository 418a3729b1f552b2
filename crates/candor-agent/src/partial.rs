//! What was already said of an answer that may never be complete.

use std::sync::{Mutex, PoisonError};

use candor_protocol::{DeltaKind, EventBody, Failure, Part, StopReason, Usage};

use crate::sink::{BoxFuture, Mask, Sink};

/// Passes everything on and remembers the words that were said, until they are void.
pub(crate) struct Partial<'a> {
    sink: &'a dyn Sink,
    /// A plain lock: it is held for an append and never across a wait.
    said: Mutex<String>,
}

impl<'a> Partial<'a> {
    pub(crate) fn new(sink: &'a dyn Sink) -> Self {
        Self { sink, said: Mutex::new(String::new()) }
    }

    /// Keeps what was said as an answer of its own: the reader has seen it, and the next request should know it.
    pub(crate) fn keep(&self, model: &str, mask: &dyn Mask) {
        let said = std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner));
        if !said.trim().is_empty() {
            self.sink.emit(EventBody::MessageComplete {
                content: vec![Part::text(mask.conceal(&said))],
                model: model.to_owned(),
                usage: Usage::default(),
                stop_reason: StopReason::Stopped,
            });
        }
    }
}

impl Sink for Partial<'_> {
    fn emit(&self, body: EventBody) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        match &body {
            EventBody::StreamDelta { text, kind: DeltaKind::Text } => said.push_str(text),
            EventBody::Status { discard: true, .. } => said.clear(),
            _ => {}
        }
        drop(said);
        self.sink.emit(body);
    }

    fn settled(&self) -> BoxFuture<'_, Result<(), Failure>> {
        self.sink.settled()
    }

    fn steering(&self) -> Vec<Vec<Part>> {
        self.sink.steering()
    }
}
