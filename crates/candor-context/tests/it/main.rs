//! Context packs through the public face of the crate.

#![cfg(test)]

mod bounds;
mod creating;
mod errors;
mod getting;
mod hostile;
mod processes;
mod rig;
mod searching;
mod sectioning;
mod states;
mod syncing;
