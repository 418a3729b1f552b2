//! Every key: what it is for, its type, its default, and whether a workspace may set it.
//!
//! The schema, `docs/configuration.md` and `config.example.toml` are printed from here.

mod behaviour;
mod operation;
mod prompt;
mod provider;
mod telegram;
mod walls;
mod web;

use std::collections::BTreeMap;

pub use behaviour::{Compaction, Delegate, Permission, Profile, Recovery, Retry, Security, Tools};
pub use operation::{Interactive, Logging, Mcp, Rotation, Server, Session};
pub use prompt::SystemPrompt;
pub use provider::{Dialect, Provider};
pub use telegram::{
    Delivery, DeliveryRetry, DmPolicy, Group, GroupPolicy, Inbound, ParseMode, Polling, Queue, Streaming,
    StreamingMode, Telegram, TelegramMode, Topic,
};
pub use walls::{Approval, Network, Sandbox, SandboxLevel, SandboxPolicy};
pub use web::{Robots, SearchEngine, Web, WebSearch};

use crate::secret::SecretSource;
use crate::types::{Amount, Whole};

section! {
    /// Everything that can be configured.
    pub struct Config {
        /// Which model provider to use: a preset (anthropic, openai, openai-responses, deepseek, gemini, openrouter, groq, xai, mistral,
        /// ollama, llama.cpp, vllm, lmstudio) or the name of a `[providers.NAME]` table. Left out, the first one whose
        /// key is in the environment is taken.
        provider: Option<String> = None;
        /// Which model to ask for. `model = { provider = "…", name = "…" }` is understood too.
        model: Option<String> = None;
        /// The provider's key. Better out of this file: give `api_key_env`, `api_key_file` or `api_key_command` instead,
        /// or set the provider's own variable, such as `ANTHROPIC_API_KEY`.
        api_key: Option<SecretSource> = None, [Owner];
        /// Models to ask, in order, when the first one fails for good: `"MODEL"` of the same provider, or `"PROVIDER/MODEL"`.
        fallback_models: Vec<String> = Vec::new();
        /// The longest answer, in tokens. Left out, the model's own limit.
        max_tokens: Option<Whole<1, 10_000_000>> = None;
        /// Who the agent is: the identity at the head of every conversation. Keep it short, it is sent each time. The
        /// empty text sends no system message at all. A table of `identity`, `identity_file` and
        /// `custom_instructions_file` is understood too.
        system_prompt: SystemPrompt = SystemPrompt::default(), [Inside];
        /// How strictly work is checked before it may be called done: strict checks all there is, fast leaves out linters,
        /// smoke only starts services and probes them, yolo tests what it can and may install things.
        profile: Profile = Profile::Fast, [Earlier];
        /// What the agent may do: read-only writes nothing, ask asks before every write and command, workspace writes in the
        /// workspace and asks about doubtful commands, full has no sandbox.
        permission: Permission = Permission::Workspace, [Earlier];
        /// When a person is asked before a call, where that is not what `permission` says: always asks before every write and
        /// command, doubtful where the command gate has doubts, never refuses what it would ask about.
        approval: Option<Approval> = None, [Owner];
        /// What happens when a command fails for a known reason: off tells the model the card; auto first carries out those
        /// steps of the card that are marked safe, and its check, and tells the model what came of it.
        recovery: Recovery = Recovery::Off, [Earlier];
        /// The most one run may cost, in US dollars. Left out, no limit.
        max_cost: Option<Amount> = None, [Lower];
        /// Other providers, by name: any server that speaks one of the dialects.
        providers: BTreeMap<String, Provider> = BTreeMap::new(), [Owner];
        /// Where conversations are kept, and for how long.
        session: Session = Session::default(), [Owner];
        /// Servers of the Model Context Protocol.
        mcp: Mcp = Mcp::default(), [Owner];
        /// What is logged, where, and how long it is kept.
        logging: Logging = Logging::default(), [Owner];
        /// What happens when the provider fails for a moment.
        retry: Retry = Retry::default(), [Inside];
        /// The limits of tools.
        tools: Tools = Tools::default(), [Inside];
        /// The walls around tools.
        security: Security = Security::default(), [Inside];
        /// The walls around commands.
        sandbox: Sandbox = Sandbox::default(), [Inside];
        /// What the agent may fetch, and who is asked for searches.
        web: Web = Web::default(), [Owner];
        /// How conversations that grow long are shortened.
        compaction: Compaction = Compaction::default(), [Inside];
        /// Children: sessions that the agent starts to work for it.
        delegate: Delegate = Delegate::default(), [Inside];
        /// The address and surfaces of `candor serve`.
        server: Server = Server::default(), [Owner];
        /// The Telegram bot.
        telegram: Telegram = Telegram::default(), [Owner];
    }
}
