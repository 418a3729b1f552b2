//! Why there is no configuration.

use std::io;
use std::path::PathBuf;

use candor_protocol::{Code, Failure};

use crate::place::Origin;
use crate::problem::{Problem, Warning};

/// What went wrong while loading.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// Neither `$CANDOR_HOME` nor `$HOME` says where the home is.
    #[error("no home directory is known")]
    NoHome,
    /// The home cannot be made or written.
    #[error("the home {} cannot be used", path.display())]
    Home { path: PathBuf, source: io::Error },
    /// Both a TOML and a YAML file are there.
    #[error("both {} and {} exist", first.display(), second.display())]
    BothFormats { first: PathBuf, second: PathBuf },
    /// A file named by `--config` whose ending says nothing.
    #[error("the format of {} is not known", path.display())]
    FormatUnknown { path: PathBuf },
    /// A file named by `--config` that is not there.
    #[error("there is no config file {}", path.display())]
    NotFound { path: PathBuf },
    /// A file that cannot be opened or read.
    #[error("the config file {} cannot be read", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// A directory, socket or device where a file is expected.
    #[error("{} is {kind}, not a file", path.display())]
    NotAFile { path: PathBuf, kind: &'static str },
    /// A file that is not text.
    #[error("{} is not UTF-8 text", path.display())]
    NotUtf8 { path: PathBuf, line: usize, column: usize },
    /// A file too large to be a configuration.
    #[error("{} is too large", path.display())]
    TooLarge { path: PathBuf, size_bytes: u64, limit_bytes: u64 },
    /// YAML that nests too deep or unfolds to too much.
    #[error("{} is too complex", path.display())]
    TooComplex { path: PathBuf, limit: String },
    /// A file that does not follow its format.
    #[error("{} is not well-formed", .0.place.source.origin)]
    Syntax(Box<Problem>),
    /// Values that cannot be used; all of them, and what else should be known.
    #[error("the configuration has {}", counted(problems.len(), "problem"))]
    Invalid { problems: Vec<Problem>, warnings: Vec<Warning> },
    /// The directory of a file cannot be watched.
    #[error("{} cannot be watched", path.display())]
    Watch { path: PathBuf, reason: String },
    /// A variable that should hold a secret is not set.
    #[error("the secret {key} is missing")]
    SecretMissing { key: String, variable: String },
    /// A file that should hold a secret cannot be read.
    #[error("the file of the secret {key} cannot be read")]
    SecretFile { key: String, path: PathBuf, source: io::Error },
}

impl Error {
    /// The failure, for the catalogue.
    pub fn failure(&self) -> Failure {
        match self {
            Self::NoHome => Failure::new(Code::HomeNotFound),
            Self::Home { path, source } => on(Code::HomeNotWritable, path).with("reason", source),
            Self::BothFormats { first, second } => Failure::new(Code::ConfigBothFormats)
                .with("first", first.display())
                .with("second", second.display()),
            Self::FormatUnknown { path } => on(Code::ConfigFormatUnknown, path),
            Self::NotFound { path } => on(Code::ConfigNotFound, path),
            Self::Unreadable { path, source } => on(Code::ConfigUnreadable, path).with("reason", source),
            Self::NotAFile { path, kind } => on(Code::ConfigNotAFile, path).with("kind", kind),
            Self::NotUtf8 { path, line, column } => {
                on(Code::ConfigNotUtf8, path).with("line", line).with("column", column)
            }
            Self::TooLarge { path, size_bytes, limit_bytes } => on(Code::ConfigTooLarge, path)
                .with("size", format!("{size_bytes} bytes"))
                .with("limit", format!("{limit_bytes} bytes")),
            Self::TooComplex { path, limit } => on(Code::ConfigTooComplex, path).with("limit", limit),
            Self::Syntax(problem) => Failure::new(Code::ConfigSyntax)
                .with("path", &problem.place.source.origin)
                .with("line", problem.place.line)
                .with("column", problem.place.column)
                .with("problem", problem),
            Self::Invalid { problems, warnings } => invalid(problems, warnings),
            Self::Watch { path, reason } => on(Code::ConfigWatchFailed, path).with("reason", reason),
            Self::SecretMissing { key, variable } => {
                Failure::new(Code::SecretMissing).with("key", key).with("variable", variable)
            }
            Self::SecretFile { key, path, source } => {
                on(Code::SecretFileUnreadable, path).with("key", key).with("reason", source)
            }
        }
    }
}

fn on(code: Code, path: &std::path::Path) -> Failure {
    Failure::new(code).with("path", path.display())
}

/// `1 problem`, `2 problems`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn invalid(problems: &[Problem], warnings: &[Warning]) -> Failure {
    if let [Problem { place, message, .. }] = problems
        && let Origin::Flag(flag) = &place.source.origin
    {
        return Failure::new(Code::UsageInvalidValue)
            .with("argument", flag)
            .with("value", &place.source.text)
            .with("detail", message)
            .with("help", "candor --help");
    }
    let mut sources: Vec<String> =
        problems.iter().map(|problem| problem.place.source.origin.to_string()).collect();
    sources.dedup();
    let warnings = warnings.iter().map(|warning| format!("Not as bad, but worth a look: {warning}"));
    let text: Vec<String> = problems.iter().map(ToString::to_string).chain(warnings).collect();
    Failure::new(Code::ConfigInvalid)
        .with("path", sources.join(", "))
        .with("count", problems.len())
        .with("problems", text.join("\n\n"))
}
