//! HTTP and WebSocket for clients on the same machine: `/healthz` for everyone, `/ws` for whoever has the token.
//!
//! It deliberately does not decide anything about sessions: a frame becomes a submission, an event becomes a frame, and
//! a run neither knows nor cares that a socket is watching. It does not bind the address (the listener arrives), does
//! not read the configuration, does not print, and serves no other machine: there is no TLS, and no CORS header is ever
//! sent.
//!
//! A client says who it is with `Authorization: Bearer TOKEN`. A browser cannot set that header on a WebSocket, so it
//! offers the subprotocols `candor` and `candor.token.TOKEN` instead. Browsers insist that one of those they offered is
//! chosen: `candor` is, where it was offered, and otherwise the one with the token, which then goes back to the client
//! that sent it and to nobody else. A token in the address is not looked at.
//!
//! Start reading at `server.rs` for the life of a connection, then `guard.rs` and `access.rs` for who gets in,
//! `socket.rs` for the life of a socket, and `client.rs` for what its frames do.

mod access;
mod client;
mod error;
mod frame;
mod guard;
mod lockout;
mod ongoing;
mod outbox;
mod routes;
mod server;
mod socket;

pub use access::{Access, Made};
pub use error::Error;
pub use server::{Offer, Options, serve};
