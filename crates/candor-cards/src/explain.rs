//! From a failed command to its card: the one way, for people, for the harness and for the model.

use std::borrow::Cow;
use std::time::Duration;

use candor_protocol::{Code, ErrorCard, Failure};

use crate::clean::clean;
use crate::command::Elsewhere;
use crate::rules::{Below, Seen, best, fill};
use crate::telling::telling;
use crate::{Command, Kind, RuleBase, World, card, structured};

/// The exit code of a shell for a command that it did not find, could not execute, or that a limit ended.
pub const EXIT_NOT_FOUND: i32 = 127;
/// See [`EXIT_NOT_FOUND`].
pub const EXIT_NOT_EXECUTABLE: i32 = 126;
/// The exit code of `timeout`.
pub const EXIT_TIMED_OUT: i32 = 124;

/// How a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It ended by itself with this code.
    Exited(i32),
    /// It was ended by this signal.
    Signalled(i32),
    /// It was ended because it took longer than this.
    TimedOut(Duration),
    /// It did not start, for this reason.
    NotStarted(NotStarted),
}

/// Why a command did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotStarted {
    /// There is no such program.
    NotFound,
    /// It may not be executed.
    NotPermitted,
    /// It is no program.
    NotAProgram,
}

impl How {
    /// The exit code as a shell would have it.
    pub fn exit(&self) -> i32 {
        match self {
            Self::Exited(code) => *code,
            Self::Signalled(signal) => 128 + signal,
            Self::TimedOut(_) => EXIT_TIMED_OUT,
            Self::NotStarted(NotStarted::NotFound) => EXIT_NOT_FOUND,
            Self::NotStarted(_) => EXIT_NOT_EXECUTABLE,
        }
    }

    /// The signal that ended it. A shell reports it as an exit code.
    fn signal(&self) -> Option<i32> {
        match self {
            Self::Signalled(signal) => Some(*signal),
            Self::Exited(code) if (129..=128 + 31).contains(code) => Some(code - 128),
            _ => None,
        }
    }
}

/// A command that failed, and what it said.
#[derive(Debug, Clone)]
pub struct Failed<'a> {
    /// The command.
    pub command: &'a Command,
    /// How it failed.
    pub how: How,
    /// What it said.
    pub stdout: &'a str,
    /// What it said about trouble.
    pub stderr: &'a str,
}

/// Where a card comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The command's own output held it.
    Card,
    /// A rule knows the failure.
    Rule,
    /// Nothing more is known than how it ended and what it said.
    Generic,
}

/// The card of a failed command.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The card.
    pub card: ErrorCard,
    /// Where it comes from.
    pub source: Source,
}

/// Explains a failure. The same failure gives the same bytes, whoever asks.
pub fn explain(failed: &Failed<'_>, rules: &RuleBase, world: &dyn World) -> Explained {
    let (card, source) = explained(failed, rules, world);
    let exit = failed.how.exit().clamp(1, 255);
    Explained { card: ErrorCard { exit_code: u8::try_from(exit).unwrap_or(1), ..card }, source }
}

fn explained(failed: &Failed<'_>, rules: &RuleBase, world: &dyn World) -> (ErrorCard, Source) {
    let (stdout, stderr) = (clean(failed.stdout), clean(failed.stderr));
    let text = text(failed, &stdout, &stderr);
    let told = structured::find(&stdout, &stderr);
    if let Some(card) = told.as_ref().and_then(|told| structured::own(told, failed.command)) {
        return (card, Source::Card);
    }
    if let Some(card) = told.as_ref().and_then(structured::foreign) {
        return (card, Source::Card);
    }
    if let How::TimedOut(limit) = failed.how {
        return (timed_out(failed, limit, &text), Source::Generic);
    }
    let seen = Seen { command: failed.command, exit: failed.how.exit(), text: &text };
    let elsewhere = elsewhere(failed.command, &text, world);
    let found = match elsewhere {
        Some(elsewhere) => best(rules, &seen, &Below { world, directory: elsewhere.directory() }),
        None => best(rules, &seen, world),
    };
    if let Some(found) = found {
        return (fill(&found, elsewhere), Source::Rule);
    }
    let generic = generic(failed, &text);
    match told {
        Some(told) => (told.over(generic), Source::Card),
        None => (generic, Source::Generic),
    }
}

/// Where the command works. A directory that is not there is the failure itself.
fn elsewhere<'c>(command: &'c Command, text: &str, world: &dyn World) -> Option<&'c Elsewhere> {
    command.elsewhere().filter(|elsewhere| match elsewhere {
        Elsewhere::Cd(directory) => world.kind(directory) == Some(Kind::Directory),
        // An output from elsewhere has no directories, and its steps need the option all the same.
        Elsewhere::Git(_) => !text.contains("fatal: cannot change to"),
    })
}

/// What rules read. What a shell would have said of a command that did not start is put in its words.
fn text<'a>(failed: &Failed<'_>, stdout: &'a str, stderr: &'a str) -> Cow<'a, str> {
    let program = failed.command.started();
    let why = match failed.how {
        How::NotStarted(NotStarted::NotFound) if program.contains('/') => Some("not found"),
        How::NotStarted(NotStarted::NotFound) => Some("command not found"),
        How::NotStarted(NotStarted::NotPermitted) => Some("Permission denied"),
        How::NotStarted(NotStarted::NotAProgram) => Some("cannot execute binary file: Exec format error"),
        _ => None,
    };
    match why {
        Some(why) if program.contains('/') => Cow::Owned(format!("sh: 1: {program}: {why}")),
        Some(why) => Cow::Owned(format!("{program}: {why}")),
        _ if stdout.trim().is_empty() => Cow::Borrowed(stderr),
        _ if stderr.trim().is_empty() => Cow::Borrowed(stdout),
        // What it says about trouble stands last, where the last word counts.
        _ => Cow::Owned(format!("{}\n{stderr}", stdout.trim_end())),
    }
}

fn timed_out(failed: &Failed<'_>, limit: Duration, text: &str) -> ErrorCard {
    let mut failure = facts(Code::CommandTimedOut, failed, text);
    failure.facts.retain(|(name, _)| *name != "limit");
    card(&failure.with("limit", format!("{} s", limit.as_secs_f64())))
}

/// What is known without any rule.
fn generic(failed: &Failed<'_>, text: &str) -> ErrorCard {
    let code = match (failed.how.signal(), failed.how.exit()) {
        (Some(2), _) => Code::CommandInterrupted,
        (Some(9), _) => Code::CommandKilled,
        (Some(15 | 1), _) => Code::CommandTerminated,
        (Some(_), _) => Code::CommandCrashed,
        (None, EXIT_NOT_FOUND) => Code::CommandNotFound,
        (None, EXIT_NOT_EXECUTABLE) => Code::CommandNotExecutable,
        (None, EXIT_TIMED_OUT) if failed.command.as_line().contains("timeout") => Code::CommandTimedOut,
        _ => Code::CommandFailed,
    };
    card(&facts(code, failed, text))
}

fn facts(code: Code, failed: &Failed<'_>, text: &str) -> Failure {
    let lines = telling(text);
    let program = failed.command.only_program();
    // Where there is something to read the step is to read it; where there is nothing, to have it say more.
    let (said, read, silent) = match lines.as_slice() {
        [] => ("It said nothing.".to_owned(), "", program.unwrap_or("the command")),
        lines => (lines.join("\n"), "lines", ""),
    };
    let signal = failed.how.signal().map(signal_name).unwrap_or_default();
    let mut failure = Failure::new(code)
        .with("what", program.unwrap_or("The command"))
        .with("command", failed.command.shell_line())
        .with("exit", failed.how.exit())
        .with("limit", "its limit")
        .with("said", said)
        .with("lines", read)
        .with("silent", silent)
        .with("signal", signal);
    if let Some(program) = program {
        failure = failure.with("program", program);
    }
    // Words that are not English are not in the rules; programs speak English when asked to.
    if text.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) && failed.how.signal().is_none() {
        failure = failure.with("english", format!("LC_ALL=C.UTF-8 {}", failed.command.shell_line()));
    }
    failure
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP: its terminal or its parent went away",
        2 => "SIGINT: somebody pressed Ctrl-C",
        3 => "SIGQUIT",
        4 => "SIGILL: it met an instruction that this processor does not have",
        5 => "SIGTRAP",
        6 => "SIGABRT: it gave up by itself, mostly after a failed assertion",
        7 => "SIGBUS: it read memory that is no longer behind a file, or disk space ran out under it",
        8 => "SIGFPE: it divided by zero",
        9 => "SIGKILL: the kernel or somebody else ended it; most often memory ran out",
        11 => "SIGSEGV: it used memory that is not its own",
        13 => "SIGPIPE: what read its output had ended",
        14 => "SIGALRM",
        15 => "SIGTERM: it was asked to end",
        24 => "SIGXCPU: its processor time was used up",
        25 => "SIGXFSZ: a file would have become larger than its limit",
        31 => "SIGSYS: a sandbox forbids a system call that it made",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal}, {name}")
}
