//! Hands lines to a writer that may block, from a thread of its own.
//!
//! Standard output is a pipe that somebody may stop reading. To make it non-blocking was rejected: the flag belongs to
//! whoever else has the same terminal or pipe open, standard error included.

use std::io::{self, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use candor_protocol::Level;

use crate::Clock;
use crate::line::{Head, Line};
use crate::queue::QUEUE_BYTES_MAX;
use crate::stamp::Stamp;

/// What may wait for the writer: the largest batch that there is.
const WAITING_BYTES_MAX: usize = QUEUE_BYTES_MAX;

/// How long the end waits for a writer to take the last lines. One that takes longer is read by nobody.
const END_WAIT_MAX: Duration = Duration::from_secs(1);

/// How long a writer is left alone that would block and says so: whoever started us may have made the pipe
/// non-blocking.
const BLOCKED_PAUSE: Duration = Duration::from_millis(10);

/// A buffer keeps this much between batches.
const BYTES_KEPT: usize = 1 << 16;

/// A writer of whole lines that never blocks, around one that may.
///
/// What does not fit is dropped, and a line `log_dropped` stands in its place as soon as the inner writer goes on. Once
/// that has failed, so does every further write.
#[derive(Debug)]
pub struct Relay(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<u8>,
    /// Lines that belong behind those that wait, and that are not there.
    dropped: u64,
    failed: Option<io::Error>,
    closing: bool,
    done: bool,
}

impl Relay {
    /// Starts the thread that feeds the writer. The clock dates the lines that tell of dropped ones.
    pub fn start(writer: impl Write + Send + 'static, clock: Clock) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let name = "candor-log-relay".to_owned();
        thread::Builder::new().name(name).spawn({
            let shared = Arc::clone(&shared);
            move || shared.feed(writer, &clock)
        })?;
        Ok(Self(shared))
    }
}

impl Write for Relay {
    /// Takes whole lines, and always all of them or an error.
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        if let Some(error) = state.failed.take() {
            // Whoever asks again is told no more than that it failed.
            state.failed = Some(error.kind().into());
            return Err(error);
        }
        let fit = state.fit(lines);
        state.waiting.extend_from_slice(lines.get(..fit).unwrap_or_default());
        let left = lines.get(fit..).unwrap_or_default();
        state.dropped += left.split_inclusive(|&byte| byte == b'\n').count() as u64;
        drop(state);
        self.0.changed.notify_all();
        Ok(lines.len())
    }

    /// Nothing waits here that is not on its way already.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Relay {
    /// Waits a moment for the last lines. A thread that hangs in its writer is left behind, as it must not keep the
    /// program from ending.
    fn drop(&mut self) {
        let deadline = Instant::now() + END_WAIT_MAX;
        let mut state = self.0.lock();
        state.closing = true;
        self.0.changed.notify_all();
        while !state.done {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl State {
    /// How many bytes of these lines there is room for: whole lines, and none behind a gap.
    fn fit(&self, lines: &[u8]) -> usize {
        let room = WAITING_BYTES_MAX.saturating_sub(self.waiting.len());
        match lines.get(..room) {
            _ if self.dropped > 0 => 0,
            Some(some) => some.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1),
            None => lines.len(),
        }
    }
}

impl Shared {
    fn feed(&self, mut writer: impl Write, clock: &Clock) {
        let mut lines = Vec::new();
        let failed = loop {
            lines.clear();
            lines.shrink_to(BYTES_KEPT);
            let Some(dropped) = self.take(&mut lines) else { break None };
            if dropped > 0 {
                lines.extend_from_slice(&gap(dropped, clock));
            }
            let wrote = catch_unwind(AssertUnwindSafe(|| write_all(&mut writer, &lines)));
            match wrote.unwrap_or_else(|_| Err(io::Error::other("the writer panicked"))) {
                Ok(()) => {}
                Err(error) => break Some(error),
            }
        };
        let mut state = self.lock();
        state.failed = failed;
        state.waiting = Vec::new();
        state.done = true;
        self.changed.notify_all();
    }

    /// Waits for lines, and gives how many are missing behind them; nothing when there will be no more.
    fn take(&self, lines: &mut Vec<u8>) -> Option<u64> {
        let state = self.lock();
        let is_quiet = |state: &mut State| state.waiting.is_empty() && state.dropped == 0;
        let waited = self.changed.wait_while(state, |state| is_quiet(state) && !state.closing);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if is_quiet(&mut state) {
            return None;
        }
        mem::swap(&mut state.waiting, lines);
        Some(mem::take(&mut state.dropped))
    }

    /// Nothing below can panic while it holds the lock, so a poisoned one is as good as any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The line that stands where lines are missing.
fn gap(dropped: u64, clock: &Clock) -> Vec<u8> {
    let (mut bytes, mut stamp) = (Vec::new(), Stamp::new());
    let head = Head { stamp: stamp.at(clock.now()), level: Level::Warn, module: "log", event: "log_dropped" };
    let mut line = Line::begin(&mut bytes, head);
    line.value("count", dropped);
    line.end();
    bytes
}

fn write_all(writer: &mut impl Write, mut lines: &[u8]) -> io::Result<()> {
    while !lines.is_empty() {
        match writer.write(lines) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => lines = lines.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(BLOCKED_PAUSE),
            Err(error) => return Err(error),
        }
    }
    writer.flush()
}
