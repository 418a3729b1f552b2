//! The configuration as its users meet it.
#![cfg(test)]

mod bad_input;
mod case;
mod documents;
mod errors;
mod layers;
mod problems;
mod providers;
mod secrets;
mod spellings;
mod suites;
mod sweeps;
mod system_prompt;
mod values;
mod watch;
mod workspace;
