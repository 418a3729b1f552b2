//! One call: start, read, end.

use std::future::Future;
use std::os::unix::process::ExitStatusExt;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::process::{Preparation, Process};
use crate::pump::Pump;
use crate::running::sender;
use crate::sandbox::Sandbox;
use crate::{Error, Output, Spec, Stdin};

/// For how long what was found out for a process counts.
const FRESH: Duration = Duration::from_millis(100);

/// How long a process may take to end after it was asked to, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// How long the streams are read on after the process has ended: what it left running may hold them for ever.
pub(crate) const DRAIN: Duration = Duration::from_millis(500);

/// How long a killed process may take to be gone. Longer means that it hangs in the kernel.
pub(crate) const KILL_WAIT_MAX: Duration = Duration::from_secs(1);

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub how: How,
    /// What it said.
    pub stdout: Output,
    /// What it said about trouble.
    pub stderr: Output,
    /// How long it took.
    pub duration: Duration,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which was not ours.
    Signalled(i32),
    /// We ended it, because its time was over.
    TimedOut,
    /// We ended it, because the call was cancelled.
    Cancelled,
}

/// Why the wait for a process is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Ended,
    TimedOut,
    Cancelled,
}

/// The readers of both streams, while they read.
struct Reading<'r> {
    future: Pin<&'r mut (dyn Future<Output = ()> + Send)>,
    is_done: bool,
}

/// Runs a process to its end, and leaves nothing of it behind.
///
/// It takes as long as the process, but not longer than the time limit and a few seconds. Dropping the future kills
/// the process and all it started, and so does our own end, however that comes.
pub async fn run(spec: &Spec, sandbox: &Sandbox, cancel: &CancellationToken) -> Result<Ended, Error> {
    carry_out(Preparation::new(spec, sandbox)?, None, cancel).await
}

/// The same once something else is over; what can be found out before is found out meanwhile. Where that says no, or somebody has
/// cancelled it by then, nothing is started, and it counts as cancelled.
pub async fn run_after(
    ready: impl Future<Output = bool>,
    spec: &Spec,
    sandbox: &Sandbox,
    cancel: &CancellationToken,
) -> Result<Ended, Error> {
    let (since, preparation) = (Instant::now(), Preparation::new(spec, sandbox));
    if !ready.await || cancel.is_cancelled() {
        let (stdout, stderr) = (Output::empty(), Output::empty());
        return Ok(Ended { how: How::Cancelled, stdout, stderr, duration: Duration::ZERO });
    }
    // What was there a while ago need not be all that is to be hidden now.
    let preparation = if since.elapsed() < FRESH { preparation } else { Preparation::new(spec, sandbox) };
    carry_out(preparation?, None, cancel).await
}

/// The same for a process that is told something on its standard input, whether it listens or not.
pub async fn run_told(
    spec: &Spec,
    told: &[u8],
    sandbox: &Sandbox,
    cancel: &CancellationToken,
) -> Result<Ended, Error> {
    let spec = Spec { stdin: Stdin::Piped, ..spec.clone() };
    carry_out(Preparation::new(&spec, sandbox)?, Some(told), cancel).await
}

async fn carry_out(
    preparation: Preparation<'_>,
    told: Option<&[u8]>,
    cancel: &CancellationToken,
) -> Result<Ended, Error> {
    let (started, spec) = (Instant::now(), preparation.spec());
    let (process, pipes) = preparation.start()?;
    let failed = |source| Error::NotStarted { program: spec.program.clone(), source };
    let pump = |pipe, stream: &str| {
        let name = format!("{}-{stream}.log", process.mark().value());
        let spill = spec.spill.as_ref().map(|directory| directory.join(name));
        Pump::new(pipe, spec.output_bytes_max, spill).map_err(failed)
    };
    let mut stdout = pump(pipes.stdout, "stdout")?;
    let mut stderr = pipes.stderr.map(|pipe| pump(pipe, "stderr")).transpose()?;
    // Where nothing is to be told, it finds the end.
    let stdin = pipes.stdin.filter(|_| told.is_some()).map(sender).transpose().map_err(failed)?;
    let stop = {
        let future = pin!(async {
            tokio::join!(stdout.drain(), drain(stderr.as_mut()), tell(stdin, told.unwrap_or_default()));
        });
        let mut reading = Reading { future, is_done: false };
        supervise(&process, &mut reading, spec.timeout, cancel).await
    };
    let _ = timeout(DRAIN, async { tokio::join!(stdout.flush(), flush(stderr.as_mut())) }).await;
    let status = process.reap();
    let how = match stop {
        Stop::TimedOut => How::TimedOut,
        Stop::Cancelled => How::Cancelled,
        Stop::Ended => status.map_or(How::Signalled(Signal::KILL.as_raw()), how),
    };
    let stderr = stderr.map_or_else(Output::empty, Pump::into_output);
    Ok(Ended { how, stdout: stdout.into_output(), stderr, duration: started.elapsed() })
}

/// Whoever does not listen to the end has ended, or will.
async fn tell(stdin: Option<Sender>, told: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(told).await;
    }
}

async fn drain(pump: Option<&mut Pump>) {
    if let Some(pump) = pump {
        pump.drain().await;
    }
}

async fn flush(pump: Option<&mut Pump>) {
    if let Some(pump) = pump {
        pump.flush().await;
    }
}

/// Waits for the end or brings it about; afterwards all of the call is gone.
async fn supervise(
    process: &Process,
    reading: &mut Reading<'_>,
    limit: Duration,
    cancel: &CancellationToken,
) -> Stop {
    // The timer comes first and the readers last, so that a flood cannot keep it from being heard.
    let stop = reading
        .during(async {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Stop::Cancelled,
                () = sleep(limit) => Stop::TimedOut,
                () = process.ended() => Stop::Ended,
            }
        })
        .await;
    if stop == Stop::Ended {
        tokio::select! {
            biased;
            () = reading.rest() => {}
            () = cancel.cancelled() => {}
            () = sleep(DRAIN) => {}
        }
        let _ = timeout(KILL_WAIT_MAX, reading.during(process.kill_rest())).await;
    } else {
        let _ = timeout(GRACE, async {
            reading.during(process.terminate()).await;
            reading.during(process.ended()).await;
            reading.rest().await;
        })
        .await;
        let _ = timeout(KILL_WAIT_MAX, reading.during(process.kill())).await;
        let _ = timeout(KILL_WAIT_MAX, reading.during(process.ended())).await;
    }
    // What was said up to the last moment is in the pipes.
    let _ = timeout(DRAIN, reading.rest()).await;
    stop
}

impl Reading<'_> {
    /// Reads on while something else is awaited.
    async fn during<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        tokio::select! {
            biased;
            output = &mut other => return output,
            () = self.future.as_mut(), if !self.is_done => self.is_done = true,
        }
        other.await
    }

    /// Reads until nobody can write any more.
    async fn rest(&mut self) {
        if !self.is_done {
            self.future.as_mut().await;
            self.is_done = true;
        }
    }
}

pub(crate) fn how(status: ExitStatus) -> How {
    match (status.code(), status.signal()) {
        (Some(code), _) => How::Exited(code),
        (None, signal) => How::Signalled(signal.unwrap_or_default()),
    }
}
