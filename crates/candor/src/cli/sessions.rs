//! `candor sessions …`: what each of its commands takes.

use std::path::PathBuf;

use candor_protocol::RunId;
use clap::Subcommand;
use clap::builder::RangedU64ValueParser;

/// None at all would look as if there were none.
fn at_least_one() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(1..)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List them, the latest first
    List {
        /// Also those of other folders
        #[arg(long, short)]
        all: bool,
        /// Only those that came from here: cli, repl, http, websocket, telegram, cron, workflow, acp, subagent
        #[arg(long, value_name = "SOURCE")]
        source: Option<String>,
        /// Also those that work for another one, each below it
        #[arg(long)]
        tree: bool,
        /// At most this many
        #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = at_least_one())]
        limit: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print what was said and done in one
    Show {
        /// Its id, enough of its beginning or end, or `last`
        #[arg(value_name = "ID")]
        session: String,
        /// Print its events as lines of JSON
        #[arg(long)]
        json: bool,
    },
    /// Give one another name
    Rename {
        /// Its id, enough of its beginning or end, or `last`
        #[arg(value_name = "ID")]
        session: String,
        /// The name; it stays, whatever is said later
        #[arg(required = true, value_name = "NAME")]
        name: Vec<String>,
    },
    /// Remove some for good
    Delete {
        /// Their ids, enough of the beginning or end of each, or `last`
        #[arg(required = true, value_name = "ID")]
        sessions: Vec<String>,
        /// Do not ask
        #[arg(long, short = 'y')]
        yes: bool,
    },
    /// Begin a session with what another one holds, and print its id
    Fork {
        /// Its id, enough of its beginning or end, or `last`
        #[arg(value_name = "ID")]
        session: String,
        /// Only up to this event; `candor sessions show --json` has the numbers
        #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(u64).range(1..))]
        at: Option<u64>,
    },
    /// Print what tools changed in files, as a diff
    Diff {
        /// Its id, enough of its beginning or end, or `last`
        #[arg(value_name = "ID")]
        session: String,
        /// Only what this run changed
        #[arg(long, value_name = "RUN")]
        run: Option<RunId>,
    },
    /// Take back what tools changed in files; what cannot be is named
    Undo {
        /// Its id, enough of its beginning or end, or `last`
        #[arg(value_name = "ID")]
        session: String,
        /// Only what this run changed
        #[arg(long, value_name = "RUN")]
        run: Option<RunId>,
        /// Also files that somebody else has changed since
        #[arg(long)]
        force: bool,
    },
    /// Find what was said
    Search {
        /// Words that are all there
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        /// Also in sessions of other folders
        #[arg(long, short)]
        all: bool,
        /// At most this many places
        #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = at_least_one())]
        limit: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write one as lines of JSON, to be imported elsewhere
    Export {
        /// Its id, enough of its beginning or end, or `last`
        #[arg(value_name = "ID")]
        session: String,
        /// Write it here instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Replace a file that is there
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// Take in an exported one, and print its id
    Import {
        /// The file, or - for standard input
        file: PathBuf,
        /// Give it an id of its own
        #[arg(long)]
        as_new: bool,
    },
}
