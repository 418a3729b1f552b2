//! The real binary, as a person or a script meets it.
#![cfg(test)]

mod asking;
mod bad_answers;
mod config;
mod disk_faults;
mod doctor;
mod documents;
mod durable;
mod ending;
mod init;
mod kill_sweep;
mod logs;
mod masking;
mod output;
mod power_loss;
mod providers;
mod quiet;
mod real_model;
mod redact;
mod retrying;
mod rig;
mod run_log;
mod run_loop;
mod sessions_and_usage;
mod start;
mod strace;
mod system_prompt;
mod tls;
mod usage;
mod vaulted;
mod walls;
