//! From stored events to what a model is sent.

use std::collections::HashSet;

use candor_protocol::{Event, EventBody, Message, Moment, Part, Role, RunId, ToolResult};

/// Puts the system prompt before a copy of the messages. Without a prompt the copy is the messages, unchanged.
pub fn build_messages(prompt: Option<&str>, messages: &[Message]) -> Vec<Message> {
    let system = prompt.map(|prompt| Message::text(Role::System, prompt));
    system.into_iter().chain(messages.iter().cloned()).collect()
}

/// The conversation that a session's events tell.
///
/// A message that was accepted while tools ran is heard after their results: no provider takes it in between. What a
/// summary stands for is left out.
pub fn conversation(events: &[Event]) -> Vec<Message> {
    let mut told = Told::default();
    for event in events {
        told.event(event);
    }
    told.finish()
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
    /// How many results the last answer still waits for.
    open_calls: usize,
    /// What was said meanwhile.
    waiting: Vec<Message>,
}

impl Told {
    fn event(&mut self, event: &Event) {
        let at = event.at;
        match &event.body {
            EventBody::MessageAccepted { content, .. } => {
                let message = Message { at, ..Message::new(Role::User, content.clone()) };
                if self.open_calls > 0 { self.waiting.push(message) } else { self.messages.push(message) }
            }
            EventBody::MessageComplete { content, model, usage, .. } => {
                self.close();
                let mut message = Message { at, ..Message::new(Role::Assistant, content.clone()) };
                message.model = Some(model.clone());
                message.usage = Some(*usage);
                self.open_calls = message.calls().count();
                self.messages.push(message);
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
            EventBody::RunEnd(_) => self.close(),
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
        if self.open_calls == 0 {
            self.close();
        }
    }

    /// Nothing is waited for any more.
    fn close(&mut self) {
        self.open_calls = 0;
        self.messages.append(&mut self.waiting);
    }

    fn finish(mut self) -> Vec<Message> {
        self.close();
        self.messages
    }
}
