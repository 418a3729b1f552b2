//! Lets go of old sessions, where the owner asked for it.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Code, Failure, Moment, Origin};
use candor_store::Store;

use crate::children;

/// How many sessions are deleted at a time; what is left goes with the next new session.
const DELETED_MAX: u32 = 100;

/// Sessions that a person leads.
const PEOPLE: &[&str] = &["cli", "repl", "websocket", "http", "telegram", "acp"];
/// Sessions that nobody leads.
const MACHINES: &[&str] = &["cron", "workflow", "subagent"];

/// How long ago something must have happened for it to show that time has passed.
const WITNESS_AGE: Duration = Duration::from_hours(24);

/// How long sessions are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// At most so many, of those that people lead and of the others each.
    pub sessions: Option<u32>,
    /// At most so long after something last happened in them.
    pub age: Option<Duration>,
}

/// Deletes what is beyond the limits, among the sessions of the same class as the new one: a schedule that runs every
/// minute must not push out what a person said. A session that somebody writes at the moment stays.
pub(crate) async fn sweep(store: Arc<Store>, origin: Origin, keep: Retention) -> Result<(), Failure> {
    if keep == Retention::default() {
        return Ok(());
    }
    let class = if MACHINES.contains(&origin.as_str()) { MACHINES } else { PEOPLE };
    let before = match keep.age {
        Some(age) => oldest_kept(&store, age).await?,
        None => None,
    };
    let expired = store.expired(class, keep.sessions, before, DELETED_MAX).await;
    for session in expired.map_err(|error| error.failure())? {
        match children::delete(&store, session).await {
            Err(failure) if failure.code == Code::SessionBusy => {}
            deleted => drop(deleted?),
        }
    }
    Ok(())
}

/// Up to when sessions are too old. The age counts from the last thing that happened at least a day ago and not from the
/// clock: one that jumps ahead by years would otherwise take everything with it before anyone sets it right. So old
/// sessions outlive their age until there was a day of use after it.
async fn oldest_kept(store: &Store, age: Duration) -> Result<Option<Moment>, Failure> {
    let witness = store.last_activity(earlier(Moment::now(), WITNESS_AGE)).await;
    Ok(witness.map_err(|error| error.failure())?.map(|witness| earlier(witness, age)))
}

fn earlier(moment: Moment, age: Duration) -> Moment {
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    Moment::from_millis(moment.as_millis().saturating_sub(age))
}

#[cfg(test)]
#[path = "retention_tests.rs"]
mod tests;
