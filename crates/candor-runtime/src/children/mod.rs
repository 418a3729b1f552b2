//! Sessions that work for another one.
//!
//! A run starts a child through the front door, as a surface would: it creates a session, hands in a message and reads the
//! events. What differs stands in the [`Charge`] that goes with the message: the run above can end the child, pays for it,
//! asks people for it, and lends it no more tools than it has itself. How many there may be is counted over the whole family,
//! from the run that a person asked for down to the last grandchild ([`Family`]).
//!
//! Start reading at `tool.rs` for what a model can ask for, then `scope.rs` for what a run has to do with its children, and
//! `live.rs` for one of them at work. `report.rs` words what came of one, `past.rs` reads the same from the store.

mod closing;
mod door;
mod family;
mod live;
mod past;
mod relay;
mod report;
mod scope;
mod starting;
mod tool;

use std::sync::Arc;

use candor_agent::Purse;
use candor_tools::{Approver, Grants, Registry, Tool};
use tokio_util::sync::CancellationToken;

pub(crate) use closing::delete;
pub(crate) use door::Door;
pub(crate) use family::Family;
pub(crate) use scope::{Scope, Scopes};

/// What the tool is called.
const NAME: &str = "delegate";

/// How many sessions may work for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bounds {
    /// How many may stand one below the other.
    pub depth: u32,
    /// How many may be started for one run of a person, whoever starts them.
    pub children: u32,
    /// How many of them may be at work at a time.
    pub running: u32,
}

/// What a run is given by the one that it works for.
pub(crate) struct Charge {
    /// Ends it: it is ended with the run above.
    pub(crate) cancel: CancellationToken,
    /// Who asks people.
    pub(crate) approver: Arc<dyn Approver>,
    /// What people have allowed.
    pub(crate) grants: Arc<Grants>,
    /// What it may spend.
    pub(crate) purse: Arc<Purse>,
    /// The tools that it has.
    pub(crate) tools: Arc<Registry>,
    /// Those that it is one of.
    pub(crate) family: Arc<Family>,
    /// How many runs stand above it.
    pub(crate) depth: u32,
}

/// The tool by which runs start children.
pub(crate) fn tool(scopes: &Arc<Scopes>) -> Arc<dyn Tool> {
    Arc::new(tool::Delegate::new(Arc::clone(scopes)))
}

/// The same for whoever only wants to show what it is: no run can use it.
pub fn delegate_tool() -> Arc<dyn Tool> {
    tool(&Arc::default())
}
