//! What is still to come in a log.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::entries::{CHUNK_BYTES, open_regular, read_retrying};
use super::intake::Intake;
use super::{Entry, Query, Skipped, list};
use crate::Error;
use crate::archive::FileId;

/// One poll reads no more than this, so that following a large log from its start does not hold all of it at once.
const POLL_BYTES_MAX: usize = 4 << 20;

/// Where following begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// With the oldest archive.
    Start,
    /// With what is written from now on.
    End,
}

/// Reads a log as it grows, over rotation, truncation, deletion and creation of the file.
///
/// It never waits. The caller polls, and waits as it likes when a poll brings nothing.
pub struct Follower {
    log: PathBuf,
    intake: Intake,
    current: Option<Current>,
    chunk: Vec<u8>,
}

struct Current {
    file: File,
    id: FileId,
    offset: u64,
    /// The log has moved on to another file, and this one only has to be read to its end.
    last_look: bool,
}

impl Follower {
    /// Begins to follow. The log need not be there yet.
    pub fn new(log: &Path, query: Query, position: Position) -> Result<Self, Error> {
        let mut follower = Self {
            log: log.to_owned(),
            intake: Intake::new(query),
            current: None,
            chunk: vec![0; CHUNK_BYTES],
        };
        let first = match position {
            Position::Start => list(log)?.into_iter().next().map(|archive| archive.path),
            Position::End => None,
        };
        follower.open(&first.unwrap_or_else(|| log.to_owned()), position)?;
        Ok(follower)
    }

    /// The wanted entries that have come since the last poll. When there are any, there may be more at once.
    pub fn poll(&mut self) -> Result<Vec<Entry>, Error> {
        let mut budget = POLL_BYTES_MAX;
        while budget > 0 {
            if self.current.is_none() {
                self.open(&self.log.clone(), Position::Start)?;
            }
            match self.read_some()? {
                Some(0) => {
                    if !self.advance()? {
                        break;
                    }
                }
                Some(bytes) => budget = budget.saturating_sub(bytes),
                None => break,
            }
        }
        Ok(self.intake.take_all())
    }

    /// What was skipped so far, as one warning for the reader.
    pub fn damage(&self) -> Option<Error> {
        self.skipped().damage(&self.log)
    }

    /// What was skipped so far.
    pub const fn skipped(&self) -> Skipped {
        self.intake.skipped()
    }

    /// Reads a piece of the current file. Nothing if there is no file.
    fn read_some(&mut self) -> Result<Option<usize>, Error> {
        let Some(current) = &mut self.current else { return Ok(None) };
        let bytes = read_retrying(&mut current.file, &mut self.chunk)
            .map_err(|source| Error::Read { path: self.log.clone(), source })?;
        current.offset += bytes as u64;
        self.intake.feed(self.chunk.get(..bytes).unwrap_or_default());
        Ok(Some(bytes))
    }

    /// At the end of the current file: finds out whether there is anything to read elsewhere.
    fn advance(&mut self) -> Result<bool, Error> {
        let Some(current) = &mut self.current else { return Ok(false) };
        if current.last_look {
            let id = current.id;
            self.intake.finish();
            self.current = None;
            self.open(&self.successor(id)?, Position::Start)?;
            return Ok(self.current.is_some());
        }
        if current.file.metadata().is_ok_and(|metadata| metadata.len() < current.offset) {
            self.intake.finish();
            current.offset = 0;
            current
                .file
                .seek(SeekFrom::Start(0))
                .map_err(|source| Error::Read { path: self.log.clone(), source })?;
            return Ok(true);
        }
        // Lines may have come between the end that was just read and the change of files, so it is read once more.
        let id = current.id;
        let moved_on = match fs::metadata(&self.log) {
            Ok(metadata) => FileId::of(&metadata) != id,
            Err(_) => self.successor(id)? != self.log,
        };
        if let Some(current) = &mut self.current {
            current.last_look = moved_on;
        }
        Ok(moved_on)
    }

    /// The file that follows another: the next archive, or the live file.
    fn successor(&self, id: FileId) -> Result<PathBuf, Error> {
        let archives = list(&self.log)?;
        let mut later = archives.into_iter().skip_while(|archive| archive.id != id).skip(1);
        Ok(later.next().map_or_else(|| self.log.clone(), |archive| archive.path))
    }

    /// Opens a file to read on from. One that is not there (yet) leaves nothing open.
    fn open(&mut self, path: &Path, position: Position) -> Result<(), Error> {
        match Current::open(path, position) {
            Ok(current) => self.current = Some(current),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.current = None,
            Err(source) => return Err(Error::Read { path: path.to_owned(), source }),
        }
        Ok(())
    }
}

impl Current {
    fn open(path: &Path, position: Position) -> io::Result<Self> {
        let mut file = open_regular(path)?;
        let id = FileId::of(&file.metadata()?);
        let offset = match position {
            Position::Start => 0,
            Position::End => file.seek(SeekFrom::End(0))?,
        };
        Ok(Self { file, id, offset, last_look: false })
    }
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follower").field("log", &self.log).finish_non_exhaustive()
    }
}
