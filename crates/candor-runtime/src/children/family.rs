//! How many work for one run, whoever started them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_protocol::{Code, Failure};

use super::Bounds;

/// All who work for a run that a person asked for: its children, theirs, and so on.
#[derive(Debug)]
pub(crate) struct Family {
    bounds: Bounds,
    /// A plain lock: both numbers are looked at and changed together.
    count: Mutex<Count>,
}

#[derive(Debug, Default)]
struct Count {
    started: u32,
    running: u32,
}

/// One that is at work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place(Arc<Family>);

impl Drop for Place {
    fn drop(&mut self) {
        let mut count = self.0.count();
        count.running = count.running.saturating_sub(1);
    }
}

/// What a place is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A new child.
    Start,
    /// A further run of one that was started before.
    Again,
}

impl Family {
    pub(crate) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { bounds, count: Mutex::default() })
    }

    /// Whether one that stands so far down may start another.
    pub(crate) fn goes_deeper(&self, depth: u32) -> bool {
        depth < self.bounds.depth && self.bounds.children > 0
    }

    /// Makes room for one more, or says which bound is in the way.
    pub(crate) fn enter(self: &Arc<Self>, depth: u32, wanted: Wanted) -> Result<Place, Failure> {
        let Bounds { depth: deepest, children, running } = self.bounds;
        if !self.goes_deeper(depth) {
            return Err(limit("depth", "delegate.max_depth", deepest));
        }
        let mut count = self.count();
        if wanted == Wanted::Start && count.started >= children {
            return Err(limit("number", "delegate.max_children", children));
        }
        if count.running >= running {
            return Err(limit("number at work", "delegate.max_running", running));
        }
        count.started += u32::from(wanted == Wanted::Start);
        count.running += 1;
        drop(count);
        Ok(Place(Arc::clone(self)))
    }

    fn count(&self) -> MutexGuard<'_, Count> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn limit(what: &str, setting: &str, limit: u32) -> Failure {
    Failure::new(Code::DelegateLimit).with("what", what).with("setting", setting).with("limit", limit)
}
