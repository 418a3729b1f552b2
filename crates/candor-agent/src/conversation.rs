//! From stored events to what a model is sent.

use candor_protocol::{Code, Event, EventBody, Message, Moment, Origin, Part, Role, RunId, ToolResult};
use candor_tools::ToolOutput;
use serde::{Deserialize, Serialize};

use crate::owed::Owed;
use crate::pictures;

/// The conversation that a session's events tell, one event after the other.
///
/// It is the one that the models saw, whatever the order in which things arrived. A message belongs to the run that
/// answers it: one that was accepted while another run went on comes where its own begins, and one whose run has not begun
/// yet is left out. A message for a run that goes on is heard after the answer under way and the results it asked for. What
/// a summary stands for is left out. Every call has one result, in the message after it: where a run ended before there was
/// one, it says so.
///
/// The value can be saved and read back at any event: whoever goes on from there gets the same as whoever began at the
/// first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    messages: Vec<Message>,
    /// What the first message is, when it is a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<Summary>,
    /// How many messages, from the first, were there when the summary was written: what a provider counted for an answer
    /// among them is about a conversation that is gone.
    #[serde(default)]
    uncounted: usize,
    /// The run that goes on.
    run: Option<RunId>,
    /// The calls of its last answer that still wait for a result.
    open: Vec<OpenCall>,
    /// What was said to it since it last listened.
    unheard: Vec<Message>,
    /// Messages whose run has not begun, and that run.
    waiting: Vec<Waiting>,
    /// Whether work that was done still has to be shown to work.
    #[serde(default)]
    owed: Owed,
}

/// A summary that stands in place of older messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The whole text that stands there.
    pub text: String,
    /// Files that were read and not changed, this and all earlier summaries together.
    pub read_files: Vec<String>,
    /// Files that were changed, likewise.
    pub modified_files: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenCall {
    call_id: String,
    tool_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Waiting {
    run: Option<RunId>,
    message: Message,
}

/// What a run works on, taken out of a conversation.
pub(crate) struct Heard {
    pub(crate) messages: Vec<Message>,
    pub(crate) summary: Option<Summary>,
    pub(crate) uncounted: usize,
    pub(crate) owed: Owed,
}

impl Conversation {
    /// The messages, as the next request would have them.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Takes in what happened next.
    pub fn event(&mut self, event: &Event) {
        let at = event.at;
        match &event.body {
            // It answers what the model said last, and nothing is open then.
            EventBody::MessageAccepted {
                origin: Origin::Verifier | Origin::Children | Origin::Hook,
                content,
            } => {
                self.messages.push(Message { at, ..Message::new(Role::User, content.clone()) });
            }
            EventBody::MessageAccepted { content, .. } => {
                self.accept(event.run_id, Message { at, ..Message::new(Role::User, content.clone()) });
            }
            EventBody::RunStart { .. } => self.begin_any(event.run_id),
            EventBody::MessageComplete { content, model, usage, .. } => {
                let mut message = Message { at, ..Message::new(Role::Assistant, content.clone()) };
                message.model = Some(model.clone());
                message.usage = Some(*usage);
                self.answer(message);
            }
            EventBody::ToolResult {
                call_id,
                tool_name,
                result,
                is_error,
                card,
                images,
                changes,
                duration_ms,
                ..
            } => {
                self.owed.after_call(tool_name, changes);
                // A call that was told to end says what it has changed. One that took no time was written down afterwards, for a
                // program that was killed.
                let is_broken = card.as_ref().is_some_and(|card| card.code == Code::ToolInterrupted.as_str());
                if is_broken && *duration_ms == 0 {
                    self.owed.after_break(tool_name);
                }
                let result = ToolResult {
                    call_id: call_id.clone(),
                    tool_name: tool_name.clone(),
                    content: result.clone(),
                    is_error: *is_error,
                    card: card.clone(),
                    images: images.clone(),
                };
                self.result(at, result);
            }
            EventBody::Compacted { removed_images, summary, .. } if *removed_images > 0 => {
                let count = usize::try_from(*removed_images).unwrap_or(usize::MAX);
                pictures::leave_out(&mut self.messages, count, summary);
                self.uncounted = self.messages.len();
            }
            EventBody::Compacted { removed_messages, summary, read_files, modified_files, .. } => {
                let summary = Summary {
                    text: summary.clone(),
                    read_files: read_files.clone(),
                    modified_files: modified_files.clone(),
                };
                self.compacted(at, *removed_messages, summary);
            }
            EventBody::RunEnd(outcome) => {
                self.owed.after_run(outcome);
                self.end();
            }
            _ => {}
        }
    }

    /// A run begins with its own messages. Those that were accepted before its first one and still wait are heard now:
    /// messages get their runs in order, so theirs was lost with the process that had promised it. A run without a message
    /// of its own leaves them waiting for theirs.
    pub fn begin(&mut self, run: RunId) {
        self.begin_any(Some(run));
    }

    pub(crate) fn into_heard(self) -> Heard {
        let Self { messages, summary, uncounted, owed, .. } = self;
        Heard { messages, summary, uncounted, owed }
    }

    fn begin_any(&mut self, run: Option<RunId>) {
        self.end();
        self.run = run;
        let first = self.waiting.iter().position(|waiting| waiting.run == run).unwrap_or(0);
        let later = self.waiting.split_off(first);
        let (own, later): (Vec<_>, Vec<_>) = later.into_iter().partition(|waiting| waiting.run == run);
        self.messages.extend(self.waiting.drain(..).chain(own).map(|waiting| waiting.message));
        self.waiting = later;
    }

    fn accept(&mut self, run: Option<RunId>, message: Message) {
        if self.run.is_some() && self.run == run {
            self.unheard.push(message);
        } else {
            self.waiting.push(Waiting { run, message });
        }
    }

    fn answer(&mut self, message: Message) {
        self.give_up_calls();
        let open = |call: &candor_protocol::ToolCall| OpenCall {
            call_id: call.call_id.clone(),
            tool_name: call.tool_name.clone(),
        };
        self.open = message.calls().map(open).collect();
        self.messages.push(message);
        self.listen();
    }

    /// A result that no call waits for is not taken: providers refuse it, and a second one of the same call.
    fn result(&mut self, at: Moment, result: ToolResult) {
        let Some(place) = self.open.iter().position(|call| call.call_id == result.call_id) else { return };
        self.open.remove(place);
        self.push_result(at, result);
        self.listen();
    }

    fn push_result(&mut self, at: Moment, result: ToolResult) {
        match self.messages.as_mut_slice() {
            [.., answer, results] if results.role == Role::Tool => insert(answer, &mut results.parts, result),
            _ => {
                self.messages
                    .push(Message { at, ..Message::new(Role::Tool, vec![Part::ToolResult(result)]) });
            }
        }
    }

    fn compacted(&mut self, at: Moment, removed: u64, summary: Summary) {
        let removed = usize::try_from(removed).unwrap_or(usize::MAX).min(self.messages.len());
        let message = Message { at, ..Message::text(Role::User, &summary.text) };
        self.messages.splice(..removed, [message]);
        self.summary = Some(summary);
        self.uncounted = self.messages.len();
    }

    /// A run listens when nothing is open: after an answer without calls, and after the last result.
    fn listen(&mut self) {
        if self.open.is_empty() {
            self.messages.append(&mut self.unheard);
        }
    }

    fn end(&mut self) {
        self.run = None;
        self.give_up_calls();
        self.listen();
    }

    /// Nothing will come of the calls that are still open: their process is gone, and strict providers take no call
    /// without a result.
    fn give_up_calls(&mut self) {
        let Some(at) = self.messages.last().map(|message| message.at) else { return };
        for OpenCall { call_id, tool_name } in std::mem::take(&mut self.open) {
            let output = ToolOutput::failure(&candor_tools::Error::Interrupted { tool: tool_name.clone() });
            let (content, card) = (output.for_model, output.card);
            let images = Vec::new();
            self.owed.after_break(&tool_name);
            self.push_result(at, ToolResult { call_id, tool_name, content, is_error: true, card, images });
        }
    }
}

/// Puts a result among those of the same answer, in the order of its calls: so the model saw them, whichever came first.
fn insert(answer: &Message, results: &mut Vec<Part>, result: ToolResult) {
    let later: Vec<&str> =
        answer.calls().map(|call| call.call_id.as_str()).skip_while(|id| *id != result.call_id).collect();
    let is_later =
        |part: &Part| matches!(part, Part::ToolResult(other) if later.contains(&other.call_id.as_str()));
    let place = results.iter().position(is_later).unwrap_or(results.len());
    results.insert(place, Part::ToolResult(result));
}

/// A conversation of these messages, between two runs.
impl From<Vec<Message>> for Conversation {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }
}
