//! What goes, and what a lying clock must not take with it.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Event, EventBody, Moment, Origin, Parent, Part, SessionId};
use candor_store::{Filter, Location, Store};

use super::{Retention, sweep};

const DAY: Duration = Duration::from_hours(24);
const MONTH: Retention = Retention { sessions: None, age: Some(Duration::from_hours(30 * 24)) };

struct Kept {
    _home: candor_testkit::Home,
    store: Arc<Store>,
}

impl Kept {
    async fn new() -> Self {
        let home = candor_testkit::Home::new();
        let location = Location::File(home.path().join("candor.db"));
        Self { store: Arc::new(Store::open(&location).await.unwrap()), _home: home }
    }

    /// A session in which something happened last so many days ago.
    async fn told(&self, days_ago: u32) -> SessionId {
        self.told_for(None, days_ago).await
    }

    /// The same for another one.
    async fn told_for(&self, parent: Option<SessionId>, days_ago: u32) -> SessionId {
        let parent = parent.map(|session_id| Parent { session_id, depth: 1, tools: None, model: None });
        let session_id = SessionId::now();
        let at = super::earlier(Moment::now(), DAY * days_ago);
        let created = EventBody::SessionCreated {
            source: "cli".to_owned(),
            name: "a name".to_owned(),
            workspace: "/w".to_owned(),
            instructions: None,
            job: None,
            forked_from: None,
            parent,
        };
        let said = EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text("words")] };
        let event = |(seq, body)| Event { seq, session_id, run_id: None, at, body };
        self.store.append(&[(1, created), (2, said)].map(event)).await.unwrap();
        session_id
    }

    async fn left(&self, keep: Retention) -> Vec<SessionId> {
        sweep(Arc::clone(&self.store), Origin::Cli, keep).await.unwrap();
        let filter = Filter { workspace: None, children: true, limit: 100, offset: 0 };
        self.store.sessions(&filter).await.unwrap().iter().map(|session| session.id).collect()
    }
}

#[tokio::test]
async fn what_is_too_old_goes() {
    let kept = Kept::new().await;
    let [_old, young, new] = [kept.told(40).await, kept.told(20).await, kept.told(2).await];
    assert_eq!(kept.left(MONTH).await, [new, young]);
}

/// Seen by a clock that is years ahead, everything is years old.
#[tokio::test]
async fn a_clock_that_jumps_ahead_takes_nothing_with_it() {
    let kept = Kept::new().await;
    let [older, newer] = [kept.told(5 * 365 + 20).await, kept.told(5 * 365).await];
    assert_eq!(kept.left(MONTH).await, [newer, older]);
    // Nor after it was worked with for some hours.
    let [first, second] = [kept.told(0).await, kept.told(0).await];
    assert_eq!(kept.left(MONTH).await, [second, first, newer, older]);
}

#[tokio::test]
async fn after_a_long_pause_a_day_of_use_is_enough() {
    let kept = Kept::new().await;
    let [_older, _newer] = [kept.told(420).await, kept.told(400).await];
    let [back, now] = [kept.told(2).await, kept.told(0).await];
    assert_eq!(kept.left(MONTH).await, [now, back]);
}

#[tokio::test]
async fn a_child_stays_and_goes_with_its_parent() {
    let kept = Kept::new().await;
    let old = kept.told(40).await;
    let [child, young] = [kept.told_for(Some(old), 1).await, kept.told(3).await];
    let [_grandchild, forgotten] =
        [kept.told_for(Some(child), 1).await, kept.told_for(Some(young), 50).await];
    assert_eq!(kept.left(MONTH).await, [young, forgotten]);
}
