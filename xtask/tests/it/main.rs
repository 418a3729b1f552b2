//! Each check of the repository is shown failing here, on small made-up trees; the real tree is the test command's.
#![cfg(test)]

mod bench;
mod command;
mod conformance;
mod crate_docs;
mod files;
mod floors;
mod forbidden;
mod invocation;
mod licences;
mod manifests;
mod names;
mod needs;
mod postgres;
mod report;
mod sizes;
mod structure;
mod sweep;
mod workspace;
mod world;
