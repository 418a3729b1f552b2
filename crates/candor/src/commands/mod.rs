//! One file for each command.

pub(crate) mod ask;
mod card;
mod completions;
mod config;
mod ctx;
mod demo;
pub(crate) mod doctor;
mod error_stats;
mod errors;
pub(crate) mod generate;
mod harness;
pub(crate) mod hooks;
mod init;
pub(crate) mod logs;
mod mcp;
mod models;
mod notes;
mod prompt;
mod redact;
mod serve;
pub(crate) mod sessions;
mod skills;
mod tools;
mod trust;
mod usage;
pub(crate) mod verify;

use crate::cli::Command;
use crate::context::Context;
use crate::fail::{Exit, Fail};

pub(crate) fn run(command: &Command, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        Command::Init(options) => init::run(options, context),
        Command::Doctor(options) => doctor::run(options, context),
        Command::Config { command } => config::run(command, context),
        Command::Verify(options) => verify::run(options, context),
        Command::Card(options) => card::run(options, context),
        Command::Harness(options) => harness::run(options, context),
        Command::Errors { command } => errors::run(command, context),
        Command::Ctx { command } => ctx::run(command, context),
        Command::Serve(options) => serve::run(options, context),
        Command::Sessions { command } => sessions::run(command, context),
        Command::Tools { command } => tools::run(command, context),
        Command::Skills { command } => skills::run(command, context),
        Command::Hooks { command } => hooks::run(command, context),
        Command::Mcp { command } => mcp::run(command, context),
        Command::Notes { command } => notes::run(command, context),
        Command::Trust(options) => trust::run(options, context),
        Command::Models { json } => models::run(*json, context),
        Command::Prompt { command } => prompt::run(command, context),
        Command::Usage(options) => usage::run(options, context),
        Command::Logs(options) => logs::run(options, context),
        Command::Redact(options) => redact::run(options, context),
        Command::Demo(options) => demo::run(options, context),
        Command::Completions { shell } => completions::run(*shell),
    }
}

/// A command that cannot begin because of how it was called.
pub(crate) fn badly_called(command: &Command, fail: Fail) -> Fail {
    match command {
        Command::Verify(_) => verify::badly_called(fail),
        _ => fail,
    }
}
