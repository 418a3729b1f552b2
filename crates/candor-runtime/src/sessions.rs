//! The sessions in memory: each has at most one actor.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_protocol::SessionId;
use tokio::sync::mpsc;

use crate::hooking::Hooking;
use crate::journal::Journal;
use crate::naming::Name;
use crate::taking::Command;

/// The way to a session's actor.
#[derive(Clone)]
pub(crate) struct Handle {
    pub(crate) inbox: mpsc::Sender<Command>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) name: Arc<Name>,
    pub(crate) hooking: Arc<Hooking>,
}

/// The sessions with an actor. A plain lock: it is held for a look-up and never across a wait.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<SessionId, Handle>>);

impl Sessions {
    /// The session's actor. One that has ended because the store failed does not count: it is started anew, as the disk
    /// may have room again.
    pub(crate) fn find(&self, session: SessionId) -> Option<Handle> {
        find(&self.lock(), session)
    }

    /// The session's actor, started unless somebody else did so meanwhile.
    pub(crate) fn find_or_start(&self, session: SessionId, start: impl FnOnce() -> Handle) -> Handle {
        let mut sessions = self.lock();
        find(&sessions, session).unwrap_or_else(|| {
            let handle = start();
            sessions.insert(session, handle.clone());
            handle
        })
    }

    /// Forgets a session, if it is quiet and nobody is about to use it. Ways to it are given out under this lock only, so
    /// none can be between the look and the forgetting.
    pub(crate) fn let_go(&self, session: SessionId, is_quiet: impl FnOnce() -> bool) -> bool {
        let mut sessions = self.lock();
        let unused = sessions.get(&session).is_none_or(|handle| handle.inbox.strong_count() == 1);
        let forget = unused && is_quiet();
        if forget {
            sessions.remove(&session);
        }
        forget
    }

    /// All that are in memory, but for those that ended because the store failed.
    pub(crate) fn all(&self) -> Vec<(SessionId, Handle)> {
        let sessions = self.lock();
        sessions.keys().filter_map(|session| Some((*session, find(&sessions, *session)?))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Handle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find(sessions: &HashMap<SessionId, Handle>, session: SessionId) -> Option<Handle> {
    sessions.get(&session).filter(|handle| !handle.inbox.is_closed()).cloned()
}
