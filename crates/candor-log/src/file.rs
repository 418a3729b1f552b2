//! The log as files: one that is written, and archives of it by day and by size.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use jiff::tz::Offset;

use crate::archive::{Archives, FileId};
use crate::live::{Cut, Live, Plan};
use crate::tail::Day;
use crate::{Clock, Error, Rotation};

/// How often, and how far apart, the lock for a rotation is tried. When another process holds it longer, this one writes
/// on and rotates with a later batch: a log must not wait for a neighbour that was stopped.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// One batch begins no more files than this; the rest of it goes to the last. With a size limit below the length of a
/// line it would otherwise begin a file for each.
const ROTATIONS_MAX: u32 = 64;

/// Why lines were not written, and how many bytes of them were.
pub(crate) struct Unwritten {
    pub(crate) written_bytes: usize,
    pub(crate) error: Error,
}

/// The live file and its archives.
pub(crate) struct LogFile {
    path: PathBuf,
    archives: Archives,
    rotation: Rotation,
    clock: Clock,
    live: Option<Live>,
    /// What went wrong without losing a line.
    trouble: Option<Error>,
}

/// What became of the wish to rotate.
enum Rotated {
    /// The path leads to a newer file now, or to none.
    Yes,
    /// Another process keeps the lock.
    Busy,
}

impl LogFile {
    pub(crate) fn open(path: PathBuf, rotation: Rotation, clock: Clock) -> Result<Self, Error> {
        let Some(archives) = Archives::of(&path) else {
            return Err(Error::Open { path, source: io::Error::from(io::ErrorKind::IsADirectory) });
        };
        match Live::open(&path, archives.directory()) {
            Ok(live) => Ok(Self { path, archives, rotation, clock, live: Some(live), trouble: None }),
            Err(source) => Err(Error::Open { path, source }),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Trouble that cost no line, if there was any since the last time.
    pub(crate) fn take_trouble(&mut self) -> Option<Error> {
        self.trouble.take()
    }

    /// Appends whole lines, with one write for each file they belong to.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        let mut rest = lines;
        let mut rotations_left = ROTATIONS_MAX;
        while !rest.is_empty() {
            let (bytes, error) = match self.append_some(rest, &mut rotations_left) {
                Ok(bytes) => (bytes, None),
                Err((bytes, error)) => (bytes, Some(error)),
            };
            rest = rest.get(bytes..).unwrap_or_default();
            if let Some(source) = error {
                let error = Error::write(&self.path, source);
                return Err(Unwritten { written_bytes: lines.len() - rest.len(), error });
            }
        }
        Ok(())
    }

    /// Removes the archives that need not stay.
    pub(crate) fn prune(&mut self) {
        let today = Offset::UTC.to_datetime(self.clock.now()).date();
        let live_bytes = self.live.as_ref().map_or(0, |live| live.bytes);
        if let Err(source) = self.archives.prune(&self.rotation, today, live_bytes) {
            self.trouble = Some(Error::Rotate { path: self.path.clone(), source });
        }
    }

    /// Writes the lines that belong into one file; or writes nothing, and begins a file for them.
    fn append_some(&mut self, lines: &[u8], rotations_left: &mut u32) -> Result<usize, Cut> {
        let size_bytes_max = self.rotation.size_bytes_max;
        let live = self.find().map_err(|error| (0, error))?;
        let plan = match *rotations_left {
            0 => Plan::Write { bytes: lines.len() },
            _ => live.plan(lines, size_bytes_max),
        };
        match plan {
            Plan::Write { bytes } => {
                live.write(lines.get(..bytes).unwrap_or(lines))?;
                Ok(bytes)
            }
            Plan::Rotate => {
                *rotations_left = match self.rotate() {
                    Ok(Rotated::Yes) => *rotations_left - 1,
                    Ok(Rotated::Busy) => 0,
                    Err(source) => {
                        self.trouble = Some(Error::Rotate { path: self.path.clone(), source });
                        0
                    }
                };
                Ok(0)
            }
        }
    }

    /// The live file, opened anew when the path no longer leads to the one we hold.
    fn find(&mut self) -> io::Result<&mut Live> {
        let held = match (self.live.take(), fs::metadata(&self.path)) {
            (Some(mut live), Ok(metadata)) if live.id == FileId::of(&metadata) => {
                live.notice_size(metadata.len())?;
                live
            }
            _ => Live::open(&self.path, self.archives.directory())?,
        };
        Ok(self.live.insert(held))
    }

    /// Archives the live file, unless another process has just done so.
    fn rotate(&mut self) -> io::Result<Rotated> {
        let Some(live) = &self.live else { return Ok(Rotated::Yes) };
        let Some(_lock) = lock(self.archives.directory())? else { return Ok(Rotated::Busy) };
        let ours = fs::metadata(&self.path).is_ok_and(|metadata| FileId::of(&metadata) == live.id);
        if ours {
            let day = live.day.unwrap_or_else(|| Day::of_time(self.clock.now()));
            self.archives.keep(&self.path, day.as_str())?;
            self.live = None;
            self.prune();
        }
        Ok(Rotated::Yes)
    }
}

/// The right to rotate in a directory, or nothing if another process keeps it.
///
/// The directory itself is locked, so that no lock file lies about among the logs. Where a file system knows no locks,
/// archives are still never replaced, and the worst is a file that was archived early.
fn lock(directory: &Path) -> io::Result<Option<File>> {
    let directory = File::open(directory)?;
    for _ in 0..LOCK_TRIES {
        match directory.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(Some(directory)),
        }
    }
    Ok(None)
}
