//! Behaviour, through the public surface: a real store, real tools, and a model that says what a test tells it to say.

#![cfg(test)]

mod asking;
mod commits;
mod events;
mod queueing;
mod rig;
mod secrets;
mod sessions;
mod steering;
mod stopping;
mod subscribing;
mod trouble;
