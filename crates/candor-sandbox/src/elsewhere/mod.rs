//! Systems whose kernel has no walls that we know how to put up.
//!
//! [`Sandbox::open`](crate::Sandbox::open) refuses there, and only what needs no walls runs. A process has a session and a group
//! of its own, and all of that group is ended with it. What cannot be done without more of the kernel: a process that leaves the
//! group is not found again, and when we are killed ourselves, what runs goes on.
//!
//! All of it runs on Linux, too, where `build.rs` is asked for it; that is how it is tested.

mod listening;
pub(crate) mod orphans;
pub(crate) mod process;
pub(crate) mod sandbox;
pub(crate) mod strays;

use crate::Policy;

/// Gives back memory that only starting needed. Here the kernel does that when somebody else needs it.
pub fn forget_startup() {}

/// Removes what stands in for missing paths behind walls: there is nothing.
pub fn remove_left_over(_: &Policy) {}
