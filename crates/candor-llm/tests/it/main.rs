//! Behaviour of the providers, through the public surface.

#![cfg(test)]

mod asking;
mod bad_input;
mod cards;
mod endings;
mod faults;
mod listing;
mod prices;
mod refusals;
mod retrying;
mod scripted;
mod server;
mod silence;
