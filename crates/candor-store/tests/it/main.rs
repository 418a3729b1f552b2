//! What the store promises, tried through its public face.

#![cfg(test)]

mod appending;
mod cards;
mod clocks;
mod contexts;
mod damage;
mod deleting;
mod failures;
mod files;
mod finding;
mod foreign;
mod groups;
mod leases;
mod opening;
mod passages;
mod postgres_commit;
mod postgres_server;
mod processes;
mod reading;
mod rig;
mod searching;
mod sessions;
mod staging;
mod upgrading;
mod usage;
