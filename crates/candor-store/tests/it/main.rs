//! What the store promises, tried through its public face.

#![cfg(test)]

mod appending;
mod cards;
mod damage;
mod finding;
mod opening;
mod processes;
mod reading;
mod rig;
mod sessions;
mod usage;
