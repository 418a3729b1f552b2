//! What is in a log now.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use jiff::tz::Offset;

use super::intake::Intake;
use super::{Entry, Query, Skipped, list};
use crate::Error;
use crate::archive::FileId;

/// A file is read in pieces of this size.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

/// The wanted entries of a log, oldest first. Archives that are too old for the query are not opened.
///
/// The live file is opened before the archives are listed, so that a rotation in between hides nothing.
pub fn entries(log: &Path, query: Query) -> Result<Entries, Error> {
    let live = match open_regular(log) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(Error::Read { path: log.to_owned(), source }),
    };
    let live_id = live.as_ref().and_then(|file| file.metadata().ok()).map(|metadata| FileId::of(&metadata));
    let archives = list(log)?;
    if live.is_none() && archives.is_empty() {
        return Err(Error::NotFound { path: log.to_owned() });
    }
    let first_day = query.since.map(|since| Offset::UTC.to_datetime(since).date());
    let mut sources: VecDeque<_> = archives
        .into_iter()
        .filter(|archive| Some(archive.id) != live_id)
        // A line may have come late over midnight, so the archive of the day before is looked at as well.
        .filter(|archive| {
            first_day.is_none_or(|first| archive.day.tomorrow().map_or(true, |next| next >= first))
        })
        .map(|archive| Source { path: archive.path, file: None })
        .collect();
    sources.extend(live.map(|file| Source { path: log.to_owned(), file: Some(file) }));
    Ok(Entries { log: log.to_owned(), sources, intake: Intake::new(query), chunk: vec![0; CHUNK_BYTES] })
}

struct Source {
    path: PathBuf,
    file: Option<File>,
}

/// Streams entries from one file after the other, never holding more than a piece of one.
pub struct Entries {
    log: PathBuf,
    sources: VecDeque<Source>,
    intake: Intake,
    chunk: Vec<u8>,
}

impl Entries {
    /// What was skipped so far.
    pub const fn skipped(&self) -> Skipped {
        self.intake.skipped()
    }

    /// The same as an error, for a card, if anything was skipped so far.
    pub fn damage(&self) -> Option<Error> {
        self.skipped().damage(&self.log)
    }

    /// Reads one more piece; false when there is none left.
    fn read_some(&mut self) -> Result<bool, Error> {
        let Some(source) = self.sources.front_mut() else { return Ok(false) };
        match source.read(&mut self.chunk) {
            Ok(0) => {
                self.intake.finish();
                self.sources.pop_front();
            }
            Ok(bytes) => self.intake.feed(self.chunk.get(..bytes).unwrap_or_default()),
            Err(error) => {
                let path = source.path.clone();
                self.intake.finish();
                self.sources.pop_front();
                // An archive may be removed between listing and reading: it was too old anyway.
                if error.kind() != io::ErrorKind::NotFound {
                    return Err(Error::Read { path, source: error });
                }
            }
        }
        Ok(true)
    }
}

impl Source {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let file = match self.file.take() {
            Some(file) => file,
            None => open_regular(&self.path)?,
        };
        read_retrying(self.file.insert(file), chunk)
    }
}

/// Opens a file that has an end. A pipe would wait for a writer, and a device may never stop.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is a pipe or a device, not a file"));
    }
    File::open(path)
}

pub(super) fn read_retrying(file: &mut File, chunk: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.intake.next() {
                return Some(Ok(entry));
            }
            match self.read_some() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl std::fmt::Debug for Entries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entries").field("log", &self.log).finish_non_exhaustive()
    }
}
