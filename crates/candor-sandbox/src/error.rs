//! Why a process did not start.

use std::io;
use std::path::{Path, PathBuf};

use candor_protocol::{Code, Failure};

use crate::Level;

/// Why a process did not start. Whatever happens after that is an [`Ended`](crate::Ended).
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// There is no such program.
    #[error("there is no program {}", program.display())]
    NotFound { program: PathBuf },
    /// The program is there and cannot be started.
    #[error("{} cannot be started", program.display())]
    NotStarted { program: PathBuf, source: io::Error },
    /// The directory to start in cannot be used.
    #[error("{} is no directory to start in", path.display())]
    Cwd { path: PathBuf, source: io::Error },
    /// A wall cannot be put up, so the process was not run.
    #[error("the sandbox cannot be put up: {stage}")]
    Wall { stage: &'static str, source: io::Error },
    /// This machine cannot do what is demanded.
    #[error("the strongest sandbox here is {reached}, and {minimum} is demanded: {why}")]
    TooWeak { reached: Level, minimum: Level, why: String },
}

impl Error {
    /// The failure, for the catalogue.
    pub fn failure(&self) -> Failure {
        match self {
            Self::NotFound { program } => Failure::new(Code::FileNotFound)
                .with("path", program.display())
                .with("reason", "no such program"),
            Self::NotStarted { program: path, source } | Self::Cwd { path, source } => {
                Failure::file(path, source)
            }
            Self::Wall { stage, source } => {
                Failure::new(Code::SandboxFailed).with("stage", *stage).with("reason", source)
            }
            Self::TooWeak { reached, minimum, why } => Failure::new(Code::SandboxTooWeak)
                .with("reached", reached)
                .with("minimum", minimum)
                .with("reason", why),
        }
    }

    pub(crate) fn from_start(program: &Path, source: io::Error) -> Self {
        let program = program.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { program },
            _ => Self::NotStarted { program, source },
        }
    }

    pub(crate) fn wall(stage: &'static str, source: impl Into<io::Error>) -> Self {
        Self::Wall { stage, source: source.into() }
    }
}
