//! Reading a log back, for people.
//!
//! A log that was torn by a crash, filled with zeros by a file system or edited by hand is still read: what cannot be
//! understood is skipped and counted, and never an error. Start at [`entries()`] to read what is there, and at
//! [`Follower`] to read what is still to come.

mod entries;
mod entry;
mod follow;
mod intake;
mod moment;
mod render;

use std::io;
use std::path::{Path, PathBuf};

use candor_protocol::Level;
use jiff::Timestamp;

use crate::Error;
use crate::archive::{Archive, Archives};

pub use entries::{Entries, entries};
pub use entry::Entry;
pub use follow::{Follower, Position};
pub use intake::Skipped;
pub use moment::parse_moment;
pub use render::{Colour, render};

/// Which entries are wanted. The default wants all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Only of the session whose id begins with this.
    pub session: Option<String>,
    /// Only events of this name.
    pub event: Option<String>,
    /// Only this level and what is more severe.
    pub level: Option<Level>,
    /// Only from this moment on.
    pub since: Option<Timestamp>,
    /// Only before this moment.
    pub until: Option<Timestamp>,
}

impl Query {
    /// Whether an entry is wanted.
    pub fn matches(&self, entry: &Entry) -> bool {
        self.level.is_none_or(|level| entry.level <= level)
            && self.event.as_ref().is_none_or(|event| entry.event == *event)
            && self.since.is_none_or(|since| entry.ts >= since)
            && self.until.is_none_or(|until| entry.ts < until)
            && self
                .session
                .as_ref()
                .is_none_or(|session| entry.session().is_some_and(|id| id.starts_with(session.as_str())))
    }
}

/// Every file of a log: the archives from the oldest to the newest, then the live file if it is there.
pub fn files(log: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files: Vec<_> = list(log)?.into_iter().map(|archive| archive.path).collect();
    if log.exists() {
        files.push(log.to_owned());
    }
    if files.is_empty() { Err(Error::NotFound { path: log.to_owned() }) } else { Ok(files) }
}

/// The archives of a log. A directory that is not there has none.
fn list(log: &Path) -> Result<Vec<Archive>, Error> {
    let Some(archives) = Archives::of(log) else { return Err(Error::NotFound { path: log.to_owned() }) };
    match archives.list() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(Error::Read { path: archives.directory().to_owned(), source }),
        Ok(archives) => Ok(archives),
    }
}
