//! `candor completions`

use clap::CommandFactory;

use crate::cli::Cli;
use crate::fail::{Exit, Fail};
use crate::screen::say_bytes;

pub(crate) fn run(shell: clap_complete::Shell) -> Result<Exit, Fail> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "candor", &mut script);
    say_bytes(&script)?;
    Ok(Exit::Good)
}
