//! The tests of candor-verify through its public surface.
#![cfg(test)]

mod bot;
mod classify;
mod declare;
mod declare_blocks;
mod detect;
mod detect_bounds;
mod detect_run;
mod detect_services;
mod diagnostics;
mod lack;
mod log_lines;
mod log_scanner;
mod log_watch;
mod merge;
mod nothing;
mod probes;
mod report;
mod report_plan;
mod rig;
mod running;
mod services;
mod tree;
mod verify_schema;
