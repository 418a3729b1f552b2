//! What a run is given.

use std::sync::Arc;

use candor_llm::Provider;
use candor_llm::retry::Policy;
use candor_tools::{Registry, ToolContext};

use crate::{Children, Compaction, Conversation, Limits, Mask, Verifier};

/// What a run begins with.
#[derive(Debug)]
pub struct RunInput {
    /// The conversation so far. Where it is to be answered, its last message is the one to answer.
    pub conversation: Conversation,
    /// What to do with it.
    pub task: Task,
    /// What the run may take.
    pub limits: Limits,
}

/// What a run does with a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Answers it.
    Answer,
    /// Puts a summary in the place of its older messages, and no more.
    Compact,
}

/// What a run works with.
pub struct RunDeps<'a> {
    /// The model to ask, and those to ask when it fails.
    pub models: &'a [Model],
    /// When and how long to wait before asking again.
    pub policy: &'a Policy,
    /// The tools.
    pub tools: &'a Registry,
    /// What tools are given. Its cancellation token and its profile are the run's.
    pub context: ToolContext,
    /// Keeps secrets.
    pub mask: &'a dyn Mask,
    /// The system prompt for a model, assembled anew for each request.
    pub prompt: &'a (dyn Fn(&str) -> Option<String> + Send + Sync),
    /// The longest answer.
    pub max_tokens: Option<u64>,
    /// How a conversation that grows long is shortened.
    pub compaction: Compaction,
    /// Looks whether the work is done.
    pub verifier: &'a Verifier,
    /// Whether the user waived that.
    pub verify: Verify,
    /// Whether the runtime carries out the safe steps of cards itself.
    pub recovery: Recovery,
    /// Those who work for the run, where there can be any.
    pub children: Option<&'a dyn Children>,
}

/// Who carries out the safe steps of a card.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recovery {
    /// Whoever was told the card.
    #[default]
    Off,
    /// The run, before the model is told.
    Auto,
}

/// Whether work is checked before it is called done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// It is.
    Yes,
    /// The user said not to.
    Waived,
}

/// A model that can be asked.
#[derive(Clone)]
pub struct Model {
    /// Whoever answers for it.
    pub provider: Arc<dyn Provider>,
    /// What it is called there.
    pub name: String,
    /// Where the key came from, for people.
    pub key_source: String,
    /// What it costs.
    pub price: Price,
    /// How many tokens it can read at once, where that is known.
    pub context_window: Option<u64>,
}

/// What a model costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// Nothing: it runs on the user's own machine.
    Free,
    /// What the table of prices says of its name.
    Listed,
}
