//! A running process, and its end.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use tokio::io::unix::AsyncFd;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::listening;
use crate::orphans::mark_value;
use crate::sandbox::Sandbox;
use crate::strays::{KILL_TIME_MAX, Mark, wait_for_ends};
use crate::streams::{self, ChildStreams, Pipes};
use crate::walls::init::Init;
use crate::walls::placeholder::Placeholder;
use crate::walls::spawn::{Launched, Prepared};
use crate::{Error, Listening, Spec};

/// A process that was started and not reaped yet. Dropping it kills all of its call.
///
/// Our child is init, the first process of the command's namespace, or its keeper where there is none. It is waited for through
/// a pidfd and reaped only at the very end: as long as it is not, its number is its own, dead or alive.
#[derive(Debug)]
pub(crate) struct Process {
    /// Nothing once it is reaped.
    child: Mutex<Option<Init>>,
    is_in_namespace: bool,
    end: AsyncFd<OwnedFd>,
    mark: Mark,
    /// They stand in for missing paths until the process has ended.
    placeholders: Mutex<Vec<Placeholder>>,
}

/// What is found out before a process is started. Nothing of it has run. What stands in for paths that it must not make stands
/// already, and goes when this is dropped.
pub(crate) struct Preparation<'p> {
    spec: &'p Spec,
    sandbox: &'p Sandbox,
    mark: String,
    streams: ChildStreams,
    pipes: Pipes,
    prepared: Prepared,
}

impl<'p> Preparation<'p> {
    pub(crate) fn new(spec: &'p Spec, sandbox: &'p Sandbox) -> Result<Self, Error> {
        // Asked first, because the same error of the start means either this or the program.
        look_at_cwd(spec, sandbox).map_err(|source| Error::Cwd { path: spec.cwd.clone(), source })?;
        let mark = mark_value();
        let (streams, pipes) = streams::open(spec)?;
        let prepared = Prepared::new(spec, sandbox, &mark)?;
        Ok(Self { spec, sandbox, mark, streams, pipes, prepared })
    }

    /// What is to be run.
    pub(crate) fn spec(&self) -> &'p Spec {
        self.spec
    }

    /// Starts it.
    pub(crate) fn start(self) -> Result<(Process, Pipes), Error> {
        let Self { spec, sandbox, mark, streams, pipes, prepared } = self;
        let since = Instant::now();
        let Launched { init, placeholders } = prepared.launch(spec, sandbox, &streams)?;
        let is_in_namespace = sandbox.space().is_some();
        let mark = Mark::kept(mark, init.pid(), since);
        match watch(init.pid()) {
            Ok(end) => {
                let (child, placeholders) = (Mutex::new(Some(init)), Mutex::new(placeholders));
                Ok((Process { child, is_in_namespace, end, mark, placeholders }, pipes))
            }
            Err(source) => {
                discard(init, &mark, is_in_namespace);
                Err(Error::NotStarted { program: spec.program.clone(), source })
            }
        }
    }
}

impl Process {
    /// Starts one.
    pub(crate) fn start(spec: &Spec, sandbox: &Sandbox) -> Result<(Self, Pipes), Error> {
        Preparation::new(spec, sandbox)?.start()
    }

    /// What tells its descendants from others.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// The number of init on the host.
    pub(crate) fn pid(&self) -> u32 {
        self.mark.first().as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits until it has ended by itself or by a signal.
    pub(crate) async fn ended(&self) {
        // The readiness is never taken back, so that whoever asks again is told again. An error cannot come from a
        // descriptor that is registered, and would end the wait as well.
        let _ = self.end.readable().await;
    }

    /// Asks it and all it started to end.
    pub(crate) async fn terminate(&self) {
        self.ask_to_end(Signal::TERM).await;
    }

    /// The same by another signal.
    pub(crate) async fn ask_to_end(&self, signal: Signal) {
        if self.is_in_namespace {
            return self.child().as_ref().map_or((), |init| init.ask_to_end(signal));
        }
        let mark = self.mark.clone();
        aside(move || mark.ask_to_end(signal)).await;
    }

    /// The sockets that listen in its network, and which of them it or what it started has opened.
    pub(crate) fn listening(&self) -> Vec<Listening> {
        listening::look(self.pid(), || self.mark.descendants())
    }

    /// Kills it and all it started.
    pub(crate) async fn kill(&self) {
        if let Some(init) = &*self.child() {
            end_all(init, self.is_in_namespace);
        }
        self.ended().await;
        self.kill_rest().await;
    }

    /// Kills what it left behind when it ended by itself. In a namespace the kernel has done that, and elsewhere its keeper, unless
    /// somebody has killed that one.
    pub(crate) async fn kill_rest(&self) {
        let is_alone = self.child().as_ref().is_some_and(Init::is_the_last);
        if !self.is_in_namespace && !is_alone {
            let mark = self.mark.clone();
            aside(move || mark.kill_rest()).await;
        }
    }

    /// How it ended. Nothing, if it still has not: then dropping it goes on trying.
    pub(crate) fn reap(&self) -> Option<ExitStatus> {
        let mut child = self.child();
        let status = child.as_mut()?.try_wait()?;
        *child = None;
        self.take_placeholders_away();
        Some(status)
    }

    /// The kernel frees them when they are closed, for which nobody here should have to wait.
    fn take_placeholders_away(&self) {
        let mut placeholders = self.placeholders.lock().unwrap_or_else(PoisonError::into_inner);
        let open: Vec<File> = placeholders.drain(..).filter_map(|mut gone| gone.take_away()).collect();
        if !open.is_empty()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn_blocking(move || drop(open));
        }
    }

    /// Kills it and all it started, and waits for that here.
    pub(crate) fn kill_now(&self) {
        if let Some(child) = self.child().take() {
            discard(child, &self.mark, self.is_in_namespace);
        }
    }

    fn child(&self) -> MutexGuard<'_, Option<Init>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_now();
    }
}

/// Whether there is a directory to start in. Behind walls a link of the kernel is none: it may lead around them.
fn look_at_cwd(spec: &Spec, sandbox: &Sandbox) -> io::Result<()> {
    let path = sandbox.host_path(&spec.cwd);
    if !path.is_absolute() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let ways = if sandbox.is_bare() { ResolveFlags::empty() } else { ResolveFlags::NO_MAGICLINKS };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, &path, flags, Mode::empty(), ways)?;
    Ok(())
}

// What `new` is deprecated for is a type that changes or closes its descriptor while it is registered. An `OwnedFd`
// that nobody takes out again does neither, and the function that replaces `new` is `unsafe`.
#[expect(deprecated, reason = "the only way to register a descriptor without unsafe code")]
fn watch(pid: Pid) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(pidfd_open(pid, PidfdFlags::NONBLOCK)?)
}

/// Looks through the process table where that cannot hold up the runtime.
async fn aside(act: impl FnOnce() + Send + 'static) {
    // It fails only if the runtime is being shut down, and then dropping the process does the same.
    let _ = spawn_blocking(act).await;
}

/// Ends all of it, also where it does not want to. In a namespace the kernel kills the rest with init.
fn end_all(init: &Init, is_in_namespace: bool) {
    if is_in_namespace {
        // It is not reaped, so the number is its own.
        let _ = kill_process(init.pid(), Signal::KILL);
    } else {
        init.kill_all();
    }
}

/// Kills everything now, and reaps the child whenever it is gone.
fn discard(mut init: Init, mark: &Mark, is_in_namespace: bool) {
    end_all(&init, is_in_namespace);
    if let Ok(fd) = pidfd_open(init.pid(), PidfdFlags::empty()) {
        wait_for_ends(&[fd], KILL_TIME_MAX);
    }
    if !is_in_namespace {
        mark.kill_rest();
    }
    if init.try_wait().is_some() {
        return;
    }
    // Something hangs in the kernel: a disk that does not answer can hold a killed process for minutes.
    let _ = thread::Builder::new().name("candor-reap".to_owned()).spawn(move || init.wait());
}
