//! Runs one process under one policy with bounded output; the only spawner.
//!
//! A process gets an environment that names every variable, a process group of its own, nothing on its standard
//! input, a time limit, and readers that keep the head and the tail of what it says. When the call is over, however it
//! is over, nothing that it started is left: not its group, and not what left the group but still carries the call's
//! mark in its environment.
//!
//! Deliberately absent: walls. The level is [`Level::None`], a process may touch whatever its user may, and one that
//! clears its environment, leaves its group and gives up its parent is not found any more. The program is not made a
//! subreaper to find those: that would make it the parent of everybody's orphans, and to reap those would steal the
//! exit of children that other code waits for. Also absent: deciding what may run, and reading our own environment.
//!
//! Start reading at [`run()`], then `process.rs` for the end of a process and `strays.rs` for what it left behind.

mod capture;
pub mod env;
mod error;
mod level;
mod orphans;
mod output;
mod process;
mod pump;
mod run;
mod spec;
mod strays;

pub use error::Error;
pub use level::{Level, level};
pub use orphans::end_orphans;
pub use output::Output;
pub use run::{Ended, How, run};
pub use spec::Spec;
