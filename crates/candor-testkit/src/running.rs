//! The binary while it runs.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::capture::{Capture, End, OUTPUT_BYTES_MAX};
use crate::{Home, Ran, TIME_LIMIT};

/// How often an ended child or a new file is looked for, because the standard library cannot wait for either with a
/// limit. Of a child, only the moment between its last closed pipe and its exit is waited for like this.
const REAP_INTERVAL: Duration = Duration::from_millis(2);

/// The binary after [`Candor::spawn`](crate::Candor::spawn). Dropping it kills it.
#[derive(Debug)]
pub struct Running<'h> {
    _home: &'h Home,
    child: Child,
    stdout: Capture,
    stderr: Capture,
    deadline: Instant,
    command: String,
}

impl<'h> Running<'h> {
    pub(crate) fn new(home: &'h Home, mut child: Child, command: String) -> Self {
        let stdout = Capture::start(child.stdout.take().expect("stdout is piped"));
        let stderr = Capture::start(child.stderr.take().expect("stderr is piped"));
        Self { _home: home, child, stdout, stderr, deadline: Instant::now() + TIME_LIMIT, command }
    }

    pub(crate) fn until(mut self, time_limit: Duration) -> Self {
        self.deadline = Instant::now() + time_limit;
        self
    }

    pub(crate) fn feed(mut self, input: Option<Vec<u8>>) -> Self {
        if let (Some(input), Some(mut pipe)) = (input, self.child.stdin.take()) {
            // From a thread, because a child that answers while it reads would otherwise block us both. A child
            // that does not read everything is its own business, so a broken pipe is no failure.
            thread::spawn(move || pipe.write_all(&input).ok());
        }
        self
    }

    /// Waits until stdout contains the text. Panics, with what was printed, when it ends or time is up first.
    #[track_caller]
    pub fn wait_for_stdout(&self, text: &str) -> &Self {
        let printed = self.stdout.wait_for(text.as_bytes(), self.deadline);
        assert!(printed, "waited in vain for {text:?} on stdout\n{}", self.so_far());
        self
    }

    /// Waits until stdout contains the text behind its first `from` bytes, and returns where it ends: for what is printed
    /// more than once, such as a prompt.
    #[track_caller]
    pub fn wait_for_stdout_after(&self, text: &str, from: usize) -> usize {
        let end = self.stdout.wait_for_after(text.as_bytes(), from, self.deadline);
        end.unwrap_or_else(|| {
            panic!("waited in vain for {text:?} after byte {from} of stdout\n{}", self.so_far())
        })
    }

    /// Waits until stderr contains the text, likewise.
    #[track_caller]
    pub fn wait_for_stderr(&self, text: &str) -> &Self {
        let printed = self.stderr.wait_for(text.as_bytes(), self.deadline);
        assert!(printed, "waited in vain for {text:?} on stderr\n{}", self.so_far());
        self
    }

    /// Waits until a file is there, likewise: what a tool does shows in the workspace before it shows on a stream.
    #[track_caller]
    pub fn wait_for_file(&self, path: &Path) -> &Self {
        while !path.exists() {
            assert!(
                Instant::now() < self.deadline,
                "waited in vain for {}\n{}",
                path.display(),
                self.so_far()
            );
            thread::sleep(REAP_INTERVAL);
        }
        self
    }

    /// The number of its process, for a look at what the kernel tells about it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed to stderr up to now.
    pub fn stderr(&self) -> String {
        self.ran(0).stderr
    }

    /// Sends a signal by its name, such as `INT` or `TERM`, through the shell: its `kill` is always there.
    #[track_caller]
    pub fn signal(&self, name: &str) -> &Self {
        let line = format!("kill -{name} {}", self.child.id());
        let status = Command::new("sh").args(["-c", &line]).status().expect("sh runs");
        assert!(status.success(), "`{line}` failed\n{}", self.so_far());
        self
    }

    /// Waits for the end. Panics, with what was printed, when time is up or far too much was printed.
    #[track_caller]
    pub fn finish(mut self) -> Ran {
        for (name, stream) in [("stdout", self.stdout.clone()), ("stderr", self.stderr.clone())] {
            match stream.wait_for_end(self.deadline) {
                Some(End::Closed) => {}
                Some(End::TooLong) => {
                    let _ = self.child.kill();
                    panic!("`{}` printed more than {OUTPUT_BYTES_MAX} bytes to {name}", self.command);
                }
                None => self.give_up(),
            }
        }
        let status = self.reap();
        self.ran(exit_code(status))
    }

    #[track_caller]
    fn reap(&mut self) -> ExitStatus {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status,
                Ok(None) if Instant::now() < self.deadline => thread::sleep(REAP_INTERVAL),
                Ok(None) => self.give_up(),
                Err(error) => panic!("cannot wait for `{}`: {error}", self.command),
            }
        }
    }

    #[track_caller]
    fn give_up(&mut self) -> ! {
        let _ = self.child.kill();
        panic!("killed, because it did not end in time\n{}", self.so_far());
    }

    /// What was printed up to now; the exit code is made up and says so.
    fn so_far(&self) -> String {
        let Ran { stdout, stderr, command, .. } = self.ran(0);
        format!("$ {command}\nnot ended\n--- stdout\n{stdout}\n--- stderr\n{stderr}\n---")
    }

    fn ran(&self, status: i32) -> Ran {
        let stdout_bytes = self.stdout.bytes();
        Ran {
            status,
            stdout: String::from_utf8_lossy(&stdout_bytes).into_owned(),
            stderr: String::from_utf8_lossy(&self.stderr.bytes()).into_owned(),
            stdout_bytes,
            command: self.command.clone(),
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
