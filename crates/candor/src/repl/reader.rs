//! Lines from a person or from a pipe.
//!
//! Reading blocks, so it has a thread of its own; what goes on in the session can be followed meanwhile. The thread reads
//! only when it is asked to: while a run goes on, what is typed belongs to the terminal. It is not waited for at the end,
//! because nothing can wake it; the modes of the terminal are put back by whoever leaves.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc as std_mpsc;

use candor_protocol::{Code, Failure};
use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use tokio::sync::mpsc;

use super::editor::Editor;
use crate::screen::say_bytes;

/// The longest line that is read from a pipe: a long log fits, a disk image given by mistake does not.
const LINE_BYTES_MAX: u64 = 10 * 1024 * 1024;

/// Ends the line of the prompt, and tells the terminal not to mark any longer what is pasted.
const PASTE_UNMARKED: &[u8] = b"\x1b[?2004l\r\n";

/// What came of reading.
#[derive(Debug)]
pub(crate) enum Line {
    /// Something was entered.
    Entered(String),
    /// Ctrl-C took back what had been typed.
    Cleared,
    /// Ctrl-C, and nothing had been typed.
    Interrupted,
    /// There will be no more.
    End,
    /// It cannot be read.
    Failed(Failure),
    /// No line: the history has been written.
    Remembered,
}

/// What the thread is asked to do.
pub(super) enum Request {
    Read,
    /// Reads one line behind this prompt, as the answer to a question.
    Ask(String),
    /// Puts a line into the history. It is masked already.
    Remember(String),
    /// Offers these ids when one is to be completed.
    Offer(Vec<String>),
}

/// The lines, one at a time.
pub(crate) struct Reader {
    requests: std_mpsc::Sender<Request>,
    lines: mpsc::Receiver<Line>,
    is_reading: bool,
    /// How the terminal was before it was edited on.
    modes: Option<Termios>,
}

impl Reader {
    /// Lines that a person edits on a terminal, with this history.
    pub(super) fn terminal(history: PathBuf, colour: bool) -> Result<Self, Failure> {
        let editor = Editor::new(history, colour);
        let editor = editor.map_err(|error| unreadable(&io::Error::other(error.to_string())))?;
        let mut reader = Self::start(|requests, lines| editor.serve(&requests, &lines));
        reader.modes = tcgetattr(io::stdin()).ok();
        Ok(reader)
    }

    /// Lines as they come.
    pub(crate) fn plain() -> Self {
        Self::start(|requests, lines| {
            while let Ok(request) = requests.recv() {
                match request {
                    Request::Ask(prompt) => prompt_on_stderr(&prompt),
                    Request::Read => {}
                    Request::Remember(_) | Request::Offer(_) => continue,
                }
                if lines.blocking_send(plain_line()).is_err() {
                    return;
                }
            }
        })
    }

    fn start(serve: impl FnOnce(std_mpsc::Receiver<Request>, mpsc::Sender<Line>) + Send + 'static) -> Self {
        let (requests, asked) = std_mpsc::channel();
        // One line is asked for at a time.
        let (answers, lines) = mpsc::channel(1);
        std::thread::spawn(move || serve(asked, answers));
        Self { requests, lines, is_reading: false, modes: None }
    }

    /// The next line. Nothing is lost when the wait is given up.
    pub(super) async fn next(&mut self) -> Line {
        if !self.is_reading {
            self.ask(Request::Read);
            self.is_reading = true;
        }
        let line = self.lines.recv().await;
        self.is_reading = false;
        // A thread that has gone has met a defect of ours, which the panic hook has told.
        line.unwrap_or(Line::End)
    }

    /// The answer to a question. A line that was asked for before, and given up, is the answer to that.
    pub(crate) async fn ask_for(&mut self, prompt: String) -> Line {
        if !self.is_reading {
            // What was typed before the question was there is no answer to it. Without a terminal there is nothing to throw away.
            let _ = tcflush(io::stdin(), QueueSelector::IFlush);
            self.ask(Request::Ask(prompt));
            self.is_reading = true;
        }
        self.next().await
    }

    /// Puts a line into the history. Waited for: whoever leaves next must not leave half a file behind.
    pub(super) async fn remember(&mut self, line: String) {
        self.ask(Request::Remember(line));
        self.lines.recv().await;
    }

    /// Asks something of the thread. One that has gone shows when the next line is waited for.
    pub(super) fn ask(&self, request: Request) {
        let _ = self.requests.send(request);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(modes) = self.modes.as_ref().filter(|_| self.is_reading) {
            // A terminal that has gone needs nothing any more.
            let _ = say_bytes(PASTE_UNMARKED);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, modes);
        }
    }
}

fn prompt_on_stderr(prompt: &str) {
    // Whoever cannot be shown the prompt can still answer.
    let _ = write!(io::stderr(), "{prompt}");
    let _ = io::stderr().flush();
}

fn plain_line() -> Line {
    let mut bytes = Vec::new();
    match io::stdin().lock().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut bytes) {
        Ok(0) => Line::End,
        Ok(_) if bytes.len() as u64 > LINE_BYTES_MAX => Line::Failed(too_long()),
        Ok(_) => Line::Entered(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Line::Failed(unreadable(&error)),
    }
}

pub(super) fn unreadable(error: &io::Error) -> Failure {
    Failure::file(std::path::Path::new("/dev/stdin"), error)
}

fn too_long() -> Failure {
    let most = LINE_BYTES_MAX >> 20;
    Failure::new(Code::UsageInvalidValue)
        .with("argument", "a line of standard input")
        .with("value", format!("more than {most} MiB"))
        .with("detail", format!("At most {most} MiB are read: name a file in the message instead."))
        .with("help", "candor --help")
}
