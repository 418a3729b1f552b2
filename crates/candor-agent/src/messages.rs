//! From stored events to what a model is sent.

use std::collections::HashSet;

use candor_protocol::{Event, EventBody, Message, Moment, Part, Role, RunId, ToolResult};

/// Puts the system prompt before a copy of the messages. Without a prompt the copy is the messages, unchanged.
pub fn build_messages(prompt: Option<&str>, messages: &[Message]) -> Vec<Message> {
    let system = prompt.map(|prompt| Message::text(Role::System, prompt));
    system.into_iter().chain(messages.iter().cloned()).collect()
}

/// The conversation that a session's events tell, as a run has it that begins after them.
///
/// It is the one that the models saw, whatever the order in which things arrived. A message belongs to the run that
/// answers it: one that was accepted while another run went on comes where its own begins, and one whose run has not begun
/// yet is left out. A message for a run that goes on is heard after the answer under way and the results it asked for. What
/// a summary stands for is left out.
pub fn conversation(events: &[Event], run: RunId) -> Vec<Message> {
    let mut told = Told::default();
    for event in events {
        told.event(event);
    }
    told.begin(Some(run));
    told.messages
}

/// Renames calls whose id was used before: some servers count from zero in every answer, and no provider takes the same
/// id twice.
pub(crate) fn make_ids_unique(parts: &mut [Part], earlier: &[Message]) {
    let mut taken: HashSet<String> =
        earlier.iter().flat_map(Message::calls).map(|call| call.call_id.clone()).collect();
    for part in parts {
        if let Part::ToolCall(call) = part
            && !taken.insert(call.call_id.clone())
        {
            call.call_id = format!("call_{}", RunId::now());
            taken.insert(call.call_id.clone());
        }
    }
}

#[derive(Default)]
struct Told {
    messages: Vec<Message>,
    /// The run that goes on.
    run: Option<RunId>,
    /// How many results its last answer still waits for.
    open_calls: usize,
    /// What was said to it since it last listened.
    unheard: Vec<Message>,
    /// Messages whose run has not begun, and that run.
    waiting: Vec<(Option<RunId>, Message)>,
}

impl Told {
    fn event(&mut self, event: &Event) {
        let at = event.at;
        match &event.body {
            EventBody::MessageAccepted { content, .. } => {
                let message = Message { at, ..Message::new(Role::User, content.clone()) };
                if self.run.is_some() && self.run == event.run_id {
                    self.unheard.push(message);
                } else {
                    self.waiting.push((event.run_id, message));
                }
            }
            EventBody::RunStart { .. } => self.begin(event.run_id),
            EventBody::MessageComplete { content, model, usage, .. } => {
                let mut message = Message { at, ..Message::new(Role::Assistant, content.clone()) };
                message.model = Some(model.clone());
                message.usage = Some(*usage);
                self.open_calls = message.calls().count();
                self.messages.push(message);
                self.listen();
            }
            EventBody::ToolResult { call_id, tool_name, result, is_error, card, .. } => {
                self.result(
                    at,
                    ToolResult {
                        call_id: call_id.clone(),
                        tool_name: tool_name.clone(),
                        content: result.clone(),
                        is_error: *is_error,
                        card: card.clone(),
                    },
                );
            }
            EventBody::Compacted { removed_messages, summary, .. } => {
                let removed =
                    usize::try_from(*removed_messages).unwrap_or(usize::MAX).min(self.messages.len());
                let summary = Message { at, ..Message::text(Role::User, summary) };
                self.messages.splice(..removed, [summary]);
            }
            EventBody::RunEnd(_) => self.end(),
            _ => {}
        }
    }

    fn result(&mut self, at: Moment, result: ToolResult) {
        let part = Part::ToolResult(result);
        match self.messages.last_mut() {
            Some(message) if message.role == Role::Tool => message.parts.push(part),
            _ => self.messages.push(Message { at, ..Message::new(Role::Tool, vec![part]) }),
        }
        self.open_calls = self.open_calls.saturating_sub(1);
        self.listen();
    }

    /// A run listens when nothing is open: after an answer without calls, and after the last result.
    fn listen(&mut self) {
        if self.open_calls == 0 {
            self.messages.append(&mut self.unheard);
        }
    }

    /// A run begins with its own messages. Those that were accepted before its first one and still wait are heard now:
    /// messages get their runs in order, so theirs was lost with the process that had promised it.
    fn begin(&mut self, run: Option<RunId>) {
        self.end();
        self.run = run;
        let first = self.waiting.iter().position(|(theirs, _)| *theirs == run);
        let first = first.unwrap_or(self.waiting.len());
        let later = self.waiting.split_off(first);
        let (own, later): (Vec<_>, Vec<_>) = later.into_iter().partition(|(theirs, _)| *theirs == run);
        self.messages.extend(self.waiting.drain(..).chain(own).map(|(_, message)| message));
        self.waiting = later;
    }

    fn end(&mut self) {
        self.run = None;
        self.open_calls = 0;
        self.listen();
    }
}
