//! The spelling of everything that crosses a wire or a disk.
#![cfg(test)]

mod cards;
mod codes;
mod events;
mod failures;
mod ids;
mod levels;
mod messages;
mod moments;
