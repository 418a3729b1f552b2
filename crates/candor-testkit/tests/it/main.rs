//! The test library, tested: a helper that cannot fail would make every test that uses it worthless.
#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "a test that runs itself in a child is told so by the environment"
)]

mod binary;
mod home;
mod llm;
mod mutants;
mod suites;
mod sweep;
