//! The project's own commands: `cargo xtask test`, and the pieces of it that are worth running alone.
//!
//! It checks, measures and writes files of the repository. It deliberately does not link the product, because it
//! is the first thing a newcomer waits for: what it needs of the product, it gets by running the binary. It is
//! not shipped, so it may print and start processes, which the product's libraries may not.
//!
//! Start reading at [`test::STEPS`], the table of everything that `cargo xtask test` does, in order; each step is
//! a module of its own, and [`tidy`] has one small file for each check.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a command for developers prints, starts cargo and reads the environment; it is not shipped"
)]

pub mod bench;
pub mod command;
pub mod conformance;
pub mod elsewhere;
pub mod generate;
pub mod invocation;
pub mod licences;
mod machine;
pub mod needs;
pub mod postgres;
pub mod report;
pub mod sweep;
pub mod test;
pub mod tidy;
pub mod workspace;
