//! What the sandbox promises, tried with real processes.

#![cfg(test)]

mod ending;
mod environment;
mod errors;
mod leftovers;
mod output;
mod rig;
mod starting;
