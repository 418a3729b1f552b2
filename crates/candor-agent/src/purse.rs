//! What a run may spend together with those who work for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_protocol::{ChildrenTook, Usage};
use tokio::sync::Notify;

/// What a run and its children, and theirs, may spend and have spent.
///
/// Each run has one, and that of a child knows the one above it. What is paid out of it is counted in all above, so that no
/// run can spend more through others than by itself.
#[derive(Debug)]
pub struct Purse {
    limit_usd: Option<f64>,
    above: Option<Arc<Purse>>,
    /// A plain lock: it is held for a sum and never across a wait.
    state: Mutex<State>,
    /// Somebody has got an answer.
    answered: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// What this run spent itself.
    own_usd: f64,
    /// What those below spent.
    below: Below,
    /// How many wait for an answer that has to be paid.
    asking: u32,
    /// What the most expensive answer cost so far.
    dearest_usd: Option<f64>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Below {
    runs: u64,
    usage: Usage,
    cost_usd: f64,
    /// Whether the price of some answer is not known.
    unpriced: bool,
}

/// Somebody who waits for an answer, until it is dropped.
#[derive(Debug)]
pub(crate) struct Asking(Arc<Purse>);

impl Drop for Asking {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.asking = state.asking.saturating_sub(1);
        drop(state);
        self.0.answered.notify_waiters();
    }
}

impl Purse {
    /// One that nobody is above of.
    pub fn new(limit_usd: Option<f64>) -> Arc<Self> {
        Self::with(limit_usd, None)
    }

    /// One for a child, with a limit of its own.
    pub fn for_child(self: &Arc<Self>, limit_usd: Option<f64>) -> Arc<Self> {
        for purse in self.upwards() {
            purse.state().below.runs += 1;
        }
        Self::with(limit_usd, Some(Arc::clone(self)))
    }

    fn with(limit_usd: Option<f64>, above: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { limit_usd, above, state: Mutex::default(), answered: Notify::new() })
    }

    /// What is left to be spent; nothing where nobody has set a limit.
    pub fn left_usd(&self) -> Option<f64> {
        let left = |purse: &Self| purse.limit_usd.map(|limit| (limit - purse.spent_usd()).max(0.0));
        self.upwards().filter_map(left).reduce(f64::min)
    }

    /// What was spent, by this run and by those below.
    pub fn spent_usd(&self) -> f64 {
        let state = self.state();
        state.own_usd + state.below.cost_usd
    }

    /// What those below took; nothing where there was none.
    pub(crate) fn below(&self) -> Option<ChildrenTook> {
        let Below { runs, usage, cost_usd, unpriced } = self.state().below;
        (runs > 0).then(|| ChildrenTook { runs, usage, cost_usd: (!unpriced).then_some(cost_usd) })
    }

    /// Counts an answer.
    pub(crate) fn pay(&self, usage: Usage, cost_usd: Option<f64>) {
        let cost = cost_usd.unwrap_or_default();
        self.state().own_usd += cost;
        for purse in self.upwards() {
            let dearest = &mut purse.state().dearest_usd;
            *dearest = Some(dearest.map_or(cost, |dearest| dearest.max(cost)));
        }
        for purse in self.upwards().skip(1) {
            let below = &mut purse.state().below;
            below.usage += usage;
            below.cost_usd += cost;
            below.unpriced |= cost_usd.is_none();
        }
    }

    /// Whether nothing more may be spent: what was, and the limit that it has reached.
    pub(crate) fn exhausted(&self) -> Option<(f64, f64)> {
        let reached = |purse: &Self| {
            let (spent, limit) = (purse.spent_usd(), purse.limit_usd?);
            (spent >= limit).then_some((spent, limit))
        };
        self.upwards().find_map(reached)
    }

    /// Waits until one more may ask. Where there is a limit, no more ask at once than could all be paid if each answer cost
    /// as much as the dearest so far: several at once must not together go further beyond it than one alone would.
    pub(crate) async fn ask(self: &Arc<Self>) -> Vec<Asking> {
        let mut asking = Vec::new();
        let mut next = Some(self);
        while let Some(purse) = next {
            if purse.limit_usd.is_some() {
                purse.enter().await;
                asking.push(Asking(Arc::clone(purse)));
            }
            next = purse.above.as_ref();
        }
        asking
    }

    async fn enter(&self) {
        loop {
            // Made before the look, so that no answer falls in between.
            let answered = self.answered.notified();
            {
                let mut state = self.state();
                if state.has_room(self.limit_usd) {
                    state.asking += 1;
                    return;
                }
            }
            answered.await;
        }
    }

    /// This one, and those above.
    fn upwards(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |purse| purse.above.as_deref())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_room(&self, limit_usd: Option<f64>) -> bool {
        let (Some(limit), true) = (limit_usd, self.asking > 0) else { return true };
        let spent = self.own_usd + self.below.cost_usd;
        self.dearest_usd.is_some_and(|dearest| spent + dearest * f64::from(self.asking + 1) < limit)
    }
}

#[cfg(test)]
#[path = "purse_tests.rs"]
mod tests;
