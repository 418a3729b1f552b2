//! A running process, and its end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, pidfd_send_signal, waitpid};
use tokio::io::unix::AsyncFd;
use tokio::task::spawn_blocking;

use crate::orphans::mark_value;
use crate::sandbox::Sandbox;
use crate::strays::{KILL_TIME_MAX, MARK_NAME, Mark, wait_for_ends};
use crate::streams::{self, Pipes};
use crate::walls::placeholder::Placeholder;
use crate::walls::spawn::{ChildStreams, Init, launch};
use crate::{Error, Spec};

/// A process that was started and not reaped yet. Dropping it kills all of its call.
///
/// The child is waited for through a pidfd and reaped only at the very end. As long as it is not, its number is its
/// own, dead or alive, so that the group can be signalled by that number without ever meeting a stranger. This is why
/// the runtime's own child type, which reaps at once, is not used.
#[derive(Debug)]
pub(crate) struct Process {
    /// Nothing once it is reaped.
    child: Mutex<Option<Offspring>>,
    is_in_namespace: bool,
    end: AsyncFd<OwnedFd>,
    mark: Mark,
    /// They stand in for missing paths until the process has ended.
    placeholders: Mutex<Vec<Placeholder>>,
}

/// Whose end is waited for.
#[derive(Debug)]
enum Offspring {
    /// The command, started by the standard library.
    Bare(Child),
    /// The command, started by us.
    Walled(Pid),
    /// The first process of the command's namespace.
    Init(Pid, Init),
}

impl Process {
    /// Starts it.
    pub(crate) fn start(spec: &Spec, sandbox: &Sandbox) -> Result<(Self, Pipes), Error> {
        // Asked first, because the same error of the start means either this or the program.
        let cwd = |source| Error::Cwd { path: spec.cwd.clone(), source };
        if !fs::metadata(sandbox.host_path(&spec.cwd)).map_err(cwd)?.is_dir() {
            return Err(cwd(io::ErrorKind::NotADirectory.into()));
        }
        let (value, since) = (mark_value(), Instant::now());
        let (streams, pipes) = streams::open(spec)?;
        let (child, placeholders) = if sandbox.is_bare() && spec.pty.is_none() {
            (Offspring::Bare(bare(spec, streams, &value)?), Vec::new())
        } else {
            let launched = launch(spec, sandbox, &streams, &value)?;
            let child = match launched.init {
                Some(init) => Offspring::Init(launched.pid, init),
                None => Offspring::Walled(launched.pid),
            };
            (child, launched.placeholders)
        };
        let mark = Mark::new(value, child.pid(), since);
        match watch(child.pid()) {
            Ok(end) => {
                let is_in_namespace = matches!(child, Offspring::Init(..));
                let child = Mutex::new(Some(child));
                Ok((
                    Self { child, is_in_namespace, end, mark, placeholders: Mutex::new(placeholders) },
                    pipes,
                ))
            }
            Err(source) => {
                discard(child, &mark);
                Err(Error::NotStarted { program: spec.program.clone(), source })
            }
        }
    }

    /// What tells its descendants from others.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Whether the kernel ends all of it when we are gone.
    pub(crate) fn is_in_namespace(&self) -> bool {
        self.is_in_namespace
    }

    /// Its number on the host. Behind namespaces it is that of the first process of its namespace.
    pub(crate) fn pid(&self) -> u32 {
        self.mark.group().as_raw_nonzero().get().unsigned_abs()
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
        if let Some(Offspring::Init(_, init)) = &*self.child() {
            // Init is told the number. If the pipe is closed, it is gone, and so is all else.
            let _ = rustix::io::write(&init.control, &[u8::try_from(signal.as_raw()).unwrap_or(15)]);
            return;
        }
        let mark = self.mark.clone();
        aside(move || mark.ask_to_end(signal)).await;
    }

    /// The numbers of its living processes on the host. Behind namespaces all of them come from init.
    pub(crate) fn members(&self) -> Vec<u32> {
        if self.is_in_namespace { self.mark.descendants() } else { self.mark.living() }
    }

    /// Kills it and all it started.
    pub(crate) async fn kill(&self) {
        if self.is_in_namespace {
            // The kernel kills the rest before this one is seen to have ended.
            let _ = pidfd_send_signal(self.end.get_ref(), Signal::KILL);
            return self.ended().await;
        }
        let mark = self.mark.clone();
        aside(move || mark.kill()).await;
    }

    /// Kills what it left behind when it ended by itself. In a namespace the kernel has done that.
    pub(crate) async fn kill_rest(&self) {
        if !self.is_in_namespace {
            let mark = self.mark.clone();
            aside(move || mark.kill_rest()).await;
        }
    }

    /// How it ended. Nothing, if it still has not: then dropping it goes on trying.
    pub(crate) fn reap(&self) -> Option<ExitStatus> {
        let mut child = self.child();
        let status = child.as_mut()?.try_wait()?;
        *child = None;
        self.placeholders.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Some(status)
    }

    /// Kills it and all it started, and waits for that here.
    pub(crate) fn kill_now(&self) {
        if let Some(child) = self.child().take() {
            discard(child, &self.mark);
        }
    }

    fn child(&self) -> MutexGuard<'_, Option<Offspring>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_now();
    }
}

impl Offspring {
    fn pid(&self) -> Pid {
        match self {
            Self::Bare(child) => Pid::from_child(child),
            Self::Walled(pid) | Self::Init(pid, _) => *pid,
        }
    }

    /// How the command ended, if it has.
    fn try_wait(&mut self) -> Option<ExitStatus> {
        let own = |pid: Pid| {
            let (_, status) = waitpid(Some(pid), WaitOptions::NOHANG).ok()??;
            Some(ExitStatus::from_raw(status.as_raw()))
        };
        match self {
            Self::Bare(child) => child.try_wait().ok()?,
            Self::Walled(pid) => own(*pid),
            Self::Init(pid, init) => {
                let ended = own(*pid)?;
                // Init is gone, so that this cannot wait. If it was killed it has said nothing, and its own end counts.
                let mut status = [0; 4];
                let said = init.status.try_clone().and_then(|fd| File::from(fd).read_exact(&mut status));
                Some(said.map_or(ended, |()| ExitStatus::from_raw(i32::from_ne_bytes(status))))
            }
        }
    }

    fn wait(&mut self) {
        match self {
            Self::Bare(child) => _ = child.wait(),
            Self::Walled(pid) | Self::Init(pid, _) => _ = waitpid(Some(*pid), WaitOptions::empty()),
        }
    }
}

/// Starts it without walls. Nothing is done between fork and exec, so that the standard library can use `posix_spawn`.
fn bare(spec: &Spec, streams: ChildStreams, mark: &str) -> Result<Child, Error> {
    let [stdin, stdout, stderr] = streams.fds.map(Stdio::from);
    #[expect(clippy::disallowed_methods, reason = "this is the one place that spawns")]
    Command::new(&spec.program)
        .args(&spec.args)
        .current_dir(&spec.cwd)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .env(MARK_NAME, mark)
        .process_group(0)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .map_err(|source| Error::from_start(&spec.program, source))
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

/// Kills everything now, and reaps the child whenever it is gone.
fn discard(mut child: Offspring, mark: &Mark) {
    match &child {
        Offspring::Init(pid, _) => {
            if let Ok(fd) = pidfd_open(*pid, PidfdFlags::empty()) {
                let _ = pidfd_send_signal(&fd, Signal::KILL);
                wait_for_ends(&[fd], KILL_TIME_MAX);
            }
        }
        Offspring::Bare(_) | Offspring::Walled(_) => mark.kill(),
    }
    if child.try_wait().is_some() {
        return;
    }
    // It hangs in the kernel: a disk that does not answer can hold a killed process for minutes.
    let _ = thread::Builder::new().name("candor-reap".to_owned()).spawn(move || child.wait());
}
