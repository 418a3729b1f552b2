//! Reads files, environment and flags into one validated value.
//!
//! [`load()`] lays the layers over each other (built-in, home, workspace, environment, flags), reads every key into its
//! type, and reports all problems at once, each with its place and what would be right. Every key is declared once, in
//! `settings`; the JSON Schema, the reference page and the example are printed from that declaration.
//!
//! This crate is the only reader of the environment. It deliberately does not start processes (a secret that a command
//! gives is fetched by the binary), does not print, and keeps no global: a configuration is a value that is passed on.
//!
//! Start reading at `load.rs` for the way of a value, and at `settings/mod.rs` for what there is to set.

#[macro_use]
mod section;

mod check;
mod decode;
mod describe;
mod env;
mod error;
mod example;
mod expand;
mod file;
mod home;
mod load;
mod merge;
mod nearest;
mod node;
mod place;
pub mod presets;
mod problem;
mod reference;
mod schema;
mod secret;
mod setting;
pub mod settings;
mod show;
mod spellings;
mod toml_source;
mod types;
mod units;
mod watch;
mod workspace;
mod yaml_source;

pub use env::Env;
pub use error::Error;
pub use example::{Chosen, Format, example};
pub use home::Home;
pub use load::{Flag, Loaded, Request, load, owner_secrets};
pub use nearest::nearest;
pub use place::{Origin, Place};
pub use problem::{Problem, Warning, WarningKind};
pub use reference::reference;
pub use schema::schema;
pub use secret::{Resolved, Secret, SecretSource};
pub use settings::Config;
pub use show::Shown;
pub use types::{Amount, Bytes, HomePath, Megabytes, Millis, Seconds, UserPath, Whole};
pub use units::duration;
pub use watch::{Reload, Watch};
