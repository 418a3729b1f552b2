//! Probes against real servers, processes and files.

mod arbitrary;
mod connections;
mod derived;
mod ending;
mod files;
mod grpc;
mod http;
mod rig;
mod said;
mod tls;
mod websocket;

pub(crate) use rig::{Rig, probe, walled};
