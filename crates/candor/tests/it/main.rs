//! The real binary, as a person or a script meets it.
#![cfg(test)]

mod asking;
mod bad_answers;
mod config;
mod doctor;
mod documents;
mod ending;
mod init;
mod logs;
mod masking;
mod output;
mod providers;
mod quiet;
mod redact;
mod retrying;
mod rig;
mod run_log;
mod run_loop;
mod sessions_and_usage;
mod start;
mod system_prompt;
mod tls;
mod usage;
mod vaulted;
mod walls;
