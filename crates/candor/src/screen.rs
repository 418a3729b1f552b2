//! What a person sees: answers on standard output, everything else on standard error, secrets on neither.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use candor_cards::one_line;
use candor_config::Env;
use candor_protocol::{ErrorCard, Event, Failure, Step};
use candor_redact::Redactor;

use crate::cli::Said;
use crate::event_line::event_line;
use crate::fail::{Exit, Fail};

/// The exit code of a command that the user stopped.
const STOPPED: u8 = 130;

/// The two output streams of the process.
pub(crate) struct Screen {
    colour: Colour,
    /// What is known to be secret; grows when a configuration is loaded.
    secrets: RefCell<Vec<String>>,
    /// Made from them when something is first shown, and again after they grew.
    redactor: RefCell<Option<Redactor>>,
    pub(crate) env: Env,
    /// The flags that say which files are meant, as they were given.
    place: String,
    /// The command as it was typed, for the head of a card.
    command: String,
    /// Whether a program reads standard output, one JSON object a line.
    lines: bool,
}

/// Whether each stream takes colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour {
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

impl Screen {
    pub(crate) fn new(said: &Said, arguments: &[OsString]) -> Self {
        let screen = Self::unread(arguments);
        match said {
            Said::Run(cli) => {
                let shown = Colour {
                    stdout: screen.colour.stdout && !cli.global.no_color,
                    stderr: screen.colour.stderr && !cli.global.no_color,
                };
                let lines = cli.command.is_none() && cli.ask.json;
                Self { place: cli.global.place(), colour: shown, lines, ..screen }
            }
            Said::Generate(_) | Said::NotBuilt(_) | Said::Misplaced { .. } => screen,
        }
    }

    /// For arguments that could not be read, or that only ask for help.
    pub(crate) fn unread(arguments: &[OsString]) -> Self {
        let env = Env::capture();
        // Behind two dashes it would be somebody else's.
        let mut own = arguments.iter().take_while(|argument| *argument != "--");
        let is_unwanted = own.any(|argument| argument == "--no-color");
        let wanted = !is_unwanted && !env.is_set("NO_COLOR") && env.get("TERM") != Some("dumb");
        let colour = Colour {
            stdout: wanted && io::stdout().is_terminal(),
            stderr: wanted && io::stderr().is_terminal(),
        };
        let secrets = env.secret_values().map(str::to_owned).collect();
        let (command, place) = (command_line(arguments), String::new());
        let (secrets, redactor) = (RefCell::new(secrets), RefCell::new(None));
        Self { colour, secrets, redactor, env, place, command, lines: false }
    }

    /// For arguments of a prompt that could not be read: `--json` among them says that a program waits for a line.
    pub(crate) fn of_a_prompt(arguments: &[OsString]) -> Self {
        let mut own = arguments.iter().take_while(|argument| *argument != "--");
        let lines = own.any(|argument| argument == "--json");
        Self { lines, ..Self::unread(arguments) }
    }

    pub(crate) const fn colour(&self) -> Colour {
        self.colour
    }

    /// The command as it was typed.
    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    /// Adds values that must never be shown.
    pub(crate) fn keep_secret(&self, values: impl IntoIterator<Item = String>) {
        self.secrets.borrow_mut().extend(values);
        self.redactor.replace(None);
    }

    /// The values that must never be shown.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.secrets.borrow().clone()
    }

    /// Masks whatever is known or looks like a secret.
    pub(crate) fn redactor(&self) -> Redactor {
        let mut redactor = self.redactor.borrow_mut();
        redactor.get_or_insert_with(|| Redactor::with_secrets(self.secrets.borrow().iter())).clone()
    }

    /// Writes an answer line to standard output.
    pub(crate) fn say(&self, line: Arguments<'_>) -> Result<(), Fail> {
        let line = line.to_string();
        say_bytes(self.redactor().redact_str(&line).as_bytes())?;
        say_bytes(b"\n")
    }

    /// Writes an event to standard output, as a line of JSON.
    pub(crate) fn say_event(&self, event: &Event) -> Result<(), Fail> {
        say_bytes(self.event_line(event).as_bytes())?;
        say_bytes(b"\n")
    }

    /// An event as a line of JSON, masked.
    pub(crate) fn event_line(&self, event: &Event) -> String {
        event_line(event, &self.redactor())
    }

    /// Writes a line for the person at the terminal to standard error.
    pub(crate) fn note(&self, line: Arguments<'_>) {
        let line = line.to_string();
        let mut masked = self.redactor().redact_str(&line).into_owned();
        // In one write: what others print to the same terminal must not tear the line.
        masked.push('\n');
        // There is nobody left to tell if standard error is gone.
        let _ = io::stderr().lock().write_all(masked.as_bytes());
    }

    /// A warning, on standard error.
    pub(crate) fn warn(&self, text: &str) {
        let style = Style::new().fg_color(Some(AnsiColor::Yellow.into())).bold();
        self.note(format_args!("{} {text}", paint(self.colour.stderr, style, "warning:")));
    }

    /// What the log's own thread says when the log is in trouble: the program goes on, so it is one line and no card.
    pub(crate) fn trouble(error: &candor_log::Error) {
        let code = error.failure().code;
        let _ = writeln!(io::stderr().lock(), "warning: {error} ({code}); the program goes on");
    }

    /// Shows a failure's card, on standard error.
    pub(crate) fn card(&self, failure: &Failure) -> u8 {
        self.card_of(failure, &self.command)
    }

    /// Shows the failure that this command ends with: to a program as the line that a run or the socket would have had
    /// for it, without the session that there is not; to people as its card.
    pub(crate) fn last_card(&self, failure: &Failure) -> u8 {
        if self.lines {
            let card = self.in_place(candor_cards::card(failure));
            let message = format!("{}. {}", card.title, card.cause.replace('\n', " "));
            let line = serde_json::json!({ "type": "error", "message": message, "card": card });
            // Where nobody can be told, the card and the exit code still say it.
            let _ = self.say(format_args!("{line}"));
        }
        self.card(failure)
    }

    /// Shows the card of a failure that happened to this command, on standard error.
    pub(crate) fn card_of(&self, failure: &Failure, command: &str) -> u8 {
        let card = candor_cards::card(failure);
        self.lay_out(&card, command);
        card.exit_code
    }

    /// Shows a card, on standard error.
    pub(crate) fn show_card(&self, card: &ErrorCard) {
        self.lay_out(card, &self.command);
    }

    fn lay_out(&self, card: &ErrorCard, command: &str) {
        let card = self.in_place(card.clone());
        let text = candor_cards::text(&card, command);
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let style = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
        self.note(format_args!("{}\n{rest}", paint(self.colour.stderr, style, head)));
    }

    /// Lets the card's own commands look at the files that this one looked at.
    fn in_place(&self, mut card: ErrorCard) -> ErrorCard {
        let place = |command: &mut String| {
            if let Some(rest) = command.strip_prefix("candor config ").filter(|_| !self.place.is_empty()) {
                *command = format!("candor {} config {rest}", self.place);
            }
        };
        for step in &mut card.steps {
            match step {
                Step::Run { command, .. } | Step::Check { command: Some(command), .. } => place(command),
                Step::Check { command: None, .. } | Step::Do { .. } => {}
            }
        }
        card.verify.as_mut().map(place);
        card
    }

    /// The end of the process: the one place where exit codes are decided.
    pub(crate) fn finish(&self, outcome: Result<Exit, Fail>) -> ExitCode {
        let outcome = outcome.and_then(|exit| match written(io::stdout().flush()) {
            // A reader that has gone does not change how the command ended.
            Ok(()) | Err(Fail::Hangup) => Ok(exit),
            Err(fail) => Err(fail),
        });
        match outcome {
            Ok(Exit::Good) | Err(Fail::Hangup) => ExitCode::SUCCESS,
            Ok(Exit::Bad) => ExitCode::FAILURE,
            Ok(Exit::Ran(status)) => ExitCode::from(status.exit_code()),
            Ok(Exit::Shown(code)) => ExitCode::from(code),
            Err(Fail::Help) => {
                self.note(format_args!("{}", crate::cli::definition().render_help()));
                ExitCode::from(2)
            }
            Err(Fail::Stopped) => ExitCode::from(STOPPED),
            Err(Fail::Card(failure)) => ExitCode::from(self.last_card(&failure)),
            Err(Fail::CardWithExit(failure, exit_code)) => {
                self.show_card(&ErrorCard { exit_code, ..candor_cards::card(&failure) });
                ExitCode::from(exit_code)
            }
        }
    }
}

/// Writes bytes that hold nothing of the user's, or are masked already, to standard output.
pub(crate) fn say_bytes(bytes: &[u8]) -> Result<(), Fail> {
    written(io::stdout().lock().write_all(bytes))
}

/// Turns what came of writing to standard output into how the command ends.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Fail> {
    result.map_err(|error| {
        if error.kind() == ErrorKind::BrokenPipe {
            return Fail::Hangup;
        }
        // What the shell connected us to; the name of the stream would be of no use in the card's commands.
        let target = std::fs::read_link("/proc/self/fd/1").unwrap_or_else(|_| PathBuf::from("/dev/stdout"));
        Fail::Card(Failure::file(&target, &error))
    })
}

/// Carries out async work on this thread: one run needs no more.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Fail>>) -> Result<T, Fail> {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build();
    tokio.map_err(|error| Failure::file(std::path::Path::new("/proc/self"), &error))?.block_on(work)
}

/// A number of things.
pub(crate) fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The longest column but the last: a name may be as long as its author likes.
const COLUMN_CHARS_MAX: usize = 60;

/// Rows as lines, with each column where the one above it is. What is longer than a column stands out of it.
pub(crate) fn columns<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|cell| one_line(cell))).collect();
    let width = |at: usize| {
        let widths = rows.iter().map(|row| row[at].chars().count());
        widths.filter(|width| *width <= COLUMN_CHARS_MAX).max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(|at| if at + 1 < N { width(at) } else { 0 });
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Text in a style, where colours are wanted.
pub(crate) fn paint(colour: bool, style: Style, text: &str) -> String {
    if colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// The command as it was typed.
pub(crate) fn command_line(arguments: &[OsString]) -> String {
    let rest = arguments.iter().skip(1).map(|argument| {
        let argument = argument.to_string_lossy();
        // The catalogue quotes a leading dash, as it must where a path is meant; here it is a flag.
        let is_flag = argument.starts_with('-')
            && argument.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte));
        if is_flag { argument.into_owned() } else { candor_cards::quote(&argument) }
    });
    std::iter::once("candor".to_owned()).chain(rest).collect::<Vec<_>>().join(" ")
}
