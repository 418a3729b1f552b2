//! The commands and what each of them takes.

use std::net::SocketAddr;
use std::path::PathBuf;

use candor_protocol::Level;
use clap::{Args, Subcommand, ValueEnum};

use super::{Card, Ctx, Harness, Hooks, Mcp, Notes, Sessions, Skills, Trust, Verify};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented configuration
    Init(Init),
    /// Look for problems, each with its fix
    Doctor(Doctor),
    /// Show, check and explain the configuration
    Config {
        #[command(subcommand)]
        command: Config,
    },
    /// Look whether what is in a folder works: build, tests, services, logs
    Verify(Verify),
    /// Run a command; when it fails, print its error card
    Card(Card),
    /// Run commands as a stranger would, and write down what came of each
    Harness(Harness),
    /// The catalogue of failures, and the recipes
    Errors {
        #[command(subcommand)]
        command: Errors,
    },
    /// Context packs: find and read sections of a folder's files
    Ctx {
        #[command(subcommand)]
        command: Ctx,
    },
    /// Serve clients on this machine: HTTP and WebSocket
    Serve(Serve),
    /// Earlier conversations
    Sessions {
        #[command(subcommand)]
        command: Sessions,
    },
    /// The tools that a model can call
    Tools {
        #[command(subcommand)]
        command: Tools,
    },
    /// Instructions that a model takes up when it needs them
    Skills {
        #[command(subcommand)]
        command: Skills,
    },
    /// Commands that are run when something happens
    Hooks {
        #[command(subcommand)]
        command: Hooks,
    },
    /// Servers of the Model Context Protocol
    Mcp {
        #[command(subcommand)]
        command: Mcp,
    },
    /// What the model has kept for later: Markdown in this folder and in the home
    Notes {
        #[command(subcommand)]
        command: Notes,
    },
    /// What this folder brings along, and whether you trust it
    Trust(Trust),
    /// Which models the provider has
    Models {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The system prompt, layer by layer
    Prompt {
        #[command(subcommand)]
        command: Prompt,
    },
    /// Tokens and cost
    Usage(Usage),
    /// Read the log
    Logs(Logs),
    /// Filter: standard input to standard output, secrets masked
    Redact(Redact),
    /// A model says done, and is not believed
    Demo(Demo),
    /// Print a completion script for your shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Leave the folder it worked in, and its session
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// toml or yaml
    #[arg(long, value_name = "FORMAT", default_value = "toml")]
    pub(crate) format: ConfigFormat,
    /// Replace a configuration that is there; the old one is kept beside it
    #[arg(long)]
    pub(crate) force: bool,
    /// Ask nothing, even on a terminal
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ConfigFormat {
    Toml,
    Yaml,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The address to listen on, such as 127.0.0.1:7777; port 0 is any free one
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.strip_prefix("localhost:").map_or(text.to_owned(), |port| format!("127.0.0.1:{port}"));
    text.parse().map_err(|_| "expected an address and a port, such as 127.0.0.1:7777".to_owned())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print every setting in force
    Show {
        /// Print where each came from
        #[arg(long)]
        origin: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Only keys that begin with this
        #[arg(value_name = "KEY")]
        prefix: Option<String>,
    },
    /// Look for mistakes
    Check {
        /// Go on looking, whenever a file changes
        #[arg(long)]
        watch: bool,
    },
    /// Print the JSON Schema, for your editor
    Schema,
    /// Print which files are read
    Path {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// Print them, and how strong the walls around them are
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print what one takes
    Show {
        /// Its name
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Errors {
    /// Print all codes, or those about something
    List {
        /// Only codes with all of these words in their code, class, title or program
        #[arg(value_name = "WORD")]
        words: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print one card
    Show {
        /// Its code
        code: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Look for mistakes in recipe files, and try their examples
    Check {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// How often each failure was met, and how often it was got past
    Stats {
        /// Only after this: 10m, 2h, 3d, 2025-02-11 or 2025-02-11T10:00:00Z
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Prompt {
    /// Print it as the next request would have it
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Usage {
    /// One line for each day, model or session
    #[arg(long, value_name = "WHAT", default_value = "day")]
    pub(crate) by: UsageBy,
    /// Only after this: 10m, 2h, 3d, 2025-02-11 or 2025-02-11T10:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UsageBy {
    Day,
    Model,
    Session,
}

#[derive(Debug, Args)]
pub(crate) struct Logs {
    /// Go on as lines are written
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Only this session: its id, enough of its beginning or end, or `last`
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only this event
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// Only this level and worse: error, warn, info or debug
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// Only after this: 10m, 2h, 3d, 2025-02-11 or 2025-02-11T10:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Print the lines as they are in the file
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Redact {
    /// List the rules instead
    #[arg(long)]
    pub(crate) rules: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// Which document
    pub(crate) document: Document,
    /// The folder for man pages
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// The folder with the rules, whose examples are not in the program
    #[arg(long, value_name = "DIR")]
    pub(crate) rules: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Document {
    ConfigSchema,
    ConfigDocs,
    ConfigExample,
    ErrorsDocs,
    RedactionDocs,
    Man,
}
