//! What becomes of children when the session goes that they worked for.

use std::collections::BTreeSet;

use candor_protocol::{Code, Failure, SessionId};
use candor_store::Store;

/// How many children of one session are looked for at a time; what is left goes with the next look.
const PAGE: u32 = 500;
/// More than one session and its children ever are: an import can claim anything.
const FAMILY_MAX: usize = 10_000;

/// Deletes a session and all that work for it; false if it was not there. Where somebody writes one of them, nothing is
/// deleted.
pub(crate) async fn delete(store: &Store, session: SessionId) -> Result<bool, Failure> {
    let failed = |error: candor_store::Error| error.failure();
    let mut leases = Vec::new();
    for member in family(store, session).await? {
        let lease = store.lease(member).await.map_err(failed)?;
        let busy = || Failure::new(Code::SessionBusy).with("session", member);
        leases.push(lease.ok_or_else(busy)?);
    }
    let mut was_there = false;
    // The last first: after a crash in between nobody is left without the one it worked for.
    for lease in leases.iter().rev() {
        was_there = store.delete(lease).await.map_err(failed)?;
    }
    Ok(was_there)
}

/// A session, then those that work for it, each after the one it works for.
async fn family(store: &Store, session: SessionId) -> Result<Vec<SessionId>, Failure> {
    let (mut members, mut known) = (vec![session], BTreeSet::from([session]));
    let mut next = 0;
    while let Some(parent) = members.get(next).copied() {
        next += 1;
        let children = store.children(parent, PAGE).await.map_err(|error| error.failure())?;
        for child in children {
            if known.len() < FAMILY_MAX && known.insert(child.id) {
                members.push(child.id);
            }
        }
    }
    Ok(members)
}
