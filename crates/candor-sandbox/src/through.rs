//! Runs a command of the person's own as their shell would, passes on what it says, and keeps the head and the tail.
//!
//! It shares our terminal, our group and our environment: Ctrl-C reaches it, it can ask questions, and what it leaves
//! running is its own affair. Only a command whose time is over is ended, with all that carries its mark.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use tokio::task::spawn_blocking;

use crate::capture::Capture;
use crate::orphans::mark_value;
use crate::output::Output;
use crate::run::{DRAIN, Ended, How, KILL_WAIT_MAX, how};
use crate::strays::{MARK_NAME, Mark};

/// How long a command may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// What a read takes: as much as a pipe holds.
const CHUNK_BYTES: usize = 64 << 10;

/// A command of the person's own.
#[derive(Debug, Clone)]
pub struct Through {
    /// The program, looked for as a shell would.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How much of each stream is kept.
    pub output_bytes_max: usize,
}

/// Runs it to its end. What it says goes to the two writers at once; one that takes no more closes the command's stream.
pub async fn pass_through(
    spec: &Through,
    out: impl Write + Send + 'static,
    err: impl Write + Send + 'static,
) -> io::Result<Ended> {
    let (spec, begun) = (spec.clone(), Instant::now());
    let run = move || {
        let value = mark_value();
        let mut child = spawn(&spec, &value)?;
        let stdout = child.stdout.take().map(|pipe| Relay::start(pipe, out, spec.output_bytes_max));
        let stderr = child.stderr.take().map(|pipe| Relay::start(pipe, err, spec.output_bytes_max));
        let how = wait(child, &spec, value, begun)?;
        let output = |relay: Option<Relay>| relay.map_or_else(Output::empty, Relay::finish);
        Ok(Ended { how, stdout: output(stdout), stderr: output(stderr), duration: begun.elapsed() })
    };
    spawn_blocking(run).await.unwrap_or_else(|_| Err(io::Error::other("the wait for it broke off")))
}

#[expect(clippy::disallowed_methods, reason = "this crate is where processes start")]
fn spawn(spec: &Through, mark: &str) -> io::Result<Child> {
    // The same error of a start means the program or the directory; the directory is asked first.
    if !Path::new(&spec.cwd).is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "the directory to start in is not there"));
    }
    Command::new(&spec.program)
        .arg0(&spec.program)
        .args(&spec.args)
        .current_dir(&spec.cwd)
        .env(MARK_NAME, mark)
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Waits for the end, or brings it about.
fn wait(mut child: Child, spec: &Through, mark: String, begun: Instant) -> io::Result<How> {
    let Some(limit) = spec.timeout else { return child.wait().map(how) };
    let pid = Pid::from_child(&child);
    let (sender, ended) = mpsc::channel();
    // A thread that waits costs less than a clock that asks.
    thread::spawn(move || sender.send(child.wait()));
    if let Ok(status) = ended.recv_timeout(limit) {
        return status.map(how);
    }
    let mark = Mark::new(mark, pid, begun);
    mark.ask_to_end(rustix::process::Signal::TERM);
    let is_over = ended.recv_timeout(GRACE).is_ok();
    // Also where it ended by itself: what it started may not have listened.
    mark.kill();
    if !is_over {
        let _ = ended.recv_timeout(KILL_WAIT_MAX);
    }
    Ok(How::TimedOut)
}

/// One stream on its way through.
struct Relay {
    capture: Arc<Mutex<Capture>>,
    /// Something came, or went on; nothing more will come when the sender is gone.
    moves: mpsc::Receiver<Move>,
}

/// What a relay does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    /// It hands on what it has read, for as long as the reader takes.
    Writes,
    /// It waits for more.
    Reads,
}

impl Relay {
    fn start(
        mut pipe: impl Read + Send + 'static,
        mut to: impl Write + Send + 'static,
        bytes_max: usize,
    ) -> Self {
        let capture = Arc::new(Mutex::new(Capture::new(bytes_max)));
        let (sender, moves) = mpsc::channel();
        let kept = Arc::clone(&capture);
        thread::spawn(move || {
            let mut chunk = vec![0; CHUNK_BYTES];
            while let Ok(read @ 1..) = pipe.read(&mut chunk) {
                let bytes = chunk.get(..read).unwrap_or_default();
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
                let _ = sender.send(Move::Writes);
                // Whoever read it has gone: the command learns it as it would without us.
                if to.write_all(bytes).and_then(|()| to.flush()).is_err() {
                    break;
                }
                let _ = sender.send(Move::Reads);
            }
        });
        Self { capture, moves }
    }

    /// What went through, once it has: a slow reader is waited for, a stream that only what the command left behind holds open
    /// is not.
    fn finish(self) -> Output {
        let mut last = Move::Reads;
        loop {
            let next = match last {
                Move::Writes => self.moves.recv().map_err(|_| ()),
                Move::Reads => self.moves.recv_timeout(DRAIN).map_err(|_| ()),
            };
            match next {
                Ok(next) => last = next,
                Err(()) => break,
            }
        }
        self.capture.lock().unwrap_or_else(PoisonError::into_inner).output()
    }
}
