//! The command line: what can be said, before anyone asks what it means.

mod cards;
mod commands;
mod ctx;
mod options;
mod reach;
mod sessions;
mod verify;

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, Parser};

pub(crate) use cards::{Card, Harness};
pub(crate) use commands::{
    Command, Config, ConfigFormat, Demo, Doctor, Document, Errors, Generate, Init, Logs, Prompt, Redact,
    Serve, Tools, Usage, UsageBy,
};
pub(crate) use ctx::{Ctx, CtxGet, CtxMode, CtxSearch, Place};
pub(crate) use options::{Ask, Global};
pub(crate) use reach::{Hooks, Mcp, McpAdd, Notes, Skills, Trust};
pub(crate) use sessions::Sessions;
pub(crate) use verify::Verify;

/// The version with the facts of the build.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("CANDOR_BUILD_COMMIT"),
    " ",
    env!("CANDOR_BUILD_DATE"),
    ", ",
    env!("CANDOR_BUILD_TARGET"),
    ", ",
    env!("CANDOR_BUILD_PROFILE"),
    ", rustc ",
    env!("CANDOR_BUILD_RUSTC"),
    ")"
);

const EXAMPLES: &str = "\
Examples:
  candor \"what does this folder do?\"     ask, then exit
  git diff | candor \"review this\"        standard input is part of the question
  candor -c \"and the tests?\"             go on with the latest session of this folder
  candor verify                          look whether what is in this folder works";

/// Commands of the public contract that this build does not have. They are known, so that none is taken for a prompt.
pub(crate) const NOT_BUILT: &[&str] = &["cron", "workflow", "acp"];

/// The command that prints generated documents.
const GENERATE: &str = "generate";

/// An agent that does not tell you it is done until it is.
#[derive(Debug, Parser)]
#[command(name = "candor", version = VERSION, after_help = EXAMPLES, max_term_width = 100)]
#[command(help_template = "{about}\n\n{usage-heading} {usage}\n\n{all-args}{after-help}")]
#[command(override_usage = "candor [OPTIONS] PROMPT...\n       candor [OPTIONS] COMMAND")]
#[command(subcommand_precedence_over_arg = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

/// The whole definition, with what is understood but not offered: documents for packagers, commands of later builds.
pub(crate) fn definition() -> clap::Command {
    let generate = Generate::augment_args(clap::Command::new(GENERATE).hide(true));
    NOT_BUILT.iter().fold(Cli::command().subcommand(generate), |definition, name| {
        let rest = Arg::new("rest").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
        definition.subcommand(clap::Command::new(*name).hide(true).disable_help_flag(true).arg(rest))
    })
}

/// What was said.
pub(crate) enum Said {
    /// A command of this build, or a prompt.
    Run(Box<Cli>),
    /// A document for packagers.
    Generate(Generate),
    /// A command that this build does not have.
    NotBuilt(String),
    /// An option of a prompt that stands before a command.
    Misplaced {
        /// The option, as it is written in full.
        option: String,
        /// The command.
        command: String,
    },
}

/// The definition for a prompt, in which no word is a command.
fn prompt_definition() -> clap::Command {
    Ask::augment_args(Global::augment_args(clap::Command::new("candor").version(VERSION)))
}

/// Reads the arguments. The first word decides: a command, or else all words are a prompt.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Said, clap::Error> {
    let definition = definition();
    if let Some(word) = first_word(&definition, arguments)
        && definition.find_subcommand(&word).is_none()
        && word != "help"
    {
        let matches = prompt_definition().try_get_matches_from(arguments)?;
        let (global, ask) = (Global::from_arg_matches(&matches)?, Ask::from_arg_matches(&matches)?);
        return Ok(Said::Run(Box::new(Cli { global, command: None, ask })));
    }
    let matches = definition.try_get_matches_from(arguments)?;
    match matches.subcommand() {
        Some((GENERATE, inner)) => Generate::from_arg_matches(inner).map(Said::Generate),
        Some((name, _)) if NOT_BUILT.contains(&name) => Ok(Said::NotBuilt(name.to_owned())),
        Some((command, _)) if misplaced(&matches).is_some() => Ok(Said::Misplaced {
            option: misplaced(&matches).unwrap_or_default(),
            command: command.to_owned(),
        }),
        _ => Cli::from_arg_matches(&matches).map(|cli| Said::Run(Box::new(cli))),
    }
}

/// The first option of a prompt that was given before a command. It would be ignored there without a word.
fn misplaced(matches: &ArgMatches) -> Option<String> {
    let options = Ask::augment_args(clap::Command::new("candor"));
    let given = options.get_arguments().find(|option| {
        let id = option.get_id().as_str();
        option.get_long().is_some() && matches.value_source(id) == Some(ValueSource::CommandLine)
    });
    given.and_then(clap::Arg::get_long).map(|long| format!("--{long}"))
}

/// The first argument that is neither a flag nor the value of one.
fn first_word(definition: &clap::Command, arguments: &[OsString]) -> Option<String> {
    let takes_value = |flag: &str| {
        definition.get_arguments().any(|argument| {
            let long = argument.get_long().is_some_and(|long| flag == format!("--{long}"));
            let short = argument.get_short().is_some_and(|short| flag == format!("-{short}"));
            (long || short) && argument.get_action().takes_values()
        })
    };
    let mut arguments = arguments.iter().skip(1).map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        if !argument.starts_with('-') || argument == "-" {
            return Some(argument.into_owned());
        }
        if argument == "--" {
            return None;
        }
        if takes_value(&argument) {
            arguments.next();
        }
    }
    None
}

/// The version with the facts of the build.
pub(crate) const fn version() -> &'static str {
    VERSION
}
