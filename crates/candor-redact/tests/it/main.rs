//! Behaviour of the redactor through its public face.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod examples;
mod kept;
mod keys;
mod known;
mod linear;
mod made;
mod properties;
mod rules;
mod stream;
