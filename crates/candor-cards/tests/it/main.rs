//! What a reader of the catalogue, of a card and of its text can rely on.
#![cfg(test)]

mod catalogue;
mod commands;
mod compiling;
mod document;
mod explaining;
mod filling;
mod keeping;
mod layout;
mod misleading;
mod quoting;
mod record;
mod rules;
mod samples;
mod shell;
mod structured;
