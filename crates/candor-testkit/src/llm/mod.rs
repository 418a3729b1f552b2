//! A fake of five model APIs at the wire: a real server on the loopback address that says what a test tells it to say,
//! refuses what the real provider refuses, and goes wrong on request in every way that real ones do.
//!
//! It is strict because a client that is only ever answered kindly learns nothing: a request that the provider would
//! answer with a 400 gets that 400 here, in the provider's words, and the queued reply stays in the queue.
//!
//! Start reading at [`FakeLlm`] and [`Reply`]; then `plan.rs`, where a reply becomes steps on a connection.

mod dialect;
mod encode;
mod failure;
mod fault;
mod gate;
mod http;
mod plan;
mod reply;
mod seen;
mod serve;
mod strict;

use std::collections::{BTreeMap, VecDeque};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

pub use dialect::Dialect;
pub use fault::Fault;
pub use gate::Gate;
pub use reply::{Reply, Stop};
pub use seen::Seen;

use gate::WAIT_MAX;
use strict::Reasoned;

/// A model server for one dialect. Dropping it closes every connection and ends its threads.
#[derive(Debug)]
pub struct FakeLlm {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    dialect: Dialect,
    port: u16,
    state: Mutex<State>,
    changed: Condvar,
    listening: AtomicBool,
    stopping: AtomicBool,
    ids: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Reply>,
    repeat: Option<Reply>,
    models: Vec<String>,
    seen: Vec<Seen>,
    /// When the last byte of each answer was written.
    answered: Vec<Instant>,
    /// Requests for paths that this API does not have.
    strays: Vec<String>,
    require_reasoning: bool,
    reasoned: Vec<Reasoned>,
    connections: usize,
    hangups: usize,
    /// Connections by their number, to be able to end them.
    open: BTreeMap<usize, TcpStream>,
    acceptor: Option<JoinHandle<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl FakeLlm {
    /// Starts a server on a free port.
    pub fn start(dialect: Dialect) -> Self {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on the loopback address");
        let port = listener.local_addr().expect("a bound listener has an address").port();
        let state = State { models: vec!["fake-model".to_string()], ..State::default() };
        let shared = Arc::new(Shared {
            dialect,
            port,
            state: Mutex::new(state),
            changed: Condvar::new(),
            listening: AtomicBool::new(true),
            stopping: AtomicBool::new(false),
            ids: AtomicU64::new(1),
        });
        let accepting = Arc::clone(&shared);
        shared.lock().acceptor = Some(thread::spawn(move || accept(&accepting, &listener)));
        Self { shared }
    }

    /// What a configuration calls `base_url`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.shared.port, self.shared.dialect.base_path())
    }

    /// The dialect it speaks.
    pub fn dialect(&self) -> Dialect {
        self.shared.dialect
    }

    /// Queues a reply: one for each model request that is not refused, in order.
    #[track_caller]
    pub fn push(&self, reply: Reply) -> &Self {
        self.demand_meaning(&reply);
        self.shared.lock().queue.push_back(reply);
        self
    }

    /// Queues several replies.
    #[track_caller]
    pub fn extend(&self, replies: impl IntoIterator<Item = Reply>) -> &Self {
        for reply in replies {
            self.push(reply);
        }
        self
    }

    /// Answers every request like this once the queue is empty.
    #[track_caller]
    pub fn repeat(&self, reply: Reply) -> &Self {
        self.demand_meaning(&reply);
        self.shared.lock().repeat = Some(reply);
        self
    }

    /// What the list of models holds.
    pub fn models(&self, names: &[&str]) {
        self.shared.lock().models = names.iter().map(ToString::to_string).collect();
    }

    /// From now on refuses a history in which an assistant message has lost the reasoning that this fake sent with it,
    /// as DeepSeek does (chat completions only).
    pub fn require_reasoning_back(&self) -> &Self {
        self.shared.lock().require_reasoning = true;
        self
    }

    /// The model requests so far, refused ones included.
    pub fn requests(&self) -> Vec<Seen> {
        self.shared.lock().seen.clone()
    }

    /// When the last byte of each answer was written, in order; answers that list models are among them.
    pub fn answered(&self) -> Vec<Instant> {
        self.shared.lock().answered.clone()
    }

    /// How many replies are still queued.
    pub fn left(&self) -> usize {
        self.shared.lock().queue.len()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.shared.lock().connections
    }

    /// Waits for so many model requests. Panics, with what there was, when they do not come.
    #[track_caller]
    pub fn wait_for_requests(&self, count: usize) -> Vec<Seen> {
        let came = self.wait(|state| state.seen.len() >= count);
        let state = self.shared.lock();
        assert!(came, "waited in vain for {count} model requests\n{}", state.summary());
        state.seen.clone()
    }

    /// Waits until so many clients have left while their answer was held at a gate or kept silent. Panics when they do
    /// not.
    #[track_caller]
    pub fn wait_for_hangups(&self, count: usize) {
        let came = self.wait(|state| state.hangups >= count);
        let state = self.shared.lock();
        assert!(came, "waited in vain for {count} hangups, saw {}\n{}", state.hangups, state.summary());
    }

    /// Refuses new connections from now on; those that are there stay.
    pub fn stop_listening(&self) {
        let acceptor = self.shared.lock().acceptor.take();
        if let Some(acceptor) = acceptor {
            self.shared.listening.store(false, Ordering::SeqCst);
            // It sits in `accept`; a connection is what wakes it.
            let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.shared.port));
            let _ = acceptor.join();
        }
    }

    fn wait(&self, done: impl Fn(&State) -> bool) -> bool {
        let deadline = Instant::now() + WAIT_MAX;
        let mut state = self.shared.lock();
        while !done(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// A fault that cannot happen in the dialect would make a test pass for nothing.
    #[track_caller]
    fn demand_meaning(&self, reply: &Reply) {
        let dialect = self.shared.dialect;
        for fault in &reply.faults {
            assert!(fault.applies(dialect), "{fault:?} has no meaning in {}", dialect.name());
        }
    }
}

impl Drop for FakeLlm {
    fn drop(&mut self) {
        self.stop_listening();
        self.shared.stopping.store(true, Ordering::SeqCst);
        let threads = {
            let mut state = self.shared.lock();
            for stream in state.open.values() {
                let _ = stream.shutdown(Shutdown::Both);
            }
            std::mem::take(&mut state.threads)
        };
        let ended: Vec<_> = threads.into_iter().map(JoinHandle::join).collect();
        let sound = ended.iter().all(Result::is_ok);
        assert!(sound || thread::panicking(), "a connection of the fake {} panicked", self.dialect().name());
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Never the same in one fake, nor in two of them at a time.
    fn next_id(&self) -> String {
        format!("fake{:05}n{:06}", self.port, self.ids.fetch_add(1, Ordering::Relaxed))
    }

    fn hung_up(&self) {
        if !self.stopping.load(Ordering::SeqCst) {
            self.lock().hangups += 1;
            self.changed.notify_all();
        }
    }
}

impl State {
    fn summary(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for seen in &self.seen {
            let refused = seen.refused.as_deref().map(|why| format!(", refused: {why}")).unwrap_or_default();
            lines.push(format!("{} {}, {} bytes{refused}", seen.method, seen.path, seen.body_bytes));
        }
        lines.extend(self.strays.iter().map(|stray| format!("{stray}, not a path of this API")));
        format!("{} connections, {} replies left\n{}", self.connections, self.queue.len(), lines.join("\n"))
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    for stream in listener.incoming() {
        if !shared.listening.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        // Every write of ours is meant to be a packet.
        let _ = stream.set_nodelay(true);
        let Ok(handle) = stream.try_clone() else { continue };
        let mut state = shared.lock();
        state.connections += 1;
        let number = state.connections;
        state.open.insert(number, handle);
        let serving = Arc::clone(shared);
        state.threads.push(thread::spawn(move || serve::connection(&serving, stream, number)));
    }
}
