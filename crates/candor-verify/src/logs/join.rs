//! Which lines belong to one entry.

use super::crash::{self, Crash};
use super::entry::Text;
use super::header::is_indented;
use super::level::Level;
use super::line::{Begin, Form};
use super::stamp::Stamp;

/// An entry that may go on.
#[derive(Debug)]
pub(super) struct Open {
    form: Form,
    text: Text,
    pub(super) offset: u64,
    pub(super) stamp: Option<Stamp>,
    /// Whether a pattern says that it is no error.
    pub(super) is_allowed: bool,
    /// Whether it is no failure after all: it was interrupted from outside.
    is_interrupt: bool,
    /// Empty lines that belong to it only if something follows that does.
    blanks: usize,
    state: State,
    keeps: Keeps,
}

/// Whether the lines of an entry are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    Lines,
    Nothing,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Anything that continues.
    Any,
    /// An exception, which may follow a line with a level at once.
    Exception,
    /// The frames of a traceback, and the exception behind them.
    Frames,
    /// The message of a panic.
    Message,
    /// The second traceback of a chain.
    Chain,
}

/// More empty lines than this end every entry.
const BLANKS_MAX: usize = 2;

impl Open {
    /// An entry of one line so far.
    pub(super) fn new(begin: Begin, line: &str, offset: u64, keeps: Keeps) -> Self {
        let state = match begin.form {
            Form::Levelled | Form::Crash(Crash::NodePrelude) => State::Exception,
            Form::Crash(Crash::Traceback) => State::Frames,
            Form::Crash(Crash::RustPanic(true)) => State::Message,
            Form::Crash(_) => State::Any,
        };
        let Begin { form, stamp } = begin;
        let text = Text::default();
        let mut open = Self {
            form,
            text,
            offset,
            stamp,
            is_allowed: false,
            is_interrupt: false,
            blanks: 0,
            state,
            keeps,
        };
        open.add(line);
        open
    }

    /// Whether it is a failure, as far as it has been read.
    pub(super) fn is_failure(&self) -> bool {
        !self.is_allowed && !self.is_interrupt
    }

    /// Its lines, shortened.
    pub(super) fn message(&self) -> String {
        self.text.message()
    }

    /// Takes the next line if it belongs to the entry.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        if line.trim().is_empty() {
            self.blanks += 1;
            return self.blanks <= BLANKS_MAX;
        }
        let takes = if self.blanks > 0 { self.takes_after_blank(line) } else { self.takes_next(line) };
        if takes {
            self.blanks = 0;
        }
        takes
    }

    fn add(&mut self, line: &str) -> bool {
        if self.keeps == Keeps::Lines {
            self.text.add(line.trim_end());
        }
        true
    }

    /// Adds the line that says what it was about.
    fn add_telling(&mut self, line: &str) -> bool {
        if self.keeps == Keeps::Lines {
            self.text.add_telling(line.trim_end());
        }
        true
    }

    fn takes_next(&mut self, line: &str) -> bool {
        if self.state == State::Message && !line.starts_with("note: ") {
            self.state = State::Any;
            return self.add(line);
        }
        if is_indented(line) || line.starts_with(' ') && !begins_with_level(line) {
            if self.state == State::Exception && self.form == Form::Levelled {
                self.state = State::Any;
            }
            return self.add(line);
        }
        if line.starts_with("Traceback (most recent call last)") {
            self.state = State::Frames;
            return self.add(line);
        }
        match self.state {
            State::Frames => return self.takes_exception(line),
            State::Exception if crash::is_exception(line) => {
                self.state = State::Any;
                return self.add_telling(line);
            }
            _ => {}
        }
        self.takes_known(line)
    }

    /// The line behind the frames of a traceback.
    fn takes_exception(&mut self, line: &str) -> bool {
        let name = line.split([':', ' ']).next().unwrap_or_default();
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'))
            && (line.len() == name.len() || line.get(name.len()..).is_some_and(|rest| rest.starts_with(':')));
        if !is_name || Level::named(name).is_some() && name.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return false;
        }
        self.state = State::Any;
        // A service that is stopped from outside prints one, and did nothing wrong.
        self.is_interrupt = name == "KeyboardInterrupt"
            || name == "asyncio.exceptions.CancelledError" && line.len() == name.len();
        self.add_telling(line)
    }

    /// Lines that stand at the beginning and belong to what is above them all the same.
    fn takes_known(&mut self, line: &str) -> bool {
        const STARTS: &[&str] = &[
            "Suppressed: ",
            "... ",
            "Stack trace:",
            "stack backtrace:",
            "note: run with ",
            "note: Some details",
        ];
        if line.starts_with("Caused by: ") {
            return self.add_telling(line);
        }
        let is_known = STARTS.iter().any(|start| line.starts_with(start))
            || is_chain(line)
            || match self.form {
                Form::Crash(Crash::GoPanic) => is_go(line),
                Form::Crash(Crash::Exception | Crash::NodePrelude) | Form::Levelled => is_node(line),
                Form::Crash(Crash::Sanitizer) => is_sanitizer(line),
                Form::Crash(Crash::Other) => is_other(line),
                Form::Crash(_) => false,
            };
        if is_chain(line) {
            self.state = State::Chain;
        }
        is_known && self.add(line)
    }

    fn takes_after_blank(&mut self, line: &str) -> bool {
        let takes = match self.form {
            Form::Crash(Crash::GoPanic) => line.starts_with("goroutine ") || line.starts_with("exit status "),
            Form::Crash(Crash::NodePrelude) if self.state == State::Exception => {
                self.state = State::Any;
                true
            }
            // Spring puts an empty line between its entry and the exception.
            Form::Levelled if self.state == State::Exception && crash::is_java_exception(line) => {
                self.state = State::Any;
                true
            }
            Form::Crash(Crash::Sanitizer) => is_indented(line) || is_sanitizer(line),
            _ => false,
        };
        let takes = takes
            || line.starts_with("Node.js v")
            || line.starts_with("stack backtrace:")
            || is_chain(line)
            || self.state == State::Chain && line.starts_with("Traceback ");
        if !takes {
            return false;
        }
        if is_chain(line) {
            self.state = State::Chain;
        } else if line.starts_with("Traceback ") {
            self.state = State::Frames;
            self.is_interrupt = false;
        }
        self.add(line)
    }
}

/// How Python joins two tracebacks.
fn is_chain(line: &str) -> bool {
    line.starts_with("During handling of the above exception")
        || line.starts_with("The above exception was the direct cause")
}

/// A level of its own makes a padded line an entry of its own.
fn begins_with_level(line: &str) -> bool {
    let word = line.trim_start().split([' ', ':', '[']).next().unwrap_or_default();
    word.bytes().all(|byte| byte.is_ascii_uppercase()) && Level::named(word).is_some()
}

fn is_go(line: &str) -> bool {
    const STARTS: &[&str] =
        &["goroutine ", "created by ", "exit status ", "[signal ", "panic: ", "runtime: ", "rax ", "PC="];
    let is_call = line.ends_with(')') && line.contains('(') && !line.contains(": ") && line.contains('.');
    is_call || STARTS.iter().any(|start| line.starts_with(start)) || line.ends_with("(...)")
}

fn is_node(line: &str) -> bool {
    matches!(line, "}" | "]" | "})")
        || line == "Require stack:"
        || line.starts_with("- /")
        || line.starts_with("Node.js v")
}

fn is_sanitizer(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "==",
        "=>",
        "SUMMARY: ",
        "Shadow ",
        "freed by ",
        "previously allocated ",
        "allocated by ",
        "READ of ",
        "WRITE of ",
        "Direct leak ",
        "Indirect leak ",
        "0x",
        "Address ",
        "This frame ",
        "HINT: ",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// Perl, npm and PHP go on at the beginning of a line.
fn is_other(line: &str) -> bool {
    const STARTS: &[&str] =
        &["BEGIN failed--", "Compilation failed ", "npm ERR!", "npm error", "#", "stack traceback:"];
    STARTS.iter().any(|start| line.starts_with(start)) || line == "}"
}
