//! What ends a run that does not end by itself.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Code, Failure, Usage};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Purse;

/// What a run may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The most turns.
    pub turns: u64,
    /// The most US dollars.
    pub cost_usd: Option<f64>,
    /// The longest time.
    pub time: Option<Duration>,
}

/// A run's limits, and what it has used.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    started: Instant,
    /// What it may spend, together with those who work for it.
    pub(crate) purse: Arc<Purse>,
    pub(crate) turns: u64,
    pub(crate) tool_calls: u64,
    /// What the priced answers cost.
    pub(crate) cost_usd: f64,
    /// Whether an answer was given whose price nobody knows.
    pub(crate) unpriced: bool,
}

impl Budget {
    pub(crate) fn new(limits: Limits, purse: Arc<Purse>) -> Self {
        let started = Instant::now();
        Self { limits, started, purse, turns: 0, tool_calls: 0, cost_usd: 0.0, unpriced: false }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// When the time is over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.limits.time.and_then(|time| self.started.checked_add(time))
    }

    /// Counts what an answer cost; whether its price is the first unknown one and there is a limit that it may break.
    pub(crate) fn pay(&mut self, usage: Usage, cost_usd: Option<f64>) -> bool {
        self.purse.pay(usage, cost_usd);
        let Some(cost) = cost_usd else {
            let first = !std::mem::replace(&mut self.unpriced, true);
            return first && self.purse.left_usd().is_some();
        };
        self.cost_usd += cost;
        false
    }

    /// What the run cost, where that is known of all its answers.
    pub(crate) fn cost(&self) -> Option<f64> {
        (!self.unpriced).then_some(self.cost_usd)
    }

    /// Why no further turn may begin.
    pub(crate) fn spent(&self) -> Option<Failure> {
        if self.turns >= self.limits.turns {
            return Some(Failure::new(Code::RunTurnsSpent).with("limit", self.limits.turns));
        }
        match self.purse.exhausted() {
            Some((spent, limit)) => Some(
                Failure::new(Code::RunCostSpent).with("spent", format!("{spent:.4}")).with("limit", limit),
            ),
            None => self.out_of_time(),
        }
    }

    /// Why the run may not go on, if its time is over.
    pub(crate) fn out_of_time(&self) -> Option<Failure> {
        let limit = self.limits.time.filter(|limit| self.elapsed() >= *limit)?;
        Some(Failure::new(Code::RunTimeSpent).with("limit", format!("{} seconds", limit.as_secs_f32())))
    }
}

/// Cancels when the time is over, so that the model and the tools are told the same way as by a user.
pub(crate) async fn cancel_at(deadline: Option<Instant>, cancel: &CancellationToken) -> Infallible {
    if let Some(deadline) = deadline {
        tokio::time::sleep_until(deadline).await;
        cancel.cancel();
    }
    std::future::pending().await
}
