//! Skills, hooks, notes, MCP servers, and what is trusted.

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

#[derive(Debug, Subcommand)]
pub(crate) enum Hooks {
    /// List the hooks that were found, and their state
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Look for mistakes: in all files, or in these
    Check {
        /// Files of hooks
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Notes {
    /// List the notes of this folder, and those that hold everywhere
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a note
    Show {
        /// Its name
        name: String,
        /// The one that holds everywhere
        #[arg(long)]
        home: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Find words in notes
    Search {
        /// The words
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
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

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// List the servers that are named, and their state
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Start servers, and say what they offer
    Probe {
        /// Only these
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Name a server in your own file
    Add(McpAdd),
    /// Take a server out of your own file
    Remove {
        /// Its name
        name: String,
    },
    /// Log in to a server
    Login {
        /// Its name
        name: String,
    },
    /// Forget the login for a server
    Logout {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct McpAdd {
    /// What to call it
    pub(crate) name: String,
    /// Its address, for one that is reached over HTTP
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "env"], required_unless_present = "command")]
    pub(crate) url: Option<String>,
    /// What every request carries: `Name: value`
    #[arg(long, value_name = "HEADER", requires = "url")]
    pub(crate) header: Vec<String>,
    /// What its environment has besides: `NAME=value`, or `NAME=${NAME}` to take it from yours
    #[arg(long, value_name = "VAR")]
    pub(crate) env: Vec<String>,
    /// Replace one of the same name
    #[arg(long)]
    pub(crate) force: bool,
    /// The program and its arguments, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
