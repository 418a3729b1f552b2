//! Behaviour of the redactor through its public face.

#![cfg(test)]

mod examples;
mod kept;
mod keys;
mod known;
mod linear;
mod live;
mod made;
mod properties;
mod rules;
mod stream;
mod sweeps;
