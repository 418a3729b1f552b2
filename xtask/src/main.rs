//! Parses the command and hands it over. It does not do anything itself: start reading at the library beside it,
//! which deliberately holds every step, so that tests can reach them.
//! One exit code is decided here: zero when everything asked for went well.
#![expect(clippy::print_stderr, reason = "a command for developers prints")]

use std::process::ExitCode;

use xtask::command::{Command, USAGE};

fn main() -> ExitCode {
    let command = match Command::parse(std::env::args().skip(1)) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("{error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match command.run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
