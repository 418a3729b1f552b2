//! Carries out one run: prompt, model, tools, outcome.
//!
//! [`run()`] is the whole loop. It deliberately does not read files or the environment, does not store and does not print:
//! what it needs arrives in [`RunInput`] and [`RunDeps`], what it has to tell goes to a [`Sink`], and the tools and the
//! provider are called through their traits. It has one caller, the session actor of the runtime.
//!
//! Start reading at `run.rs`, which is short on purpose; then `turn.rs` (one answer of the model), `calls.rs` (the tools it
//! asked for), `failures.rs` (what becomes of those that fail), `pictures.rs` (what they gave to be seen), `prompt.rs` (the layers of the system prompt), `limits.rs` (what ends a run that does not end by itself), `purse.rs` and `children.rs` (those who work for it),
//! `conversation.rs` (what stored events say was said) and `compact/` (what happens when that grows too long).

mod calls;
mod children;
mod compact;
mod conceal;
mod conversation;
mod deps;
mod failures;
mod limits;
mod messages;
mod owed;
mod partial;
mod pictures;
mod prompt;
mod purse;
mod recover;
mod run;
mod sink;
mod target;
mod title;
mod turn;
mod verifier;
mod verify_tool;

pub use children::{Children, Handed};
pub use compact::Compaction;
pub use conversation::{Conversation, Summary};
pub use deps::{Model, Price, Recovery, RunDeps, RunInput, Task, Verify};
pub use limits::Limits;
pub use messages::build_messages;
pub use prompt::{Catalogue, Harness, IDENTITY, Layer, LayerName, Layers, Sourced};
pub use purse::Purse;
pub use run::run;
pub use sink::{BoxFuture, Mask, Sink};
pub use title::{Title, first_words, title};
pub use verifier::{Hide, Tell, Verifier};
pub use verify_tool::VerifyTool;
