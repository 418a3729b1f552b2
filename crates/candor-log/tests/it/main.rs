//! What the log promises, tried through its public face.

#![cfg(test)]

mod append;
mod cards;
mod ending;
mod events;
mod following;
mod levels;
mod lines;
mod masking;
mod overload;
mod processes;
mod reading;
mod relaying;
mod rendering;
mod rig;
mod rotation;
mod sweeps;
mod trouble;
