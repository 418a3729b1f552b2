//! The binary: parses arguments, assembles everything, prints.
//!
//! Nothing else in the workspace prints or ends the process, and nothing here decides anything that a library could:
//! a command fetches values, calls one, and shows what came back. The binary deliberately does not read more than a
//! command needs; `candor --version` opens no file.
//!
//! Start reading at `main`, then `cli` for what can be said, `commands/` for what comes of it, and `repl` for a
//! conversation.

mod assemble;
mod cli;
mod commands;
mod context;
mod context_tools;
mod credentials;
mod databases;
mod event_line;
mod fail;
mod follow;
mod init_questions;
mod note_packs;
mod offered;
mod printer;
mod provider;
mod recipes;
mod repl;
mod results;
mod screen;
mod secrets;
mod stops;
mod usage;
mod walls;
mod which;
mod word;

use std::process::ExitCode;

use crate::cli::Said;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::Screen;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let said = match cli::parse(&arguments) {
        Ok(said) => said,
        Err(error) => return usage::explain(&error, &arguments),
    };
    let screen = Screen::new(&said, &arguments);
    let outcome = fail::guard(|| run(&said, &screen));
    screen.finish(outcome)
}

fn run(said: &Said, screen: &Screen) -> Result<Exit, Fail> {
    // Before there is another thread, and before there is a secret.
    candor_sandbox::harden().map_err(|error| error.failure())?;
    match said {
        Said::NotBuilt(name) => Err(usage::not_built(name)),
        Said::Misplaced { option, command } => Err(usage::misplaced(option, command)),
        Said::Generate(options) => commands::generate::run(options),
        Said::Run(cli) => match &cli.command {
            Some(command) => {
                let context = Context::new(&cli.global, screen);
                commands::run(command, &context.map_err(|fail| commands::badly_called(command, fail))?)
            }
            None if repl::is_meant(&cli.ask) => repl::run(&cli.ask, &Context::new(&cli.global, screen)?),
            None => commands::ask::run(&cli.ask, &Context::new(&cli.global, screen)?),
        },
    }
}
