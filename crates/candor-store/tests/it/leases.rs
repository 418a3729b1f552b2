//! A session's lease has one holder.

use candor_protocol::SessionId;

use crate::rig::{Rig, on_both};

on_both! {
    a_lease_excludes_every_other_holder,
    a_dropped_lease_can_be_taken_again,
    a_lease_is_for_one_session,
    a_store_that_closes_gives_its_leases_back,
}

async fn a_lease_excludes_every_other_holder(rig: Rig) {
    let (one, other, session) = (rig.open().await, rig.open().await, SessionId::now());
    let lease = one.lease(session).await.unwrap().unwrap();
    assert_eq!(lease.session(), session);
    assert!(one.lease(session).await.unwrap().is_none(), "the same store");
    assert!(other.lease(session).await.unwrap().is_none(), "another store");
    // Those who asked in vain have not taken it away.
    assert!(other.lease(session).await.unwrap().is_none());
}

async fn a_dropped_lease_can_be_taken_again(rig: Rig) {
    let (one, other, session) = (rig.open().await, rig.open().await, SessionId::now());
    for _ in 0..20 {
        drop(one.lease(session).await.unwrap().unwrap());
        // Its own store gives it back before it asks again; what another store sees may come a moment later.
        let again = one.lease(session).await.unwrap().unwrap();
        assert!(other.lease(session).await.unwrap().is_none());
        drop(again);
        let theirs = loop {
            if let Some(lease) = other.lease(session).await.unwrap() {
                break lease;
            }
            tokio::task::yield_now().await;
        };
        assert!(one.lease(session).await.unwrap().is_none());
        drop(theirs);
        while other.lease(session).await.unwrap().map(drop).is_none() {}
        while one.lease(session).await.unwrap().map(drop).is_none() {}
    }
}

async fn a_lease_is_for_one_session(rig: Rig) {
    let (one, other) = (rig.open().await, rig.open().await);
    let mut leases = Vec::new();
    for number in 0..50 {
        let store = if number % 2 == 0 { &one } else { &other };
        leases.push(store.lease(SessionId::now()).await.unwrap().expect("a session of its own"));
    }
}

async fn a_store_that_closes_gives_its_leases_back(rig: Rig) {
    let (one, other, session) = (rig.open().await, rig.open().await, SessionId::now());
    let lease = one.lease(session).await.unwrap().unwrap();
    drop(lease);
    one.close().await;
    assert!(other.lease(session).await.unwrap().is_some());
}
