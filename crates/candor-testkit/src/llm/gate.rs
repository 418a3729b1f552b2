//! A gate: the test decides when the rest of an answer goes out.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a test waits for the server before it is called stuck: far more than a loaded machine needs.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(30);

/// How often a held answer looks whether its client is still there. A socket and a condition variable cannot be waited
/// for together without a poller.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// Holds an answer after its first delta until [`Gate::open`]. Clones are the same gate.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    reached: bool,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets every answer through, now and later.
    pub fn open(&self) {
        self.lock().open = true;
        self.shared.changed.notify_all();
    }

    /// Waits until an answer is held here: its first delta has been sent. Panics when none comes.
    #[track_caller]
    pub fn wait_reached(&self) {
        let deadline = Instant::now() + WAIT_MAX;
        let mut state = self.lock();
        while !state.reached {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no answer came to the gate within {WAIT_MAX:?}");
            state = self.wait(state, left);
        }
    }

    /// For the server: holds until the gate is open or `given_up` says that nobody waits any more. Returns whether it
    /// is open.
    pub(super) fn hold(&self, given_up: impl Fn() -> bool) -> bool {
        let mut state = self.lock();
        state.reached = true;
        self.shared.changed.notify_all();
        while !state.open {
            state = self.wait(state, LOOK_INTERVAL);
            if !state.open && given_up() {
                return false;
            }
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&'g self, state: MutexGuard<'g, State>, limit: Duration) -> MutexGuard<'g, State> {
        self.shared.changed.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0
    }
}
