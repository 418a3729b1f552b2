//! What a reader of the catalogue, of a card and of its text can rely on.

mod catalogue;
mod commands;
mod document;
mod filling;
mod layout;
mod quoting;
mod samples;
mod shell;
