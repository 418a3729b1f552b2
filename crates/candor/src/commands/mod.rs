//! One file for each command.

mod completions;
mod config;
mod demo;
mod doctor;
mod errors;
pub(crate) mod generate;
mod init;
mod logs;
pub(crate) mod prompt;
mod redact;

use crate::cli::Command;
use crate::context::Context;
use crate::fail::{Exit, Fail};

pub(crate) fn run(command: &Command, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        Command::Init(options) => init::run(options, context),
        Command::Doctor(options) => doctor::run(options, context),
        Command::Config { command } => config::run(command, context),
        Command::Errors { command } => errors::run(command, context),
        Command::Logs(options) => logs::run(options, context),
        Command::Redact(options) => redact::run(options, context),
        Command::Demo => demo::run(context),
        Command::Completions { shell } => completions::run(*shell),
    }
}
