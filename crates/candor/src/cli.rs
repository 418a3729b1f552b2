//! The command line: what can be said, before anyone asks what it means.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use candor_config::Flag;
use candor_protocol::Level;
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

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
  candor demo                            see what there is, with no key and no network
  candor init --provider anthropic       write a commented configuration
  candor config show --origin            every setting, and where it came from
  candor logs -f --level warn            follow the log
  kubectl logs my-pod | candor redact    mask the secrets in any text";

/// Commands of the public contract that this build does not have. They are known, so that none is taken for a prompt.
pub(crate) const NOT_BUILT: &[&str] =
    &["serve", "verify", "card", "harness", "ctx", "cron", "workflow", "tools", "mcp", "skills", "acp"];

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

/// A prompt, and how it is to be answered.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of a prompt")]
pub(crate) struct Ask {
    /// What to do, in your own words
    #[arg(hide = true, value_name = "PROMPT")]
    pub(crate) words: Vec<String>,
    /// Go on with this session
    #[arg(short, long, value_name = "ID", conflicts_with = "continue_")]
    pub(crate) session: Option<String>,
    /// Go on with the latest session of this folder
    #[arg(short, long = "continue", id = "continue_")]
    pub(crate) continue_: bool,
    /// Print every event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Stop after this time, such as 90s or 10m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop after this many turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) max_turns: Option<u64>,
    /// Stop when it has cost this many US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,
    /// Do not check the work before it is called done
    #[arg(long)]
    pub(crate) no_verify: bool,
}

impl Ask {
    /// Whether nothing but words was said: with an option of a prompt, or behind two dashes, they are no mistyped command.
    pub(crate) fn is_plain(&self) -> bool {
        let Self { words: _, session, continue_, json, timeout, max_turns, max_cost, no_verify } = self;
        let plain = session.is_none() && timeout.is_none() && max_turns.is_none() && max_cost.is_none();
        plain && !continue_ && !json && !no_verify && !std::env::args_os().any(|argument| argument == "--")
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let bare = text.parse::<u64>().ok().map(Duration::from_secs);
    let length = bare.or_else(|| candor_config::duration(text)).filter(|length| !length.is_zero());
    length.ok_or_else(|| "expected a length of time, such as 90s, 10m or 1h30m".to_owned())
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.trim_start_matches('$').parse::<f64>().ok();
    amount
        .filter(|amount| amount.is_finite() && *amount > 0.0)
        .ok_or_else(|| "expected an amount of US dollars, such as 0.50".to_owned())
}

/// What holds for every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Read this config file instead of the home's
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Work in this folder, with its .candor/config
    #[arg(short, long, global = true, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Use this provider
    #[arg(short, long, global = true, value_name = "P")]
    provider: Option<String>,
    /// Use this model
    #[arg(short, long, global = true, value_name = "M")]
    model: Option<String>,
    /// Use this system prompt
    #[arg(long, global = true, value_name = "TEXT")]
    system_prompt: Option<String>,
    /// How strictly work is checked
    #[arg(long, global = true, value_name = "PROFILE", value_parser = ["strict", "fast", "smoke", "yolo"], hide_possible_values = true)]
    profile: Option<String>,
    /// What may be done without asking
    #[arg(long, global = true, value_name = "MODE", value_parser = ["read-only", "ask", "workspace", "full"], hide_possible_values = true)]
    permission: Option<String>,
    /// Print without colours
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

impl Global {
    /// The flags that say which files are meant, for a command line.
    pub(crate) fn place(&self) -> String {
        let flag = |name: &str, path: &Option<PathBuf>| {
            path.as_ref().map(|path| format!("{name} {}", candor_cards::quote(&path.to_string_lossy())))
        };
        let flags = [flag("--config", &self.config), flag("--workspace", &self.workspace)];
        flags.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// The settings among the flags. Their values are checked where all settings are, so that the messages are the same.
    pub(crate) fn settings(&self) -> Vec<Flag> {
        let flags = [
            ("--provider", "provider", &self.provider),
            ("--model", "model", &self.model),
            ("--system-prompt", "system_prompt", &self.system_prompt),
            ("--profile", "profile", &self.profile),
            ("--permission", "permission", &self.permission),
        ];
        let given = flags.into_iter().filter_map(|(name, key, value)| Some((name, key, value.clone()?)));
        given.map(|(name, key, value)| Flag { name, key, value }).collect()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented configuration
    Init(Init),
    /// Look for problems, each with its fix
    Doctor(Doctor),
    /// Show, check and explain the configuration
    Config {
        #[command(subcommand)]
        command: Config,
    },
    /// The catalogue of failures
    Errors {
        #[command(subcommand)]
        command: Errors,
    },
    /// Earlier conversations
    Sessions {
        #[command(subcommand)]
        command: Sessions,
    },
    /// Which models the provider has
    Models {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The system prompt, layer by layer
    Prompt {
        #[command(subcommand)]
        command: Prompt,
    },
    /// Tokens and cost
    Usage(Usage),
    /// Read the log
    Logs(Logs),
    /// Filter: standard input to standard output, secrets masked
    Redact(Redact),
    /// What exists, in one command
    Demo,
    /// Print a completion script for your shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// toml or yaml
    #[arg(long, value_name = "FORMAT", default_value = "toml")]
    pub(crate) format: ConfigFormat,
    /// Replace a configuration that is there; the old one is kept beside it
    #[arg(long)]
    pub(crate) force: bool,
    /// Ask nothing, even on a terminal
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ConfigFormat {
    Toml,
    Yaml,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print every setting in force
    Show {
        /// Print where each came from
        #[arg(long)]
        origin: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Only keys that begin with this
        #[arg(value_name = "KEY")]
        prefix: Option<String>,
    },
    /// Look for mistakes
    Check {
        /// Go on looking, whenever a file changes
        #[arg(long)]
        watch: bool,
    },
    /// Print the JSON Schema, for your editor
    Schema,
    /// Print which files are read
    Path {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Errors {
    /// Print all codes
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print one card
    Show {
        /// Its code
        code: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List them, the latest first
    List {
        /// Also those of other folders
        #[arg(long, short)]
        all: bool,
        /// At most this many
        #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
        limit: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print what was said and done in one
    Show {
        /// Its id, or enough of its beginning or end
        session: String,
        /// Print its events as lines of JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Prompt {
    /// Print it as the next request would have it
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Usage {
    /// One line for each day, model or session
    #[arg(long, value_name = "WHAT", default_value = "day")]
    pub(crate) by: UsageBy,
    /// Only after this: 10m, 2h, 3d, 2025-02-11 or 2025-02-11T10:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UsageBy {
    Day,
    Model,
    Session,
}

#[derive(Debug, Args)]
pub(crate) struct Logs {
    /// Go on as lines are written
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only this event
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// Only this level and worse: error, warn, info or debug
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// Only after this: 10m, 2h, 3d, 2025-02-11 or 2025-02-11T10:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Print the lines as they are in the file
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Redact {
    /// List the rules instead
    #[arg(long)]
    pub(crate) rules: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// Which document
    pub(crate) document: Document,
    /// The folder for man pages
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Document {
    ConfigSchema,
    ConfigDocs,
    ConfigExample,
    ErrorsDocs,
    RedactionDocs,
    Man,
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
        _ => Cli::from_arg_matches(&matches).map(|cli| Said::Run(Box::new(cli))),
    }
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
