//! What can be wrong with a segment.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_protocol::{Code, Failure};

use crate::segment::{CTX, prime_name};

/// What can be wrong with a segment. `path` is the segment's folder.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// It cannot be a segment: missing, a file, the root of everything.
    #[error("{} cannot be a segment: {reason}", path.display())]
    InvalidPath { path: PathBuf, reason: String, remedy: Remedy },
    /// Nobody has created it.
    #[error("{} is not initialized", path.display())]
    NotInitialized { path: PathBuf },
    /// Its configuration is not one of ours.
    #[error("the configuration of {} cannot be used: {reason}", path.display())]
    ConfigInvalid { path: PathBuf, reason: String },
    /// Its reading list is gone.
    #[error("the prime file of {} is missing", path.display())]
    PrimeMissing { path: PathBuf, segment: String },
    /// Another process works on it.
    #[error("{} is in use", path.display())]
    Locked { path: PathBuf, limit: Duration, holder: String },
    /// It was never packed.
    #[error("{} has no context pack", path.display())]
    PackMissing { path: PathBuf },
    /// There is nothing to pack.
    #[error("{} has nothing to pack", path.display())]
    PackEmpty { path: PathBuf },
    /// Files have changed since.
    #[error("the context pack of {} is out of date: {reason}", path.display())]
    PackStale { path: PathBuf, reason: String },
    /// The pack or its index is not what was written.
    #[error("the context pack of {} is damaged: {reason}", path.display())]
    PackDamaged { path: PathBuf, reason: String },
    /// These chunks are not in the pack.
    #[error("{} has no chunk {}", path.display(), ids.join(", "))]
    UnknownIds { path: PathBuf, ids: Vec<String>, nearest: Vec<String>, query: String },
    /// A file cannot be read or written.
    #[error("cannot use {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The index cannot be used, nor made.
    #[error(transparent)]
    Index(#[from] candor_store::Error),
}

/// What helps with a path that cannot be a segment's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The folder is not there, and can be made.
    Make,
    /// Something stands where Candor keeps what belongs to a segment.
    MoveAway,
    /// It can never be one.
    NameAnother,
}

impl Error {
    /// The failure this is, for its card.
    pub fn failure(&self) -> Failure {
        let on = |code, path: &Path| Failure::new(code).with("path", path.display());
        match self {
            Self::InvalidPath { path, reason, remedy } => {
                let is = |wanted| if *remedy == wanted { path.display().to_string() } else { String::new() };
                on(Code::InvalidSegmentPath, path)
                    .with("reason", reason)
                    .with("missing", is(Remedy::Make))
                    .with("inside", is(Remedy::MoveAway))
            }
            Self::NotInitialized { path } => on(Code::SegmentNotInitialized, path),
            Self::ConfigInvalid { path, reason } => {
                on(Code::SegmentConfigInvalid, path).with("reason", reason)
            }
            Self::PrimeMissing { path, segment } => on(Code::PrimeFileNotFound, path)
                .with("segment", segment)
                .with("prime", path.join(CTX).join(prime_name(segment)).display()),
            Self::Locked { path, limit, holder } => on(Code::SegmentLocked, path)
                .with("limit", format!("{} s", limit.as_secs()))
                .with("holder", holder),
            Self::PackMissing { path } => on(Code::PackMissing, path),
            Self::PackEmpty { path } => on(Code::PackEmpty, path),
            Self::PackStale { path, reason } => on(Code::PackStale, path).with("reason", reason),
            Self::PackDamaged { path, reason } => on(Code::PackDamaged, path).with("reason", reason),
            Self::UnknownIds { path, ids, nearest, query } => {
                let nearest = if nearest.is_empty() { "none".to_owned() } else { nearest.join(", ") };
                on(Code::UnknownId, path)
                    .with("ids", ids.join(", "))
                    .with("nearest", nearest)
                    .with("query", query)
            }
            Self::Io { path, source } => Failure::file(path, source),
            Self::Index(error) => error.failure(),
        }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
