//! Speaks to servers of the Model Context Protocol and offers their tools as ours.
//!
//! [`read`] takes `mcpServers` as other clients write it. [`Servers`] holds what was read: what each server offers is known
//! from a file, so that nobody is started to find out, and a server is started when one of its tools is called, once for
//! everybody who waits. One that dies is started again, later each time, and left alone after the fifth time.
//!
//! What comes from a server is not trusted: its tools can do anything whatever they say of themselves, its schemas are
//! looked at before a model sees them, its words are marked for the model, cut to the room that there is, and never repeated
//! in an approval.
//!
//! Deliberately absent: deciding which servers may run (whoever reads a file says which entries are trusted), and spawning:
//! processes are started by `candor-sandbox`. The library that speaks the protocol, `rmcp`, is seen by nobody else.
//!
//! Start reading at [`Servers`], then `server.rs` for the life of one of them, `connection.rs` for what it is asked, and
//! `starting.rs` for how a conversation begins.

mod cache;
mod config;
mod connection;
mod error;
mod expand;
mod field;
mod file;
mod form;
mod http;
mod known;
mod lines;
mod names;
mod oauth;
mod offer;
mod people;
mod posting;
mod resources;
mod result;
mod schema;
mod server;
mod servers;
mod standing;
mod starting;
mod stdio;
mod tool;

pub use cache::LastFailure;
pub use config::{Client, Entry, Reach, Read, Rights, read, read_brought};
pub use error::{Challenge, Error};
pub use offer::{LeftOut, Offer, OfferedPrompt, OfferedTool, PromptArgument};
pub use servers::{Options, ServerProcess, ServerPrompt, Servers, Status};
pub use standing::Standing;
