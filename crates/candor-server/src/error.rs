//! What can stop the server.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use candor_protocol::{Code, Failure};
use thiserror::Error;

/// Why the server cannot serve, or no longer.
#[derive(Debug, Error)]
pub enum Error {
    /// The token cannot be read or made: the file has to be put right.
    #[error("the token in {}", path.display())]
    Token {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The address can be reached from other machines: another one has to be chosen.
    #[error("the address {0}, which other machines can reach")]
    NotLoopback(SocketAddr),
    /// The listener is of no use.
    #[error("the listener")]
    Listener(#[source] io::Error),
}

impl Error {
    /// The failure, for its card.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Token { path, source } => Failure::file(path, source),
            Self::NotLoopback(address) => Failure::new(Code::ServeNotLoopback).with("address", address),
            Self::Listener(source) => {
                Failure::new(Code::ServeAddress).with("address", "of the listener").with("reason", source)
            }
        }
    }
}
