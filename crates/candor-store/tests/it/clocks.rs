//! Clocks that lie: events are ordered by their numbers, and a time that is yet to come is not believed.

use candor_protocol::{Moment, RunId, SessionId, Usage};
use candor_store::{Filter, Grouping, Store};

use crate::rig::{Log, Rig, on_both, outcome};

on_both! {
    events_keep_the_order_of_their_numbers,
    the_latest_is_the_newest_that_can_be_believed,
    a_clock_that_went_back_does_not_hide_what_came_after,
    a_time_to_come_neither_counts_nor_expires,
    usage_has_the_days_that_the_clock_said,
    activity_is_known_up_to_a_moment,
}

const YEAR_MS: i64 = 365 * 86_400_000;

fn now() -> i64 {
    Moment::now().as_millis()
}

/// A session in which something happened last so many milliseconds after now.
async fn told(store: &Store, ahead_ms: i64) -> SessionId {
    let mut log = Log::new();
    log.at = now() + ahead_ms - 2000;
    store.append(&[log.created(), log.said("words")]).await.unwrap();
    log.session
}

async fn listed(store: &Store) -> Vec<SessionId> {
    let filter = Filter { workspace: None, children: true, limit: 10, offset: 0 };
    store.sessions(&filter).await.unwrap().iter().map(|session| session.id).collect()
}

async fn events_keep_the_order_of_their_numbers(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    store.append(&[log.created(), log.said("first")]).await.unwrap();
    for at in [now() + 9 * YEAR_MS, 0, now(), now() - 9 * YEAR_MS] {
        log.at = at;
        store.append(&[log.said("more"), log.said("and more")]).await.unwrap();
    }
    let events = store.events(log.session, 0, 100).await.unwrap();
    assert!(events.iter().map(|event| event.seq).eq(1..=10));
    let newest = store.newest_events(log.session, 3).await.unwrap();
    let mut numbers: Vec<u64> = newest.iter().map(|event| event.seq).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [8, 9, 10]);
}

async fn the_latest_is_the_newest_that_can_be_believed(rig: Rig) {
    let store = rig.open().await;
    let ahead = told(&store, 5 * YEAR_MS).await;
    assert_eq!(store.latest("/work").await.unwrap(), Some(ahead), "there is no other");
    let before = told(&store, -1000).await;
    assert_eq!(store.latest("/work").await.unwrap(), Some(before));
    // Machines that share a database differ a little.
    let after = told(&store, 5000).await;
    assert_eq!(store.latest("/work").await.unwrap(), Some(after));
    assert_eq!(listed(&store).await, [after, before, ahead]);
}

/// What is found on a machine whose clock is years behind: all that was stored before is yet to come.
async fn a_clock_that_went_back_does_not_hide_what_came_after(rig: Rig) {
    let store = rig.open().await;
    let stored = [told(&store, 5 * YEAR_MS).await, told(&store, 6 * YEAR_MS).await];
    let behind = told(&store, -10).await;
    assert_eq!(store.latest("/work").await.unwrap(), Some(behind));
    assert_eq!(listed(&store).await, [behind, stored[1], stored[0]], "and those in their order");
}

async fn a_time_to_come_neither_counts_nor_expires(rig: Rig) {
    let store = rig.open().await;
    let ahead = [told(&store, 5 * YEAR_MS).await, told(&store, 6 * YEAR_MS).await];
    let honest = [told(&store, -3000).await, told(&store, -2000).await, told(&store, -1000).await];
    assert_eq!(store.expired(&["cli"], Some(2), None, 10).await.unwrap(), [honest[0]]);
    let all = store.expired(&["cli"], Some(0), Some(Moment::now()), 10).await.unwrap();
    assert_eq!(all, honest);
    assert!(ahead.iter().all(|session| !all.contains(session)));
}

async fn usage_has_the_days_that_the_clock_said(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    store.append(&[log.created(), log.said("words")]).await.unwrap();
    for (begun, ended) in
        [("2026-01-10", "2031-05-05"), ("2031-05-06", "2019-02-02"), ("2019-02-03", "2019-02-03")]
    {
        let at = |day: &str| format!("{day}T12:00:00Z").parse::<Moment>().unwrap().as_millis();
        let run = RunId::now();
        log.at = at(begun);
        let start = log.start(run, "m");
        log.at = at(ended);
        let end = log.end(run, outcome(Usage::new(1, 1), None));
        store.append(&[start, end]).await.unwrap();
    }
    let rows = store.usage(Grouping::Day, None).await.unwrap();
    let days: Vec<_> = rows.iter().map(|row| (row.key.as_str(), row.runs, row.duration_ms)).collect();
    assert_eq!(days, [("2031-05-06", 1, 400), ("2026-01-10", 1, 400), ("2019-02-03", 1, 400)]);
}

async fn activity_is_known_up_to_a_moment(rig: Rig) {
    let (store, mut log) = (rig.open().await, Log::new());
    let (at, run) = (|ms: i64| Moment::from_millis(1_000_000 + ms), RunId::now());
    assert_eq!(store.last_activity(at(0)).await.unwrap(), None);
    log.at = 1_000_000;
    let events = [log.created(), log.start(run, "m"), log.said("later in the same session")];
    store.append(&events).await.unwrap();
    assert_eq!(store.last_activity(at(1999)).await.unwrap(), None);
    assert_eq!(store.last_activity(at(2999)).await.unwrap(), Some(at(2000)), "a run that began");
    assert_eq!(store.last_activity(at(9999)).await.unwrap(), Some(at(3000)));
}
