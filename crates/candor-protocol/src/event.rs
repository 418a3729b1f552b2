//! What happened in a session: the one vocabulary of `--json`, the WebSocket, exports and the store.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Change, CheckResult, ErrorCard, Evidence, Image, Moment, Part, RunId, SessionId, Status, Usage, Verdict,
};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Its place in the session: stored events count from 1 without a gap, and one that is not stored carries the
    /// number of the stored one before it.
    pub seq: u64,
    /// The session.
    pub session_id: SessionId,
    /// The run, where one is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// When.
    pub at: Moment,
    /// What.
    #[serde(flatten)]
    pub body: EventBody,
}

/// What happened. Additions only: programs outside depend on these names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EventBody {
    /// The session begins.
    SessionCreated {
        /// The surface that it came from.
        source: String,
        /// What it is called.
        name: String,
        /// The folder worked in.
        workspace: String,
        /// Instructions that hold for this session alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
        /// The scheduled job that it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        job: Option<String>,
        /// The session that this one was split off from, and its last event that both have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<Forked>,
        /// The session that this one works for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<Parent>,
    },
    /// The session has another name.
    SessionRenamed {
        /// The new one.
        name: String,
        /// Who gave it: a name that the user gave stays.
        #[serde(default)]
        by: NamedBy,
        /// The model that thought of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// What that took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A message was taken; from here on it is not lost.
    MessageAccepted {
        /// The surface that it came from.
        origin: Origin,
        /// What it says.
        content: Vec<Part>,
    },
    /// A run begins.
    RunStart {
        /// The model that will be asked.
        model: String,
        /// How many messages it is given.
        message_count: u64,
    },
    /// A little more of the answer. Not stored.
    StreamDelta {
        /// The piece.
        text: String,
        /// What it is a piece of.
        kind: DeltaKind,
    },
    /// A tool is about to run.
    ToolStart {
        /// The call.
        call_id: String,
        /// The tool.
        tool_name: String,
        /// What it is called with.
        args: Value,
    },
    /// A tool says how far it is. Not stored.
    ToolProgress {
        /// The call.
        call_id: String,
        /// What it says.
        text: String,
    },
    /// What came of a call.
    ToolResult {
        /// The call.
        call_id: String,
        /// The tool.
        tool_name: String,
        /// What the model reads.
        result: String,
        /// What a person reads: a few words, or a short list. Sessions of older versions have nothing here.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        for_people: String,
        /// Whether it failed.
        is_error: bool,
        /// The card of the failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<ErrorCard>,
        /// How long it took.
        duration_ms: u64,
        /// The files that it changed, in that order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<Change>,
        /// The failures that this call has got past.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        recovered: Vec<Recovered>,
        /// What the model sees beside the result.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// Something that a waiting person wants to know. Not stored.
    Status {
        /// What.
        message: String,
        /// Which attempt comes next, when this is about trying again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
        /// How long until then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delay_ms: Option<u64>,
        /// Whether the text streamed since the last complete message is void: it will come again, perhaps in other
        /// words.
        #[serde(default, skip_serializing_if = "is_false")]
        discard: bool,
    },
    /// A call waits for a person's word.
    ApprovalRequest {
        /// The call.
        call_id: String,
        /// What is asked.
        question: String,
        /// Why it is asked, where a rule says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// What would change, as a unified diff.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diff: Option<String>,
        /// What can be answered; nothing, where any words can.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        choices: Vec<String>,
        /// What is no longer asked about once the answer is `always`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    /// The person's word.
    ApprovalAnswer {
        /// The call.
        call_id: String,
        /// What was chosen; `nobody` when nobody was there.
        choice: String,
        /// What else the person said; the model is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A check was carried out.
    Verification {
        /// Which.
        check: String,
        /// What came of it.
        result: CheckResult,
        /// What was seen.
        evidence: Box<Evidence>,
    },
    /// Older messages no longer go to the model; a summary stands for them. Or only their pictures do not, and there is
    /// no summary.
    Compacted {
        /// How many messages, from the first; none where only pictures went.
        removed_messages: u64,
        /// How many pictures that came of calls, from the first; the messages around them stay.
        #[serde(default, skip_serializing_if = "is_zero")]
        removed_images: u64,
        /// How long the summary is.
        summary_tokens: u64,
        /// The summary that stands in their place, as the first message.
        summary: String,
        /// How long the conversation was before, as far as that could be told.
        #[serde(default)]
        tokens_before: u64,
        /// Files that were read and not changed, this and all earlier summaries together.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        read_files: Vec<String>,
        /// Files that were changed, likewise.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        modified_files: Vec<String>,
        /// Who wrote the summary.
        #[serde(default)]
        by: SummarisedBy,
    },
    /// One whole answer of the model.
    MessageComplete {
        /// All of it, thoughts and calls included.
        content: Vec<Part>,
        /// Which model said it.
        model: String,
        /// What it took.
        usage: Usage,
        /// Why it ended.
        stop_reason: StopReason,
    },
    /// Something went wrong.
    Error {
        /// In one sentence.
        message: String,
        /// With the next steps.
        card: ErrorCard,
    },
    /// The run is over. Every run ends with exactly one of these.
    RunEnd(Outcome),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl EventBody {
    /// Whether it is stored before it is shown.
    pub fn is_durable(&self) -> bool {
        !matches!(self, Self::StreamDelta { .. } | Self::ToolProgress { .. } | Self::Status { .. })
    }
}

/// Where a session was split off from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Forked {
    /// The other session.
    pub session_id: SessionId,
    /// The last event that both have.
    pub seq: u64,
}

/// Whom a session works for, and with what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parent {
    /// The other session.
    pub session_id: SessionId,
    /// How many sessions stand above this one.
    pub depth: u32,
    /// The only tools that it has. Nothing: all that there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The model that it asks. Nothing: the parent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Who gave a session its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NamedBy {
    /// A person.
    #[default]
    User,
    /// The model, after the first run.
    Model,
    /// Nobody: the first words of the first message had to do.
    Words,
}

/// Who wrote a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SummarisedBy {
    /// The model.
    Model,
    /// Fixed rules, without a model.
    #[default]
    Rules,
}

/// A failure that was got past: what had failed works now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovered {
    /// The code of its card.
    pub code: String,
    /// How often it had failed.
    pub failures: u64,
    /// How long that took, from the first failure on.
    pub duration_ms: u64,
    /// Who repaired it.
    pub by: RecoveredBy,
}

/// Who repaired what had failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecoveredBy {
    /// The model, with its card.
    Model,
    /// The runtime, by the safe steps of the card.
    Auto,
}

impl RecoveredBy {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Auto => "auto",
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The word for it.
    pub status: Status,
    /// What the verifier found.
    pub verdict: Verdict,
    /// What all its answers took.
    pub usage: Usage,
    /// What they cost, where the model's price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How many turns it had.
    pub turns: u64,
    /// How many tools it called.
    pub tool_calls: u64,
    /// How long it took.
    pub duration_ms: u64,
    /// Why it did not end well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<ErrorCard>,
    /// What those took that worked for it. It is not in the numbers above: it is in the sessions of the children.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub children: Option<ChildrenTook>,
}

/// What the children of a run took, and theirs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChildrenTook {
    /// How many runs of children there were.
    pub runs: u64,
    /// What their answers took.
    pub usage: Usage,
    /// What they cost, where all prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// What a piece of a stream belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeltaKind {
    /// The answer.
    Text,
    /// The thoughts before it.
    Reasoning,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had no more to say.
    EndTurn,
    /// It wants tools to run.
    ToolUse,
    /// It reached the longest answer it may give.
    MaxTokens,
    /// It would not answer, or was not let.
    Refusal,
    /// It paused, and goes on when it is asked again.
    Pause,
    /// The user stopped it; what it had said until then was kept.
    Stopped,
}

/// The surface that a submission came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is the name of a surface")]
pub enum Origin {
    Cli,
    Repl,
    Websocket,
    Http,
    Telegram,
    Cron,
    Workflow,
    Acp,
    Subagent,
    /// The runtime itself: what it found when it looked whether the work is done.
    Verifier,
    /// The runtime again: what came of the children that nobody had waited for.
    Children,
    /// A hook that does not let a run end.
    Hook,
}

impl Origin {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Repl => "repl",
            Self::Websocket => "websocket",
            Self::Http => "http",
            Self::Telegram => "telegram",
            Self::Cron => "cron",
            Self::Workflow => "workflow",
            Self::Acp => "acp",
            Self::Subagent => "subagent",
            Self::Verifier => "verifier",
            Self::Children => "children",
            Self::Hook => "hook",
        }
    }
}
