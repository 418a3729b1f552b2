//! The line editor: history, completion, lines that go on.

use std::cell::Cell;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc as std_mpsc;

use anstyle::{AnsiColor, Style};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context};
use tokio::sync::mpsc;

use super::order::COMMANDS;
use super::reader::{Line, Request, unreadable};
use crate::screen::paint;

/// How many lines the history keeps: months of use, and still read in no time.
const HISTORY_LINES_MAX: usize = 1000;
/// Longer messages are pasted rather than typed, and nobody looks for them in a history.
const HISTORY_LINE_BYTES_MAX: usize = 16 * 1024;

const PROMPT: &str = "candor> ";
/// As wide as the prompt, so that lines stand below each other.
const PROMPT_MORE: &str = "      > ";

/// A line editor on the terminal.
pub(super) struct Editor {
    lines: rustyline::Editor<Desk, FileHistory>,
    history: PathBuf,
    colour: bool,
}

impl Editor {
    pub(super) fn new(history: PathBuf, colour: bool) -> rustyline::Result<Self> {
        let config = Config::builder()
            .max_history_size(HISTORY_LINES_MAX)?
            .history_ignore_dups(true)?
            // Lines are masked before they are remembered.
            .auto_add_history(false)
            .completion_type(CompletionType::List)
            .bracketed_paste(true)
            .build();
        let mut lines = rustyline::Editor::with_config(config)?;
        lines.set_helper(Some(Desk::default()));
        // No history yet, or one that cannot be read, is no reason to refuse a conversation.
        let _ = lines.load_history(&history);
        Ok(Self { lines, history, colour })
    }

    /// Does what it is asked until nobody is there any more.
    pub(super) fn serve(mut self, requests: &std_mpsc::Receiver<Request>, answers: &mpsc::Sender<Line>) {
        while let Ok(request) = requests.recv() {
            let answer = match request {
                Request::Remember(line) => self.remember(line),
                Request::Read => self.message(),
                Request::Ask(prompt) => self.answer(&prompt),
                Request::Offer(sessions) => {
                    if let Some(desk) = self.lines.helper_mut() {
                        desk.sessions = sessions;
                    }
                    continue;
                }
            };
            if answers.blocking_send(answer).is_err() {
                return;
            }
        }
    }

    /// One line, which is neither completed nor remembered.
    fn answer(&mut self, prompt: &str) -> Line {
        match self.line(prompt) {
            Ok(line) => Line::Entered(line),
            Err(ReadlineError::Interrupted) => Line::Interrupted,
            Err(ReadlineError::Eof) => Line::End,
            Err(error) => Line::Failed(unreadable(&io::Error::other(error.to_string()))),
        }
    }

    fn remember(&mut self, line: String) -> Line {
        if line.len() <= HISTORY_LINE_BYTES_MAX
            && self.lines.add_history_entry(line).is_ok_and(|is_new| is_new)
        {
            // A history that cannot be kept is missed later and hurts nobody now.
            let _ = self.lines.append_history(&self.history);
        }
        Line::Remembered
    }

    /// One message: a line, with those that follow while each ends in a backslash.
    fn message(&mut self) -> Line {
        let mut message = String::new();
        let mut prompt = PROMPT;
        loop {
            match self.line(prompt) {
                Ok(line) => match line.strip_suffix('\\') {
                    Some(line) => {
                        message.push_str(line);
                        message.push('\n');
                        prompt = PROMPT_MORE;
                    }
                    None => return Line::Entered(message + &line),
                },
                Err(ReadlineError::Interrupted) => {
                    let typed =
                        !message.is_empty() || self.lines.helper().is_some_and(|desk| desk.typed.get());
                    return if typed { Line::Cleared } else { Line::Interrupted };
                }
                Err(ReadlineError::Eof) if message.is_empty() => return Line::End,
                Err(ReadlineError::Eof) => return Line::Entered(message),
                Err(error) => return Line::Failed(unreadable(&io::Error::other(error.to_string()))),
            }
        }
    }

    fn line(&mut self, prompt: &str) -> rustyline::Result<String> {
        if let Some(desk) = self.lines.helper() {
            desk.typed.set(false);
        }
        let style = Style::new().fg_color(Some(AnsiColor::Cyan.into())).bold();
        let styled = paint(self.colour, style, prompt);
        self.lines.readline(&(prompt, styled.as_str()))
    }
}

/// What the editor asks while a line is edited.
#[derive(Default)]
struct Desk {
    sessions: Vec<String>,
    /// Whether there is anything in the line.
    typed: Cell<bool>,
}

impl rustyline::Helper for Desk {}
impl Highlighter for Desk {}
impl Validator for Desk {}

impl Hinter for Desk {
    type Hint = String;

    /// There are no hints. This is where the editor tells what the line holds: when it is given up, it does not say.
    fn hint(&self, line: &str, _pos: usize, _ctx: &Context<'_>) -> Option<String> {
        self.typed.set(!line.is_empty());
        None
    }
}

impl Completer for Desk {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _ctx: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(completions(line.get(..pos).unwrap_or_default(), &self.sessions))
    }
}

/// Where the word begins that stands before the cursor, and what it may become: a command, or the id of a session.
fn completions(before: &str, sessions: &[String]) -> (usize, Vec<String>) {
    if let Some(word) = before.strip_prefix("/resume ") {
        let fits = |id: &&String| id.starts_with(word) || (!word.is_empty() && id.ends_with(word));
        return (before.len() - word.len(), sessions.iter().filter(fits).cloned().collect());
    }
    if !before.starts_with('/') || before.contains(char::is_whitespace) {
        return (before.len(), Vec::new());
    }
    let with_space = |(name, rest, _): &(&str, &str, &str)| {
        if rest.is_empty() { (*name).to_owned() } else { format!("{name} ") }
    };
    let fits = COMMANDS.iter().filter(|(name, ..)| name.starts_with(before));
    (0, fits.map(with_space).collect())
}
