//! Behaviour of the gate through its public face.

#![cfg(test)]

mod bounds;
mod cases;
mod environment;
mod given;
mod interactive;
mod lists;
mod places;
mod properties;
mod reasons;
mod scene;
mod tables;
