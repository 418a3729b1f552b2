//! Carries lines from the threads that log to the one that writes.
//!
//! Two buffers change places: callers append to one while the writer empties the other. A channel was not taken
//! because it costs an allocation per line and is bounded in lines rather than bytes.

use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use candor_protocol::Level;

/// What may wait to be written. At the rate the writer keeps up with it is a tenth of a second's worth of lines, and it
/// holds several of the longest.
pub(crate) const QUEUE_BYTES_MAX: usize = 8 << 20;

/// How long a warning or an error waits for room before it is dropped. Longer would let a stalled disk stall the
/// program.
const ROOM_WAIT_MAX: Duration = Duration::from_millis(50);

/// How long [`Queue::flush`] waits for the writer. It runs in a panicking program, which must still end.
const FLUSH_WAIT_MAX: Duration = Duration::from_secs(2);

/// How long the end of the log waits for the last lines. A disk that takes longer than this has hung.
const STOP_WAIT_MAX: Duration = Duration::from_secs(5);

/// How often a thread that must not block on the lock looks again whether it is free.
const LOCK_POLL: Duration = Duration::from_millis(1);

/// How long the writer stays up after a batch. To wake it costs the caller more than all the rest of a call, and lines
/// come in bursts; a line is on its way to the file this much later at most.
const LINGER: Duration = Duration::from_millis(2);

/// A buffer keeps this much between batches; more is given back once a burst is over.
const BATCH_BYTES_KEPT: usize = 1 << 20;

/// Lines on their way to the writer.
#[derive(Default)]
pub(crate) struct Batch {
    /// Whole lines.
    pub(crate) bytes: Vec<u8>,
    /// How many they are.
    pub(crate) lines: u64,
    /// How many more there would have been, had there been room.
    pub(crate) dropped: u64,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.dropped == 0
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(BATCH_BYTES_KEPT);
        self.lines = 0;
        self.dropped = 0;
    }
}

/// What the writer is doing.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// It will look at the queue again by itself.
    #[default]
    Busy,
    /// It sleeps until someone wakes it.
    Idle,
    /// It has written its last line.
    Gone,
}

/// Whether more lines are to come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum More {
    /// Take again.
    Maybe,
    /// This was the last batch.
    No,
}

#[derive(Default)]
struct State {
    waiting: Batch,
    writer: Writer,
    writer_thread: Option<ThreadId>,
    /// Lines the writer has been handed or has waiting, since the start.
    accepted: u64,
    /// Lines the writer is done with, since the start.
    settled: u64,
    for_room: u32,
    for_settled: u32,
    stopping: bool,
}

// Between locking and unlocking nothing below can panic, so a panic hook never finds the lock held by its own thread;
// it takes the bounded way to the lock all the same.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    room: Condvar,
    settled: Condvar,
}

impl Queue {
    /// Hands over one line. Never blocks for more than [`ROOM_WAIT_MAX`], and never at all below a warning.
    pub(crate) fn push(&self, line: &[u8], level: Level) {
        let mut state = self.lock();
        if !state.has_room(line) && level <= Level::Warn && !state.on_writer_thread() {
            state = self.wait_for_room(state, line);
        }
        self.append(state, line);
    }

    /// Hands over one line from a panicking thread: where the lock is not to be had, the line is given up.
    pub(crate) fn push_panicking(&self, line: &[u8]) {
        if let Some(state) = self.lock_within(ROOM_WAIT_MAX) {
            self.append(state, line);
        }
    }

    /// Waits, for a bounded time, until the writer is done with every line handed over so far.
    pub(crate) fn flush(&self) {
        let deadline = Instant::now() + FLUSH_WAIT_MAX;
        let Some(mut state) = self.lock_within(FLUSH_WAIT_MAX) else { return };
        if state.on_writer_thread() {
            return;
        }
        let goal = state.accepted;
        state.for_settled += 1;
        self.filled.notify_one();
        while state.settled < goal && state.writer != Writer::Gone {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = wait_timeout(&self.settled, state, left);
        }
        state.for_settled -= 1;
    }

    /// Tells the writer to finish, and waits a bounded time until it has. Returns whether it has.
    pub(crate) fn stop(&self) -> bool {
        let deadline = Instant::now() + STOP_WAIT_MAX;
        let mut state = self.lock();
        state.stopping = true;
        state.for_settled += 1;
        self.filled.notify_one();
        while state.writer != Writer::Gone {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = wait_timeout(&self.settled, state, left);
        }
        state.for_settled -= 1;
        state.writer == Writer::Gone
    }

    /// For the writer: settles the batch it hands back and waits for the next one.
    pub(crate) fn exchange(&self, batch: &mut Batch) -> More {
        let mut state = self.lock();
        state.writer_thread.get_or_insert_with(|| thread::current().id());
        state.settled += batch.lines;
        batch.clear();
        if state.for_settled > 0 {
            self.settled.notify_all();
        }
        if state.waiting.is_empty() && !state.stopping {
            // Still called busy, so that the lines that follow close behind pay for no waking.
            state = wait_timeout(&self.filled, state, LINGER);
        }
        while state.waiting.is_empty() && !state.stopping {
            state.writer = Writer::Idle;
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.writer = Writer::Busy;
        mem::swap(&mut state.waiting, batch);
        if state.for_room > 0 {
            self.room.notify_all();
        }
        if state.stopping && batch.is_empty() { More::No } else { More::Maybe }
    }

    /// For the writer: its last word.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.writer = Writer::Gone;
        self.settled.notify_all();
        self.room.notify_all();
    }

    fn append(&self, mut state: MutexGuard<'_, State>, line: &[u8]) {
        if state.writer == Writer::Gone {
            return;
        }
        if state.has_room(line) {
            state.waiting.bytes.extend_from_slice(line);
            state.waiting.lines += 1;
            state.accepted += 1;
        } else {
            state.waiting.dropped += 1;
        }
        if state.writer == Writer::Idle {
            // Marked here and not by the writer, so that only the first of many lines pays for waking it.
            state.writer = Writer::Busy;
            drop(state);
            self.filled.notify_one();
        }
    }

    fn wait_for_room<'q>(&'q self, mut state: MutexGuard<'q, State>, line: &[u8]) -> MutexGuard<'q, State> {
        let deadline = Instant::now() + ROOM_WAIT_MAX;
        state.for_room += 1;
        self.filled.notify_one();
        while !state.has_room(line) && state.writer != Writer::Gone {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = wait_timeout(&self.room, state, left);
        }
        state.for_room -= 1;
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_within(&self, limit: Duration) -> Option<MutexGuard<'_, State>> {
        let deadline = Instant::now() + limit;
        loop {
            match self.state.try_lock() {
                Ok(state) => return Some(state),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_POLL),
            }
        }
    }
}

impl State {
    fn has_room(&self, line: &[u8]) -> bool {
        self.waiting.bytes.len() + line.len() <= QUEUE_BYTES_MAX
    }

    /// What the writer itself says (through a mirror that logs, say) must not wait for the writer.
    fn on_writer_thread(&self) -> bool {
        self.writer_thread == Some(thread::current().id())
    }
}

fn wait_timeout<'q>(
    condvar: &Condvar,
    state: MutexGuard<'q, State>,
    limit: Duration,
) -> MutexGuard<'q, State> {
    condvar.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0
}
