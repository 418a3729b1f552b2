//! What was already said of an answer that may never be complete.

use std::sync::{Mutex, MutexGuard, PoisonError};

use candor_protocol::{DeltaKind, EventBody, Failure, Part, StopReason, Usage};

use crate::{BoxFuture, Mask, Sink};

/// Passes everything on and remembers the words that were said, until they are void.
pub(crate) struct Partial<'a> {
    sink: &'a dyn Sink,
    /// A plain lock: it is held for an append and never across a wait.
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    text: String,
    /// Whether a reader has seen anything of it, thoughts included.
    shown: bool,
}

impl<'a> Partial<'a> {
    pub(crate) fn new(sink: &'a dyn Sink) -> Self {
        Self { sink, said: Mutex::default() }
    }

    /// Keeps what was said as an answer of its own: the reader has seen it, and the next request should know it.
    pub(crate) fn keep(&self, model: &str, mask: &dyn Mask) {
        let said = std::mem::take(&mut *self.said());
        if !said.text.trim().is_empty() {
            self.sink.emit(EventBody::MessageComplete {
                content: vec![Part::text(mask.conceal(&said.text))],
                model: model.to_owned(),
                usage: Usage::default(),
                stop_reason: StopReason::Stopped,
            });
        }
    }

    /// Says why the answer begins anew; what was shown of it so far is void.
    pub(crate) fn begin_anew(&self, message: String) {
        let discard = self.said().shown;
        self.emit(EventBody::Status { message, attempt: None, delay_ms: None, discard });
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Partial<'_> {
    fn emit(&self, body: EventBody) {
        match &body {
            EventBody::StreamDelta { text, kind } => {
                let mut said = self.said();
                said.shown = true;
                if *kind == DeltaKind::Text {
                    said.text.push_str(text);
                }
            }
            EventBody::Status { discard: true, .. } => *self.said() = Said::default(),
            _ => {}
        }
        self.sink.emit(body);
    }

    fn settled(&self) -> BoxFuture<'_, Result<(), Failure>> {
        self.sink.settled()
    }

    fn under_way(&self) -> BoxFuture<'_, ()> {
        self.sink.under_way()
    }

    fn steering(&self) -> Vec<Vec<Part>> {
        self.sink.steering()
    }
}
