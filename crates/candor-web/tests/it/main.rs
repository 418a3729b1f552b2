//! The tests of this crate, one binary: modules by behaviour, through the tools as a model calls them.

#![cfg(test)]

mod approving;
mod converting;
mod errors;
mod fetching;
mod guarding;
mod limits;
mod properties;
mod rig;
mod robots;
mod searching;
mod secrets;
mod spellings;
mod trapped;
