//! Behaviour of the agent's pure parts; whole runs are tested through the binary.

#![cfg(test)]

mod compaction;
mod conversation;
mod prompt;
mod system_message;
