#![cfg(test)]
//! The server through its socket.
