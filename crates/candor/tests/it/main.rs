//! The real binary, as a person or a script meets it.
#![cfg(test)]

mod config;
mod doctor;
mod documents;
mod init;
mod logs;
mod masking;
mod output;
mod redact;
mod rig;
mod start;
mod usage;
mod walls;
