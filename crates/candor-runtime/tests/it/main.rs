//! Behaviour, through the public surface: a real store, real tools, and a model that says what a test tells it to say.

#![cfg(test)]

mod approving;
mod asking;
mod commits;
mod copies;
mod events;
mod long;
mod names;
mod queueing;
mod recovery;
mod rig;
mod secrets;
mod sessions;
mod sharing;
mod steering;
mod stopping;
mod story;
mod subscribing;
mod tools;
mod trouble;
