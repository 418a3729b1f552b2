//! A running process, and its end.

#![allow(unsafe_code, reason = "a session of its own is begun between `fork` and `exec`")]

use std::fs::{self, DirEntry};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, ioctl_tiocsctty, setsid, waitid};
use rustix::stdio::stdin;
use tokio::sync::watch;

use super::listening;
use super::orphans::mark_value;
use super::sandbox::Sandbox;
use super::strays::{MARK_NAME, Mark};
use crate::paths::candidates;
use crate::streams::{self, ChildStreams, Pipes};
use crate::{Error, Listening, Spec};

/// How long is waited here for what was killed to be gone.
const KILL_TIME_MAX: Duration = Duration::from_millis(500);

/// As many signals as every system has, and one.
const SIGNALS: i32 = 32;

/// A process that was started and not reaped yet. Dropping it kills all of its group.
///
/// It is waited for without being reaped, and reaped only at the very end: as long as it is not, its number is its own, and so
/// is that of its group.
#[derive(Debug)]
pub(crate) struct Process {
    /// Nothing once it is reaped.
    child: Mutex<Option<Child>>,
    end: watch::Receiver<bool>,
    mark: Mark,
}

/// What is found out before a process is started.
pub(crate) struct Preparation<'p> {
    spec: &'p Spec,
    sandbox: &'p Sandbox,
    streams: ChildStreams,
    pipes: Pipes,
}

impl<'p> Preparation<'p> {
    pub(crate) fn new(spec: &'p Spec, sandbox: &'p Sandbox) -> Result<Self, Error> {
        // Asked first, because the same error of the start means either this or the program.
        look_at_cwd(&spec.cwd).map_err(|source| Error::Cwd { path: spec.cwd.clone(), source })?;
        let (streams, pipes) = streams::open(spec)?;
        Ok(Self { spec, sandbox, streams, pipes })
    }

    /// What is to be run.
    pub(crate) fn spec(&self) -> &'p Spec {
        self.spec
    }

    /// Starts it.
    pub(crate) fn start(self) -> Result<(Process, Pipes), Error> {
        let Self { spec, sandbox, streams, pipes } = self;
        let value = mark_value();
        let spawned = spawn(spec, sandbox, &streams, &value);
        let child = spawned.map_err(|source| Error::from_start(&spec.program, source))?;
        let mark = Mark::leading(value, Pid::from_child(&child));
        let end = watch_end(mark.first());
        Ok((Process { child: Mutex::new(Some(child)), end, mark }, pipes))
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

    /// Its number.
    pub(crate) fn pid(&self) -> u32 {
        self.mark.first().as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits until it has ended by itself or by a signal.
    pub(crate) async fn ended(&self) {
        // It fails only if nobody waits any more, and then nobody would tell.
        let _ = self.end.clone().wait_for(|has_ended| *has_ended).await;
    }

    /// Asks it and all of its group to end.
    pub(crate) async fn terminate(&self) {
        self.ask_to_end(Signal::TERM).await;
    }

    /// The same by another signal.
    #[expect(clippy::unused_async, reason = "where there is more to look for, it takes a while")]
    pub(crate) async fn ask_to_end(&self, signal: Signal) {
        self.mark.ask_to_end(signal);
    }

    /// Kills it and all of its group.
    pub(crate) async fn kill(&self) {
        self.mark.kill();
        self.ended().await;
        self.kill_rest().await;
    }

    /// Kills what it left behind when it ended by itself.
    #[expect(clippy::unused_async, reason = "where there is more to look for, it takes a while")]
    pub(crate) async fn kill_rest(&self) {
        self.mark.kill();
    }

    /// How it ended. Nothing, if it still has not: then dropping it goes on trying.
    pub(crate) fn reap(&self) -> Option<ExitStatus> {
        let mut child = self.child();
        let status = child.as_mut()?.try_wait().ok()??;
        *child = None;
        self.mark.wait_until_gone();
        Some(status)
    }

    /// Kills it and all of its group, and waits for that here.
    pub(crate) fn kill_now(&self) {
        let Some(mut child) = self.child().take() else { return };
        self.mark.kill();
        // It may hang in the kernel, where nobody should have to wait for it.
        let ((gone, is_gone), mark) = (mpsc::channel(), self.mark.clone());
        let reap = thread::Builder::new().name("candor-reap".to_owned()).spawn(move || {
            let _ = child.wait();
            mark.wait_until_gone();
            let _ = gone.send(());
        });
        if reap.is_ok() {
            let _ = is_gone.recv_timeout(KILL_TIME_MAX);
        }
    }

    /// The sockets that listen, and which of them its group has opened.
    pub(crate) fn listening(&self) -> Vec<Listening> {
        listening::look(self.mark.first())
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_now();
    }
}

/// Whether there is a directory to start in.
fn look_at_cwd(path: &Path) -> io::Result<()> {
    if !path.is_absolute() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if path.metadata()?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// Starts the program, wherever it may be: the first one that can be.
fn spawn(spec: &Spec, sandbox: &Sandbox, streams: &ChildStreams, mark: &str) -> io::Result<Child> {
    let mut worst = io::Error::from(io::ErrorKind::NotFound);
    let is_there = |path: &PathBuf| spec.cwd.join(path).exists();
    for program in candidates(&spec.program, &spec.env).into_iter().filter(is_there) {
        match spawn_at(&program, spec, sandbox, streams, mark) {
            // What is there and cannot be found lacks what runs it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => worst = error,
            started => return started,
        }
    }
    Err(worst)
}

#[expect(clippy::disallowed_methods, reason = "this crate is where processes start")]
fn spawn_at(
    program: &Path,
    spec: &Spec,
    sandbox: &Sandbox,
    streams: &ChildStreams,
    mark: &str,
) -> io::Result<Child> {
    let [input, output, trouble] = &streams.fds;
    let mut command = Command::new(program);
    command.arg0(&spec.program).args(&spec.args).current_dir(&spec.cwd);
    command.stdin(input.try_clone()?).stdout(output.try_clone()?).stderr(trouble.try_clone()?);
    command.env_clear().envs(spec.env.iter().cloned()).envs(sandbox.env()).env(MARK_NAME, mark);
    let (is_terminal, last) = (streams.is_terminal, last_open()?);
    let begin_session = move || {
        // Out of our session: whoever is in it can talk to the terminal of the person, and hear what they type.
        setsid()?;
        if is_terminal {
            ioctl_tiocsctty(stdin())?;
        }
        for signal in 1..SIGNALS {
            // SAFETY: it takes numbers. What was ignored in us would be ignored in the command, a request to end among them.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        for fd in 3..=last {
            // SAFETY: it takes numbers. What is open is closed when the program starts, and not before: the library has a pipe
            // among them. What is not open is no trouble.
            unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        Ok(())
    };
    // SAFETY: it makes system calls on numbers, and allocates nothing.
    unsafe { command.pre_exec(begin_session) };
    command.spawn()
}

/// A number that no descriptor of ours is above, also with those that the start takes and other threads open meanwhile.
fn last_open() -> io::Result<RawFd> {
    const ROOM: RawFd = 64;
    let number = |entry: io::Result<DirEntry>| entry.ok()?.file_name().to_str()?.parse::<RawFd>().ok();
    Ok(fs::read_dir("/dev/fd")?.filter_map(number).max().unwrap_or_default().saturating_add(ROOM))
}

/// Tells when it has ended, without reaping it.
fn watch_end(pid: Pid) -> watch::Receiver<bool> {
    let (tell, end) = watch::channel(false);
    let wait = move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), options), Err(Errno::INTR)) {}
        tell.send_replace(true);
    };
    // Without the thread nobody tells, and the wait is over at once: then the process is killed, not forgotten.
    let _ = thread::Builder::new().name("candor-wait".to_owned()).spawn(wait);
    end
}
