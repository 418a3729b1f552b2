//! Those who work for a run, as the run sees them.

use std::sync::Arc;

use candor_protocol::{Change, Evidence};
use serde_json::Value;

use crate::{BoxFuture, Purse};

/// Those who work for a run. Whoever owns sessions has them; a run only waits for them and hears what came of them.
pub trait Children: Send + Sync {
    /// What the run and they may spend.
    fn purse(&self) -> &Arc<Purse>;

    /// Waits until none is at work, and hands over what came of those that nobody has asked about.
    fn gather(&self) -> BoxFuture<'_, Vec<Handed>>;

    /// Stops those that are at work, and waits until they are over.
    fn end(&self) -> BoxFuture<'_, ()>;

    /// What was found of the work of each. It says what was seen then and decides nothing: the run's own look does.
    fn evidence(&self) -> Vec<Evidence>;
}

/// What came of one of them, as if the model had asked for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Handed {
    /// The call that it would have been.
    pub call_id: String,
    /// The tool.
    pub tool_name: String,
    /// What it would have been called with.
    pub args: Value,
    /// What the model reads.
    pub told: String,
    /// What people read.
    pub for_people: String,
    /// The files that the child changed, in that order.
    pub changes: Vec<Change>,
}
