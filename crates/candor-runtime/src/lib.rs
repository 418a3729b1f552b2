//! Owns sessions: the one front door in, the one event stream out.
//!
//! A surface makes a [`Submission`](candor_protocol::Submission) and hands it to [`Runtime::submit`]; what happens then
//! reaches it, and everyone else who watches the session, through [`Runtime::subscribe`]; what happened earlier is asked
//! for through [`Runtime::query`]. Each session has one actor, the sole writer of its events: stored first, then shown.
//! The runtime deliberately does not know surfaces, does not read the configuration (a [`Setup`] arrives as a value) and
//! does not print.
//!
//! Start reading at `runtime.rs` for the door, `actor.rs` for the life of a session (`taking.rs` for what reaches it,
//! `hold.rs` for the right to write it), and `journal.rs` for the way of an
//! event from the run to the disk and to its readers; `vault.rs` keeps the secrets. `history.rs` makes the conversation that
//! a run begins with, `recovery.rs` closes what a dead process left open. `children/` has runs start sessions that work for
//! them, through the same door.

mod actor;
mod asking;
mod children;
mod fork;
mod history;
mod hold;
mod hooking;
mod import;
mod journal;
mod masking;
mod naming;
mod recovery;
mod retention;
mod runtime;
mod sessions;
mod setup;
mod sources;
mod subscription;
mod taking;
mod undoing;
mod vault;

pub use children::{Bounds, delegate_tool};
pub use import::{Ids, Imported};
pub use naming::{NEW_SESSION, Naming, Titles};
pub use retention::Retention;
pub use runtime::{NewSession, Runtime};
pub use setup::{PromptFiles, Setup};
pub use sources::layers;
pub use subscription::Subscription;
pub use taking::Receipt;
pub use undoing::{Looked, Which};
