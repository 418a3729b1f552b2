//! What the sandbox promises, tried with real processes.

#![cfg(test)]

mod ending;
mod errors;
#[cfg(not(elsewhere))]
mod escapes;
#[cfg(not(elsewhere))]
mod hardening;
mod inside;
mod leftovers;
#[cfg(not(elsewhere))]
mod network;
mod output;
#[cfg(elsewhere)]
mod refusing;
mod rig;
mod running;
#[cfg(not(elsewhere))]
mod session;
mod starting;
#[cfg(not(elsewhere))]
mod zoo;
