//! Skills, and what is trusted.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Skills {
    /// List the skills that were found, and their state
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the instructions of a skill
    Show {
        /// Its name
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Look for mistakes: in all skills, or in these folders
    Check {
        /// Folders with a SKILL.md
        #[arg(value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// Trust all of it without being asked
    #[arg(long, short = 'y', conflicts_with = "remove")]
    pub(crate) yes: bool,
    /// Trust nothing of it any more
    #[arg(long)]
    pub(crate) remove: bool,
    /// Print JSON, and change nothing
    #[arg(long, conflicts_with_all = ["yes", "remove"])]
    pub(crate) json: bool,
}
