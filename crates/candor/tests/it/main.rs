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
mod retrying;
mod rig;
mod run_log;
mod run_loop;
mod start;
mod system_prompt;
mod usage;
mod walls;
