//! What can be said with a prompt, and with every command.

use std::path::PathBuf;
use std::time::Duration;

use candor_config::Flag;
use clap::Args;

/// A prompt, and how it is to be answered.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of a prompt")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line, and none excludes another"
)]
pub(crate) struct Ask {
    /// What to do, in your own words
    #[arg(hide = true, value_name = "PROMPT")]
    pub(crate) words: Vec<String>,
    /// Talk: one message after another; so does `candor` alone on a terminal
    #[arg(short, long)]
    pub(crate) repl: bool,
    /// Go on with this session: its id, its beginning or end, or `last`
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
        let Self { words: _, repl, session, continue_, json, timeout, max_turns, max_cost, no_verify } = self;
        let plain = session.is_none() && timeout.is_none() && max_turns.is_none() && max_cost.is_none();
        plain
            && !repl
            && !continue_
            && !json
            && !no_verify
            && !std::env::args_os().any(|argument| argument == "--")
    }
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
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
    /// How strictly work is checked: strict, fast, smoke or yolo
    #[arg(long, global = true, value_name = "PROFILE", value_parser = ["strict", "fast", "smoke", "yolo"], hide_possible_values = true)]
    profile: Option<String>,
    /// What may be done without asking: read-only, ask, workspace or full
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
