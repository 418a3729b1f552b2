#![cfg(test)]
//! Behaviour, through the public surface.
