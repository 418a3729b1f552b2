//! A process that goes on while others talk to it.

use std::io;
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

/// Starts a process and leaves it running. Its time limit and its file for long output are not used.
pub fn start(spec: &Spec, sandbox: &Sandbox) -> Result<Running, Error> {
    let (process, pipes) = Process::start(spec, sandbox)?;
    let failed = |source| Error::NotStarted { program: spec.program.clone(), source };
    let stdin = pipes.stdin.map(sender).transpose().map_err(failed)?;
    let streams = [Some(pipes.stdout), pipes.stderr].into_iter().flatten();
    let streams: Vec<Receiver> = streams.map(receiver).collect::<io::Result<_>>().map_err(failed)?;
    let said = Arc::new(Mutex::new(Capture::new(spec.output_bytes_max)));
    let process = Arc::new(process);
    let (tell, state) = watch::channel(State::Running);
    let task = tokio::spawn(follow(Arc::clone(&process), streams, Arc::clone(&said), tell));
    Ok(Running { process, said, stdin: tokio::sync::Mutex::new(stdin), state, task })
}

impl Running {
    /// Its number on the host. Behind namespaces it is that of the first process of its namespace, which ends with it.
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

    /// Asks it and all it started to end, kills what is left after `grace`, and says how it ended.
    pub async fn stop(&self, grace: Duration) -> How {
        if self.state() == State::Running {
            self.process.terminate().await;
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
    streams: Vec<Receiver>,
    said: Arc<Mutex<Capture>>,
    tell: watch::Sender<State>,
) {
    let readers: Vec<_> =
        streams.into_iter().map(|stream| tokio::spawn(read(stream, Arc::clone(&said)))).collect();
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

async fn read(mut stream: Receiver, said: Arc<Mutex<Capture>>) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        said.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..read]);
    }
}

fn sender(fd: OwnedFd) -> io::Result<Sender> {
    rustix::io::ioctl_fionbio(&fd, true)?;
    Sender::from_owned_fd_unchecked(fd)
}

/// A terminal is no pipe, and is read like one.
pub(crate) fn receiver(fd: OwnedFd) -> io::Result<Receiver> {
    rustix::io::ioctl_fionbio(&fd, true)?;
    Receiver::from_owned_fd_unchecked(fd)
}
