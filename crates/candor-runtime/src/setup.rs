//! What runs work with, as values.

use std::path::PathBuf;
use std::time::Duration;

use candor_agent::{Limits, Model, Verify};
use candor_llm::retry::Policy;
use candor_tools::Permission;

/// What runs work with. It is read at the start of each run, so that a change never reaches into one.
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
    /// How many of the newest tokens stay when a conversation has to be shortened.
    pub keep_tokens: u64,
    /// How strictly work is checked, by name.
    pub profile: String,
    /// Whether it is checked at all.
    pub verify: Verify,
    /// Where the hand-written layers of the system prompt are.
    pub prompt: PromptFiles,
    /// What tools may do.
    pub tools: ToolSetup,
    /// Values that must never be shown, stored or sent.
    pub secrets: Vec<String>,
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

/// What tools may do.
#[derive(Debug, Clone)]
pub struct ToolSetup {
    /// Without asking.
    pub permission: Permission,
    /// The whole environment of commands.
    pub env: Vec<(String, String)>,
    /// How long one call may take.
    pub timeout: Duration,
    /// How much of its output the model gets.
    pub output_bytes_max: usize,
    /// Where no tool may look.
    pub hidden: Vec<PathBuf>,
    /// Where file tools may look; empty: anywhere else.
    pub allowed: Vec<PathBuf>,
    /// Where output that is too long for the model is kept.
    pub spill: Option<PathBuf>,
}
