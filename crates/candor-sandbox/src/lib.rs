//! Runs one process under one policy with bounded output; the only spawner.
//!
//! A process gets an environment that names every variable, a process group of its own, a time limit, and readers that
//! keep the head and the tail of what it says. When the call is over, however it is over, nothing that it started is
//! left. [`Sandbox::open`] puts walls around the processes of a session: namespaces and mounts, Landlock, a filter on
//! system calls, limits. Which of them this machine can do is its [`Level`]; a wall that cannot be put up is an error,
//! and the process does not run.
//!
//! [`Sandbox::bare`] has no walls. There, and behind Landlock alone, each command has a keeper between it and us, who gets
//! every process of the call that loses its parent, and kills what is left when the command has ended or we have. Behind
//! namespaces the kernel does that. Only somebody who kills the keeper first can leave something; what carries the call's mark in
//! its environment is found even then.
//!
//! Deliberately absent: deciding what may run and which variables it sees, and reading our own environment. What the walls do not stop: reading
//! whatever the policy leaves readable, Unix sockets outside `/run` and `/tmp` that a service opens after the walls were (hide their
//! directories), exhausting processor time, and a hole in the kernel.
//!
//! On other systems than Linux there are no walls: [`Sandbox::open`] refuses, and what runs bare has a group in place of a keeper
//! (`elsewhere/`).
//!
//! Start reading at [`run()`], then `process.rs` for the end of a process and `strays.rs` for what it left behind; for
//! the walls, `walls/child.rs` and then `walls/plan.rs`.

mod capture;
#[cfg(elsewhere)]
mod elsewhere;
mod error;
mod harden;
#[cfg(not(elsewhere))]
mod inside;
mod level;
#[cfg(not(elsewhere))]
mod listening;
#[cfg(not(elsewhere))]
mod net;
#[cfg(not(elsewhere))]
mod orphans;
mod output;
mod paths;
mod policy;
#[cfg(not(elsewhere))]
mod process;
mod pump;
#[cfg(not(elsewhere))]
mod resolved;
mod run;
mod running;
mod said;
#[cfg(not(elsewhere))]
mod sandbox;
#[cfg(not(elsewhere))]
mod services;
mod spec;
#[cfg(not(elsewhere))]
mod startup;
#[cfg(not(elsewhere))]
mod strays;
mod streams;
mod through;
#[cfg(not(elsewhere))]
mod walls;

// The same names for the same things, whichever of the two there is.
#[cfg(elsewhere)]
use elsewhere::{orphans, process, sandbox, strays};

#[cfg(elsewhere)]
pub use elsewhere::{forget_startup, remove_left_over};
pub use error::Error;
pub use harden::{hangup_is_ignored, harden};
pub use level::{Level, Walls};
pub use orphans::end_orphans;
pub use output::Output;
pub use paths::without_dots;
pub use policy::{Limits, Network, Policy};
pub use run::{Ended, How, run, run_after, run_told};
pub use running::{Listening, Running, State, Stream, Tap, start, start_talking, start_tapped};
pub use said::{Said, Since};
pub use sandbox::{Sandbox, best_level};
pub use spec::{Spec, Stdin};
#[cfg(not(elsewhere))]
pub use startup::forget_startup;
pub use through::{Through, pass_through};
#[cfg(not(elsewhere))]
pub use walls::placeholder::remove_left_over;
