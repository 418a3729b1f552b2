//! A command line that cannot be followed.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use candor_protocol::{Code, Failure};
use clap::error::{ContextKind, ErrorKind};

use crate::cli::Ask;
use crate::fail::Fail;
use crate::screen::{Screen, command_line};

/// Help and versions are answers; everything else is a card.
pub(crate) fn explain(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if !error.use_stderr() {
        // A reader that has seen enough is no failure.
        let screen = Screen::unread(arguments);
        let _ = write!(io::stdout().lock(), "{}", in_colour(&error.render(), screen.colour().stdout));
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = write!(io::stderr().lock(), "{}", error.render());
        return ExitCode::from(2);
    }
    let is_prompt = innermost(arguments).0.len() == 1;
    let screen = if is_prompt { Screen::of_a_prompt(arguments) } else { Screen::unread(arguments) };
    ExitCode::from(screen.last_card(&failure(error, arguments)))
}

fn in_colour(text: &clap::builder::StyledStr, colour: bool) -> String {
    if colour { text.ansi().to_string() } else { text.to_string() }
}

/// The commands that take a command of somebody else, which has to stand behind two dashes.
const TAKERS: &[&[&str]] = &[&["candor", "card"], &["candor", "mcp", "add"]];

/// The command line with the two dashes that such a command needs.
fn behind_dashes(error: &clap::Error, arguments: &[OsString]) -> Option<String> {
    let (words, _) = innermost(arguments);
    let unknown = error.get(ContextKind::InvalidArg)?.to_string();
    let is_command = TAKERS.iter().any(|taker| words == *taker) && !unknown.starts_with('-');
    let taker =
        arguments.iter().position(|argument| words.last().is_some_and(|word| argument == word.as_str()))?;
    let place = arguments.iter().skip(taker + 1).position(|argument| *argument == *unknown)? + taker + 1;
    let (before, command) = arguments.split_at_checked(place)?;
    let line: Vec<OsString> = [before, &["--".into()], command].concat();
    is_command.then(|| command_line(&line))
}

fn failure(error: &clap::Error, arguments: &[OsString]) -> Failure {
    let text = |kind: ContextKind| error.get(kind).map(ToString::to_string);
    let argument = text(ContextKind::InvalidArg).or_else(|| text(ContextKind::InvalidSubcommand));
    let code = match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::TooManyValues => Code::UsageUnknownArgument,
        ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand | ErrorKind::TooFewValues => {
            Code::UsageMissingArgument
        }
        ErrorKind::ArgumentConflict => Code::UsageConflict,
        ErrorKind::InvalidSubcommand => Code::UsageUnknownCommand,
        _ => Code::UsageInvalidValue,
    };
    let failure = Failure::new(code)
        .with("argument", argument.as_deref().unwrap_or("the command line"))
        .with("detail", detail(error))
        .with("help", help(arguments));
    match code {
        Code::UsageInvalidValue => failure.with("value", text(ContextKind::InvalidValue).unwrap_or_default()),
        Code::UsageUnknownArgument => {
            failure.with("instead", behind_dashes(error, arguments).unwrap_or_default())
        }
        Code::UsageUnknownCommand => failure
            .with("command", argument.unwrap_or_default())
            .with("nearest", nearest_command(error, arguments)),
        _ => failure,
    }
}

/// The command that was most likely meant, with the commands it stands under.
fn nearest_command(error: &clap::Error, arguments: &[OsString]) -> String {
    let typed = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string).unwrap_or_default();
    let (parents, command) = innermost(arguments);
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let near = candor_config::nearest(&typed, names);
    near.map_or_else(String::new, |near| {
        parents.iter().skip(1).map(String::as_str).chain([near]).collect::<Vec<_>>().join(" ")
    })
}

/// What clap says, without its own head and its pointer to the help, which the card has in its steps.
fn detail(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    // What is missing is in the card's own sentence already.
    let told = ["Usage:", "For more information", "the following required arguments"];
    let kept = text.split("\n\n").filter(|part| !told.iter().any(|start| part.starts_with(start)));
    kept.map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The help of the innermost command that was named.
fn help(arguments: &[OsString]) -> String {
    let (mut words, _) = innermost(arguments);
    words.push("--help".to_owned());
    words.join(" ")
}

/// The innermost command that was named, and the words that name it.
fn innermost(arguments: &[OsString]) -> (Vec<String>, clap::Command) {
    let mut command = crate::cli::definition();
    let mut words = vec!["candor".to_owned()];
    for argument in arguments.iter().skip(1) {
        let Some(inner) = argument.to_str().and_then(|name| command.find_subcommand(name)).cloned() else {
            continue;
        };
        words.push(inner.get_name().to_owned());
        command = inner;
    }
    (words, command)
}

/// A command of the contract that this build does not have.
pub(crate) fn not_built(name: &str) -> Fail {
    Failure::new(Code::UsageNotInThisBuild).with("command", name).into()
}

/// An option of a prompt that stands before a command.
pub(crate) fn misplaced(option: &str, command: &str) -> Fail {
    let detail = format!(
        "{option} is an option of a prompt. If candor {command} knows it, too, write it after the command."
    );
    Failure::new(Code::UsageConflict)
        .with("argument", option)
        .with("detail", detail)
        .with("help", format!("candor {command} --help"))
        .into()
}

/// Nothing was said at all: whoever typed just `candor` wants to know what there is.
pub(crate) fn no_prompt(ask: &Ask) -> Fail {
    if ask.session.is_none() && !ask.continue_ && !ask.json {
        return Fail::Help;
    }
    Failure::new(Code::UsageMissingArgument)
        .with("argument", "PROMPT")
        .with("detail", "Neither words nor standard input were given.")
        .with("help", "candor --help")
        .into()
}

/// What other programs of this kind call a command, what that is here, and how to say so. Alone, none of these words is
/// anything a model could be asked.
const CALLED_ELSEWHERE: &[(&[&str], &str, &str)] = &[
    (&["chat", "repl", "interactive", "tui"], "To talk", "candor -r"),
    (&["resume", "continue"], "To go on with the latest session of this folder", "candor -r -c"),
    (&["history", "threads", "conversations"], "To see what was said before", "candor sessions list"),
    (&["login", "auth", "setup", "configure", "onboard"], "To choose a provider and a key", "candor init"),
    (&["version"], "To see which version this is", "candor --version"),
];

/// A prompt that is more likely a mistyped command: one word that is a command elsewhere, one near to a command, or two
/// of which the second is a command under it. More than that would take ordinary sentences for mistakes.
pub(crate) fn mistyped(prompt: &[String]) -> Option<Fail> {
    called_elsewhere(prompt).or_else(|| misspelt(prompt)).map(Fail::from)
}

fn called_elsewhere(prompt: &[String]) -> Option<Failure> {
    let [word] = prompt else { return None };
    let word = word.to_lowercase();
    let (_, purpose, instead) = CALLED_ELSEWHERE.iter().find(|(names, ..)| names.contains(&word.as_str()))?;
    let detail = format!("{purpose}: {instead}\nAs a prompt it would be: candor -- {word}");
    let failure = Failure::new(Code::UsageUnknownCommand).with("command", word).with("instead", instead);
    Some(failure.with("detail", detail).with("help", "candor --help"))
}

fn misspelt(prompt: &[String]) -> Option<Failure> {
    let (word, second) = match prompt {
        [word] => (word, None),
        [word, second, ..] => (word, Some(second)),
        [] => return None,
    };
    let definition = crate::cli::definition();
    let offered = definition.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<&str> = offered.map(clap::Command::get_name).collect();
    if word.contains(' ') || names.contains(&word.as_str()) {
        // A sentence, or a command's name after two dashes: meant as a prompt.
        return None;
    }
    let nearest = candor_config::nearest(word, names)?;
    if let Some(second) = second {
        definition.find_subcommand(nearest)?.find_subcommand(second)?;
    }
    let failure = Failure::new(Code::UsageUnknownCommand)
        .with("command", word)
        .with("nearest", nearest)
        .with("detail", format!("Did you mean {nearest}?"))
        .with("help", "candor --help");
    Some(failure)
}
