//! One server: whether it is there, and what happens when it is not.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use candor_log::event;
use candor_protocol::Code;
use candor_tools::ToolContext;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use rmcp::model::{CallToolResult, JsonObject};
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use crate::Options;
use crate::cache::{Cache, LastFailure};
use crate::config::Entry;
use crate::connection::{Bounds, Connection, Ear};
use crate::error::{Challenge, Error};
use crate::known::Known;
use crate::offer::Offer;
use crate::people::{Callers, Entered};
use crate::servers::ServerProcess;
use crate::standing::Standing;
use crate::starting::{Opening, start};

/// How long is waited before a server is started again.
const BACKOFF_FIRST: Duration = Duration::from_millis(250);
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// How often it may fail in a row before it is left alone.
const FAILURES_MAX: u32 = 5;
/// How long it may take to say what it offers.
const OFFER_TIME_MAX: Duration = Duration::from_secs(30);
/// How long people may think about what a server asks. Whether anybody is there at all is settled at once.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a call may take where the entry says nothing.
const CALL_TIME_MAX: Duration = Duration::from_secs(120);

/// What all servers share.
pub(crate) struct Basis {
    pub(crate) options: Options,
    pub(crate) cache: Cache,
    /// Counts the changes of what is offered.
    pub(crate) changes: watch::Sender<u64>,
}

/// One server.
pub(crate) struct Server {
    pub(crate) entry: Entry,
    basis: Arc<Basis>,
    /// Whose calls go on.
    callers: Arc<Callers>,
    /// A plain lock: it is held for a look and never across a wait.
    life: Mutex<Life>,
}

/// Where a server is in its life.
struct Life {
    state: State,
    failures: u32,
    last: Option<Error>,
    /// What it said about the login that it wants.
    challenge: Challenge,
}

enum State {
    Away,
    /// Everybody who wants it waits for the same start, which can be broken off.
    Starting(Start, AbortHandle),
    There(There),
}

type Start = Shared<BoxFuture<'static, Result<Arc<Connection>, Error>>>;

struct There {
    connection: Arc<Connection>,
    /// Those who wait for news from it. They end with it.
    watchers: Vec<AbortHandle>,
}

impl Drop for There {
    fn drop(&mut self) {
        self.watchers.iter().for_each(AbortHandle::abort);
    }
}

impl Server {
    pub(crate) fn new(entry: Entry, basis: Arc<Basis>) -> Self {
        Self {
            entry,
            basis,
            callers: Arc::default(),
            life: Mutex::new(Life {
                state: State::Away,
                failures: 0,
                last: None,
                challenge: Challenge::default(),
            }),
        }
    }

    /// Whether its tools are offered.
    pub(crate) fn is_usable(&self) -> bool {
        !self.entry.is_disabled && !self.entry.is_untrusted
    }

    /// Whether it may be reached at all.
    pub(crate) fn permit(&self) -> Result<(), Error> {
        if self.entry.is_untrusted {
            return Err(Error::Untrusted { server: self.entry.name.clone(), path: self.entry.path.clone() });
        }
        if self.entry.is_disabled {
            return Err(self.refused("its entry says \"disabled\": true"));
        }
        Ok(())
    }

    /// What is known of it without starting it.
    pub(crate) fn known(&self) -> Option<Arc<Known>> {
        self.basis.cache.get(&self.entry.hash)
    }

    /// What it offers, as far as is known without starting it.
    pub(crate) fn offer(&self) -> Option<Arc<Offer>> {
        self.known().map(|known| Arc::clone(known.offer()))
    }

    /// Whether it is known to have resources.
    pub(crate) fn has_resources(&self) -> bool {
        self.known().is_some_and(|known| known.outline.has_resources)
    }

    /// Where it is.
    pub(crate) fn standing(&self) -> Standing {
        let life = self.life();
        match &life.state {
            _ if self.entry.is_disabled => Standing::Disabled,
            _ if self.entry.is_untrusted => Standing::Untrusted,
            State::There(there) if there.connection.is_alive() => Standing::There,
            State::Starting(..) => Standing::Starting,
            _ if life.failures >= FAILURES_MAX => Standing::GivenUp,
            _ if life.failures > 0 => Standing::Failed,
            _ => Standing::Away,
        }
    }

    /// How it failed when it was last wanted, be it in another process.
    pub(crate) fn last_failure(&self) -> Option<LastFailure> {
        self.basis.cache.failure(&self.entry.hash)
    }

    /// What it said about the login that it wants.
    pub(crate) fn challenge(&self) -> Challenge {
        self.life().challenge.clone()
    }

    /// Its process, if there is one now.
    pub(crate) fn process(&self) -> Option<ServerProcess> {
        let life = self.life();
        let State::There(there) = &life.state else { return None };
        let child = there.connection.child().filter(|_| there.connection.is_alive())?;
        let oddities = child.oddities();
        Some(ServerProcess {
            pid: child.pid(),
            garbage_lines: oddities.garbage_lines,
            unasked_answers: oddities.unasked_answers,
        })
    }

    /// How long one of its calls may take.
    pub(crate) fn call_time_max(&self) -> Duration {
        self.entry.timeout.unwrap_or(CALL_TIME_MAX)
    }

    /// How long a call may take with all that may have to happen before it.
    pub(crate) fn whole_time_max(&self) -> Duration {
        // Twice the start: an old server may have to be started again after a question that it does not know.
        self.call_time_max() + self.basis.options.start_time_max * 2 + OFFER_TIME_MAX + BACKOFF_MAX + PATIENCE
    }

    /// Somebody's call begins: while it goes on, the server may want to know something from them.
    pub(crate) fn enter(&self, context: &ToolContext) -> Entered {
        self.callers.enter(context)
    }

    /// Calls one of its tools. What may have been done is never asked for again.
    pub(crate) async fn call(
        self: &Arc<Self>,
        tool: &str,
        args: JsonObject,
        context: &ToolContext,
    ) -> Result<CallToolResult, Error> {
        let (cancel, _caller) = (&context.cancel, self.enter(context));
        let connection = self.connection(tool, cancel).await?;
        let bounds = Bounds { limit: self.call_time_max(), cancel };
        let answer = connection.call(tool, args, bounds).await;
        self.note(&connection, answer.as_ref().err());
        answer
    }

    /// Asks it something else.
    pub(crate) async fn ask<T>(
        self: &Arc<Self>,
        what: &str,
        cancel: &CancellationToken,
        question: impl AsyncFnOnce(&Connection, Bounds<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let connection = self.connection(what, cancel).await?;
        let answer = question(&connection, Bounds { limit: self.call_time_max(), cancel }).await;
        self.note(&connection, answer.as_ref().err());
        answer
    }

    /// The connection, which is made if there is none.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        what: &str,
        cancel: &CancellationToken,
    ) -> Result<Arc<Connection>, Error> {
        let start = match self.there_or_start()? {
            Ok(connection) => return Ok(connection),
            Err(start) => start,
        };
        tokio::select! {
            biased;
            // The start goes on: the next one who asks has the use of it.
            () = cancel.cancelled() => Err(Error::Interrupted { tool: what.to_owned() }),
            started = start => started,
        }
    }

    /// Tries it again, however often it has failed, and asks what it offers.
    pub(crate) async fn probe(self: &Arc<Self>, cancel: &CancellationToken) -> Result<Arc<Offer>, Error> {
        let was_there = {
            let mut life = self.life();
            life.failures = 0;
            matches!(&life.state, State::There(there) if there.connection.is_alive())
        };
        let connection = self.connection("tools/list", cancel).await?;
        if was_there {
            // One that was just started has been asked.
            let refreshed = self.refresh(&connection).await;
            self.note(&connection, refreshed.as_ref().err());
            return refreshed;
        }
        self.offer().ok_or_else(|| self.refused("it did not say what it offers"))
    }

    /// Ends it.
    pub(crate) async fn stop(&self) {
        let state = std::mem::replace(&mut self.life().state, State::Away);
        match &state {
            State::There(there) => there.connection.stop().await,
            // What it had started goes with it.
            State::Starting(_, abort) => abort.abort(),
            State::Away => {}
        }
    }

    fn there_or_start(self: &Arc<Self>) -> Result<Result<Arc<Connection>, Start>, Error> {
        self.permit()?;
        let mut life = self.life();
        match &life.state {
            State::There(there) if there.connection.is_alive() => {
                return Ok(Ok(Arc::clone(&there.connection)));
            }
            State::Starting(start, _) => return Ok(Err(start.clone())),
            // It ended while nobody wanted anything.
            State::There(_) => {
                life.failures += 1;
                self.log_failed(life.failures, Code::McpDied, "it ended while nobody wanted anything");
            }
            State::Away => {}
        }
        if life.failures >= FAILURES_MAX {
            let reason = life.last.as_ref().map_or_else(|| "it ended".to_owned(), ToString::to_string);
            return Err(Error::GivenUp { server: self.entry.name.clone(), count: life.failures, reason });
        }
        event::McpServerStart { server: &self.entry.name, failures: life.failures }.log();
        let (start, abort) = self.begin(backoff(life.failures));
        life.state = State::Starting(start.clone(), abort);
        Ok(Err(start))
    }

    /// Starts it beside everything else.
    fn begin(self: &Arc<Self>, delay: Duration) -> (Start, AbortHandle) {
        let server = Arc::clone(self);
        let task = tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            let since = Instant::now();
            let started = server.make().await;
            server.settle(started, since.elapsed())
        });
        let (name, abort) = (self.entry.name.clone(), task.abort_handle());
        let made = task.map(move |made| {
            let broken =
                |_| Error::Start { server: name, reason: "the start broke off".into(), said: String::new() };
            made.unwrap_or_else(|error| Err(broken(error)))
        });
        (made.boxed().shared(), abort)
    }

    async fn make(self: &Arc<Self>) -> Result<There, Error> {
        let known = self.basis.cache.get(&self.entry.hash);
        let opening = match known {
            Some(known) if !known.outline.is_stateless => Opening::Initialize,
            _ => Opening::Ask,
        };
        let changed = Arc::new(Notify::new());
        let (server, callers) = (self.entry.name.clone(), Arc::clone(&self.callers));
        let ear = Ear { server, callers, changed: Arc::clone(&changed) };
        let connection = Arc::new(start(&self.entry, &self.basis.options, opening, &ear).await?);
        if let Err(error) = self.refresh(&connection).await {
            connection.stop().await;
            // It never was there for anybody.
            return Err(match error {
                Error::Died { server, how, said, .. } => {
                    Error::Start { server, reason: format!("it {how}"), said }
                }
                Error::TimedOut { server, limit, .. } => {
                    let reason =
                        format!("it had not said what it offers after {} seconds", limit.as_secs_f64());
                    Error::Start { server, reason, said: String::new() }
                }
                other => other,
            });
        }
        Ok(There { watchers: self.watch(&connection, &changed), connection })
    }

    fn settle(&self, started: Result<There, Error>, duration: Duration) -> Result<Arc<Connection>, Error> {
        let mut life = self.life();
        match started {
            Ok(there) => {
                let tools = self.known().map_or(0, |known| known.outline.tools.len() as u64);
                event::McpServerReady { server: &self.entry.name, duration, tools }.log();
                self.basis.cache.note(&self.entry.hash, None);
                let connection = Arc::clone(&there.connection);
                life.state = State::There(there);
                Ok(connection)
            }
            Err(error) => {
                life.state = State::Away;
                // Without a login nothing is wrong with the server.
                match &error {
                    Error::Login { challenge, .. } => life.challenge = challenge.clone(),
                    _ => life.failures += 1,
                }
                self.log_failed(life.failures, error.failure().code, &error.to_string());
                life.last = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Follows what it says about changes of what it offers.
    fn watch(self: &Arc<Self>, connection: &Arc<Connection>, changed: &Arc<Notify>) -> Vec<AbortHandle> {
        let mut watchers = Vec::new();
        if connection.is_stateless() {
            let (connection, changed) = (Arc::downgrade(connection), Arc::clone(changed));
            watchers.push(tokio::spawn(async move {
                let Some(connection) = connection.upgrade() else { return };
                // A server that does not know this has nothing to tell.
                let _ = connection.listen(&changed).await;
            }));
        }
        let (server, watched) = (Arc::downgrade(self), Arc::downgrade(connection));
        let changed = Arc::clone(changed);
        watchers.push(tokio::spawn(async move {
            loop {
                changed.notified().await;
                let (Some(server), Some(connection)) = (Weak::upgrade(&server), Weak::upgrade(&watched))
                else {
                    return;
                };
                // What was offered stays known if it cannot say now.
                let _ = server.refresh(&connection).await;
            }
        }));
        watchers.iter().map(tokio::task::JoinHandle::abort_handle).collect()
    }

    /// Asks what it offers, and tells everybody if that is something else than before.
    async fn refresh(&self, connection: &Connection) -> Result<Arc<Offer>, Error> {
        let never = CancellationToken::new();
        let offer = connection.offer(Bounds { limit: OFFER_TIME_MAX, cancel: &never }).await?;
        let now = Known::new(&self.entry.hash, offer, connection.is_stateless());
        let offer = Arc::clone(now.offer());
        let is_same = |before: Arc<Known>| before.outline == now.outline && before.offer() == now.offer();
        if !self.known().is_some_and(is_same) {
            self.basis.cache.put(now);
            self.basis.changes.send_modify(|count| *count += 1);
        }
        Ok(offer)
    }

    /// Remembers how a question ended.
    fn note(&self, connection: &Arc<Connection>, error: Option<&Error>) {
        let mut life = self.life();
        let is_current =
            matches!(&life.state, State::There(there) if Arc::ptr_eq(&there.connection, connection));
        match error {
            Some(error @ Error::Died { .. }) if is_current => {
                life.state = State::Away;
                life.failures += 1;
                self.log_failed(life.failures, Code::McpDied, &error.to_string());
                life.last = Some(error.clone());
            }
            Some(Error::Died { .. }) => {}
            Some(Error::Login { challenge, .. }) => life.challenge = challenge.clone(),
            _ if is_current => life.failures = 0,
            _ => {}
        }
    }

    /// Logs and keeps that it failed, and, the last time, that it is left alone. What it has said itself is no part of it.
    fn log_failed(&self, failures: u32, code: Code, error: &str) {
        let server = &self.entry.name;
        event::McpServerFailed { server, code: code.as_str(), error, failures }.log();
        self.basis.cache.note(&self.entry.hash, Some(error.to_owned()));
        if failures >= FAILURES_MAX {
            event::McpServerGivenUp { server, failures }.log();
        }
    }

    fn refused(&self, reason: &str) -> Error {
        Error::Start { server: self.entry.name.clone(), reason: reason.to_owned(), said: String::new() }
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long to wait before the next start after this many failures.
fn backoff(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        failures => BACKOFF_FIRST.saturating_mul(1 << (failures - 1).min(16)).min(BACKOFF_MAX),
    }
}
