//! A running process, and its end.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::unix::AsyncFd;
use tokio::task::spawn_blocking;

use crate::orphans::mark_value;
use crate::strays::{MARK_NAME, Mark};
use crate::{Error, Spec};

/// A process that was started and not reaped yet. Dropping it kills all of its call.
///
/// The child is waited for through a pidfd and reaped only at the very end. As long as it is not, its number is its
/// own, dead or alive, so that the group can be signalled by that number without ever meeting a stranger. This is why
/// the runtime's own child type, which reaps at once, is not used.
pub(crate) struct Process {
    child: Option<Child>,
    end: AsyncFd<OwnedFd>,
    mark: Mark,
}

/// The ends of its streams that are ours.
pub(crate) struct Pipes {
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

impl Process {
    /// Starts it.
    pub(crate) fn start(spec: &Spec) -> Result<(Self, Pipes), Error> {
        // Asked first, because the same error of the start means either this or the program.
        let cwd = |source| Error::Cwd { path: spec.cwd.clone(), source };
        if !fs::metadata(&spec.cwd).map_err(cwd)?.is_dir() {
            return Err(cwd(io::ErrorKind::NotADirectory.into()));
        }
        let (value, since) = (mark_value(), Instant::now());
        // Nothing is done between fork and exec, so that the standard library can use `posix_spawn`.
        #[expect(clippy::disallowed_methods, reason = "this is the one place that spawns")]
        let mut child = Command::new(&spec.program)
            .args(&spec.args)
            .current_dir(&spec.cwd)
            .env_clear()
            .envs(spec.env.iter().map(|(name, value)| (name, value)))
            .env(MARK_NAME, &value)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| Error::from_start(&spec.program, source))?;
        let pipes = child.stdout.take().map(OwnedFd::from).zip(child.stderr.take().map(OwnedFd::from));
        let mark = Mark::new(value, Pid::from_child(&child), since);
        match (watch(&child), pipes) {
            (Ok(end), Some((stdout, stderr))) => {
                Ok((Self { child: Some(child), end, mark }, Pipes { stdout, stderr }))
            }
            (end, _) => {
                discard(child, &mark);
                let source = end.err().unwrap_or_else(|| io::ErrorKind::BrokenPipe.into());
                Err(Error::NotStarted { program: spec.program.clone(), source })
            }
        }
    }

    /// What tells its descendants from others.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Waits until it has ended by itself or by a signal.
    pub(crate) async fn ended(&self) {
        // The readiness is never taken back, so that whoever asks again is told again. An error cannot come from a
        // descriptor that is registered, and would end the wait as well.
        let _ = self.end.readable().await;
    }

    /// Asks it and all it started to end.
    pub(crate) async fn terminate(&self) {
        let mark = self.mark.clone();
        aside(move || mark.terminate()).await;
    }

    /// Kills it and all it started.
    pub(crate) async fn kill(&self) {
        let mark = self.mark.clone();
        aside(move || mark.kill()).await;
    }

    /// Kills what it left behind when it ended by itself.
    pub(crate) async fn kill_rest(&self) {
        let mark = self.mark.clone();
        aside(move || mark.kill_rest()).await;
    }

    /// How it ended. Nothing, if it still has not: then dropping it goes on trying.
    pub(crate) fn reap(mut self) -> Option<ExitStatus> {
        let status = self.child.as_mut()?.try_wait().ok()??;
        self.child = None;
        Some(status)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            discard(child, &self.mark);
        }
    }
}

// What `new` is deprecated for is a type that changes or closes its descriptor while it is registered. An `OwnedFd`
// that nobody takes out again does neither, and the function that replaces `new` is `unsafe`.
#[expect(deprecated, reason = "the only way to register a descriptor without unsafe code")]
fn watch(child: &Child) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(pidfd_open(Pid::from_child(child), PidfdFlags::NONBLOCK)?)
}

/// Looks through the process table where that cannot hold up the runtime.
async fn aside(act: impl FnOnce() + Send + 'static) {
    // It fails only if the runtime is being shut down, and then dropping the process does the same.
    let _ = spawn_blocking(act).await;
}

/// Kills everything now, and reaps the child whenever it is gone.
fn discard(mut child: Child, mark: &Mark) {
    mark.kill();
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    // It hangs in the kernel: a disk that does not answer can hold a killed process for minutes.
    let _ = thread::Builder::new().name("candor-reap".to_owned()).spawn(move || child.wait());
}
