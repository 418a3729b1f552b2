//! Servers that behave and servers that do not, as processes and over HTTP.

#![cfg(test)]

mod asking;
mod caching;
mod calling;
mod config;
mod everything;
mod life;
mod logging_in;
mod naming;
mod offering;
mod over_http;
mod rig;
