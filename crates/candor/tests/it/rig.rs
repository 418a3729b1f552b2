//! Short ways to run the binary.

use candor_testkit::{Candor, Home, Ran};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_candor");

/// The binary in a home, with arguments as one would type them; nothing is quoted.
pub(crate) fn candor<'h>(home: &'h Home, line: &str) -> Candor<'h> {
    Candor::new(BINARY, home).args(line.split_whitespace())
}

/// Runs it in a fresh home.
pub(crate) fn run(line: &str) -> Ran {
    candor(&Home::new(), line).run()
}

/// The lines that begin with a number and a dot: a card's steps.
pub(crate) fn steps(text: &str) -> Vec<&str> {
    let numbered =
        |line: &&str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    text.lines().filter(numbered).collect()
}
