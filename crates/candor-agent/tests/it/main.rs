//! Behaviour of the agent: its pure parts, and the runs that shorten a conversation. Whole runs are tested through the
//! binary.

#![cfg(test)]

mod compaction;
mod conversation;
mod folding;
mod overflow;
mod pictures;
mod prompt;
mod rig;
mod sending;
mod splitting;
mod summaries;
mod system_message;
mod talk;
mod titles;
