//! A process that goes on while others talk to it.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::capture::Capture;
use crate::process::Process;
use crate::run::{DRAIN, How, KILL_WAIT_MAX, how};
use crate::said::Said;
use crate::sandbox::Sandbox;
use crate::{Error, Spec};

/// What a read takes: as much as a pipe holds.
const CHUNK_BYTES: usize = 64 << 10;

/// A process that was started and may still run. Dropping it kills all of it.
#[derive(Debug)]
pub struct Running {
    process: Arc<Process>,
    said: Arc<Mutex<Capture>>,
    stdin: tokio::sync::Mutex<Option<Sender>>,
    state: watch::Receiver<State>,
    task: JoinHandle<()>,
}

/// Whether a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It does.
    Running,
    /// It ended like this, and nothing that it started is left.
    Ended(How),
}

/// A socket that listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Listening {
    /// Where.
    pub address: SocketAddr,
    /// Whether one of the processes that were asked about holds it.
    pub is_own: bool,
}

/// Hears every byte that a process says, on the stream it was said on, before anything of it is dropped. What takes long here
/// holds the process up.
pub type Tap = Arc<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// What a process says something on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Its output; on a terminal, all of it.
    Stdout,
    /// What it says about trouble.
    Stderr,
}

/// Starts a process and leaves it running. Its time limit and its file for long output are not used.
pub fn start(spec: &Spec, sandbox: &Sandbox) -> Result<Running, Error> {
    start_tapped(spec, sandbox, Arc::new(|_, _| {}))
}

/// The same, with somebody who hears everything that it says.
pub fn start_tapped(spec: &Spec, sandbox: &Sandbox, tap: Tap) -> Result<Running, Error> {
    let (process, pipes) = Process::start(spec, sandbox)?;
    let failed = |source| Error::NotStarted { program: spec.program.clone(), source };
    let stdin = pipes.stdin.map(sender).transpose().map_err(failed)?;
    let stdout = (Stream::Stdout, receiver(pipes.stdout).map_err(failed)?);
    let stderr = pipes.stderr.map(receiver).transpose().map_err(failed)?;
    let streams = [Some(stdout), stderr.map(|pipe| (Stream::Stderr, pipe))].into_iter().flatten().collect();
    Ok(running(spec, process, (stdin, streams), tap))
}

/// Starts a process that somebody holds a conversation with: its output is theirs to read, as fast as they do, and only
/// what it says about trouble is kept.
pub fn start_talking(spec: &Spec, sandbox: &Sandbox) -> Result<(Running, Receiver), Error> {
    let (process, pipes) = Process::start(spec, sandbox)?;
    let failed = |source| Error::NotStarted { program: spec.program.clone(), source };
    let stdin = pipes.stdin.map(sender).transpose().map_err(failed)?;
    let stdout = receiver(pipes.stdout).map_err(failed)?;
    let stderr = pipes.stderr.map(receiver).transpose().map_err(failed)?;
    let streams = stderr.map(|pipe| (Stream::Stderr, pipe)).into_iter().collect();
    Ok((running(spec, process, (stdin, streams), Arc::new(|_, _| {})), stdout))
}

fn running(
    spec: &Spec,
    process: Process,
    (stdin, streams): (Option<Sender>, Vec<(Stream, Receiver)>),
    tap: Tap,
) -> Running {
    let said = Arc::new(Mutex::new(Capture::new(spec.output_bytes_max)));
    let process = Arc::new(process);
    let (tell, state) = watch::channel(State::Running);
    let ear = Ear { said: Arc::clone(&said), tap };
    let task = tokio::spawn(follow(Arc::clone(&process), streams, ear, tell));
    Running { process, said, stdin: tokio::sync::Mutex::new(stdin), state, task }
}

impl Running {
    /// The number on the host of the process that keeps it, and ends with it.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Writes to its standard input, and waits until it has taken it.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match &mut *self.stdin.lock().await {
            Some(stdin) => stdin.write_all(bytes).await,
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Closes its standard input: it finds the end of it.
    pub async fn close(&self) {
        *self.stdin.lock().await = None;
    }

    /// What it has said so far, on both streams in the order in which it came.
    pub fn output(&self) -> Said {
        Said::of(&self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether it runs.
    pub fn state(&self) -> State {
        *self.state.borrow()
    }

    /// Waits until it has ended.
    pub async fn ended(&self) {
        let mut state = self.state.clone();
        // It fails only if the task is gone, and then nobody would tell any more.
        let _ = state.wait_for(|state| *state != State::Running).await;
    }

    /// The sockets that listen in its network, and which of them it or what it started has opened. It looks through the
    /// process table.
    pub fn listening(&self) -> Vec<Listening> {
        self.process.listening()
    }

    /// Asks it and all it started to end, kills what is left after `grace`, and says how it ended.
    pub async fn stop(&self, grace: Duration) -> How {
        self.stop_by(rustix::process::Signal::TERM.as_raw(), grace).await
    }

    /// The same, asking by the signal of this number.
    pub async fn stop_by(&self, signal: i32, grace: Duration) -> How {
        if self.state() == State::Running {
            let signal = rustix::process::Signal::from_named_raw(signal);
            self.process.ask_to_end(signal.unwrap_or(rustix::process::Signal::TERM)).await;
            if timeout(grace, self.ended()).await.is_err() {
                let _ = timeout(KILL_WAIT_MAX, self.process.kill()).await;
                let _ = timeout(KILL_WAIT_MAX + DRAIN, self.ended()).await;
            }
        }
        match self.state() {
            State::Ended(how) => how,
            // It hangs in the kernel, where it can do nothing any more.
            State::Running => How::Signalled(rustix::process::Signal::KILL.as_raw()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.state() == State::Running {
            self.process.kill_now();
        }
        self.task.abort();
    }
}

/// Reads what it says until it has ended, and then tells how.
async fn follow(
    process: Arc<Process>,
    streams: Vec<(Stream, Receiver)>,
    ear: Ear,
    tell: watch::Sender<State>,
) {
    let readers: Vec<_> =
        streams.into_iter().map(|(stream, pipe)| tokio::spawn(read(stream, pipe, ear.clone()))).collect();
    process.ended().await;
    process.kill_rest().await;
    for reader in readers {
        let stop = reader.abort_handle();
        if timeout(DRAIN, reader).await.is_err() {
            stop.abort();
        }
    }
    let ended = process.reap().map_or(How::Signalled(rustix::process::Signal::KILL.as_raw()), how);
    tell.send_replace(State::Ended(ended));
}

/// Who hears what it says.
#[derive(Clone)]
struct Ear {
    said: Arc<Mutex<Capture>>,
    tap: Tap,
}

async fn read(stream: Stream, mut pipe: Receiver, ear: Ear) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
        (ear.tap)(stream, &chunk[..read]);
        ear.said.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..read]);
    }
}

pub(crate) fn sender(fd: OwnedFd) -> io::Result<Sender> {
    rustix::io::ioctl_fionbio(&fd, true)?;
    Sender::from_owned_fd_unchecked(fd)
}

/// A terminal is no pipe, and is read like one.
pub(crate) fn receiver(fd: OwnedFd) -> io::Result<Receiver> {
    rustix::io::ioctl_fionbio(&fd, true)?;
    Receiver::from_owned_fd_unchecked(fd)
}
