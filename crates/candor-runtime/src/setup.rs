//! What runs work with, as values.

use std::path::PathBuf;
use std::sync::Arc;

use candor_agent::{Compaction, Limits, Model, Recovery, Verifier, Verify};
use candor_llm::retry::Policy;
use candor_tools::hooks::HookFiles;
use candor_tools::skills::Skills;
use candor_tools::{Plan, Rules};

use crate::{Bounds, Retention, Titles};

/// What runs work with. It is read at the start of each run, so that a change never reaches into one.
#[derive(Clone)]
pub struct Setup {
    /// The folder worked in.
    pub workspace: PathBuf,
    /// The model to ask, and those to ask when it fails.
    pub models: Vec<Model>,
    /// When and how long to wait before asking again.
    pub policy: Policy,
    /// What a run may take.
    pub limits: Limits,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u64>,
    /// How a conversation that grows long is shortened.
    pub compaction: Compaction,
    /// How strictly work is checked, by name.
    pub profile: String,
    /// Looks whether it is done.
    pub verifier: Arc<Verifier>,
    /// Whether that is asked for at all.
    pub verify: Verify,
    /// Whether the runtime carries out the safe steps of cards itself.
    pub recovery: Recovery,
    /// Where the hand-written layers of the system prompt are.
    pub prompt: PromptFiles,
    /// The skills that there are.
    pub skills: Arc<Skills>,
    /// The hooks that there are.
    pub hooks: Arc<HookFiles>,
    /// What tools may do.
    pub tools: Rules,
    /// The walls around commands.
    pub walls: Plan,
    /// Values that must never be shown, stored or sent.
    pub secrets: Arc<[String]>,
    /// Who thinks of a session's name.
    pub titles: Titles,
    /// How long sessions are kept.
    pub retention: Retention,
    /// How many others a run may have work for it.
    pub delegate: Bounds,
    /// Models that those may ask besides the run's own.
    pub child_models: Vec<Model>,
}

/// Where the hand-written layers of the system prompt are.
#[derive(Debug, Clone, Default)]
pub struct PromptFiles {
    /// The identity as text; the empty text means no system message.
    pub identity: Option<String>,
    /// The identity as a file, where there is no text.
    pub identity_file: Option<PathBuf>,
    /// The instructions that come last.
    pub custom_file: Option<PathBuf>,
}
