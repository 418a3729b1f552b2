//! What the sandbox promises, tried with real processes.

#![cfg(test)]

mod ending;
mod errors;
mod escapes;
mod hardening;
mod inside;
mod leftovers;
mod network;
mod output;
mod rig;
mod running;
mod session;
mod starting;
mod zoo;
