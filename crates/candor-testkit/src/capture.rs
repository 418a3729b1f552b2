//! One output stream of a child, collected by a thread of its own.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// How much one stream may print before the run is given up: far above any honest output, far below what would
/// hurt the machine when a loop prints for ever.
pub const OUTPUT_BYTES_MAX: usize = 64 * 1024 * 1024;

const CHUNK_BYTES: usize = 64 * 1024;

/// What one stream printed so far. A condition variable, so that nobody has to sleep and look again.
#[derive(Debug, Clone)]
pub(crate) struct Capture {
    shared: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    end: Option<End>,
}

/// Why nothing more will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Closed,
    TooLong,
}

impl Capture {
    pub(crate) fn start(stream: impl Read + Send + 'static) -> Self {
        let capture = Self { shared: Arc::default() };
        let writer = capture.clone();
        thread::spawn(move || writer.fill(stream));
        capture
    }

    /// Everything printed so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.state().bytes.clone()
    }

    /// Waits until `wanted` is printed, the stream ends or the deadline passes; true when it was printed.
    pub(crate) fn wait_for(&self, wanted: &[u8], deadline: Instant) -> bool {
        self.wait_until(deadline, |state| state.end.is_some() || contains(&state.bytes, wanted));
        contains(&self.state().bytes, wanted)
    }

    /// Waits likewise for `wanted` behind the first `from` bytes, and returns where it ends.
    pub(crate) fn wait_for_after(&self, wanted: &[u8], from: usize, deadline: Instant) -> Option<usize> {
        let find = |state: &State| {
            let rest = state.bytes.get(from..).unwrap_or_default();
            let at = rest.windows(wanted.len().max(1)).position(|window| window == wanted)?;
            Some(from + at + wanted.len())
        };
        self.wait_until(deadline, |state| state.end.is_some() || find(state).is_some());
        find(&self.state())
    }

    /// Waits until the stream ends; nothing when the deadline passes first.
    pub(crate) fn wait_for_end(&self, deadline: Instant) -> Option<End> {
        self.wait_until(deadline, |state| state.end.is_some());
        self.state().end
    }

    fn wait_until(&self, deadline: Instant, reached: impl Fn(&State) -> bool) {
        let mut state = self.state();
        while !reached(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.shared.1.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn fill(&self, mut stream: impl Read) {
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut end = None;
        while end.is_none() {
            // A read error means the same as the end here: nothing more will come.
            let count = stream.read(&mut chunk).unwrap_or(0);
            let mut state = self.state();
            state.bytes.extend_from_slice(&chunk[..count]);
            if count == 0 {
                end = Some(End::Closed);
            } else if state.bytes.len() > OUTPUT_BYTES_MAX {
                end = Some(End::TooLong);
            }
            state.end = end;
            self.shared.1.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    wanted.is_empty() || bytes.windows(wanted.len()).any(|window| window == wanted)
}
