//! The file that is written now.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::archive::FileId;
use crate::mask::split_after_line;
use crate::tail::{self, Day};

const FILE_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// An open file, and what has to be known about it to append.
pub(crate) struct Live {
    file: File,
    pub(crate) id: FileId,
    pub(crate) bytes: u64,
    /// The latest day of its lines; none for an empty file.
    pub(crate) day: Option<Day>,
    /// It ends inside a line, which has to be closed before the next one.
    torn: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A file of ours, to be archived when it is time.
    Regular,
    /// A device, or a link that someone made: written to, never renamed.
    Foreign,
}

/// What to do with the next lines.
pub(crate) enum Plan {
    /// Write this much of them.
    Write {
        /// Whole lines.
        bytes: usize,
    },
    /// Begin a new file first.
    Rotate,
}

/// A write that ended early: how much was written, and why not more.
pub(crate) type Cut = (usize, io::Error);

impl Live {
    /// Opens the file, and makes it and its directory if they are not there, for their owner only.
    pub(crate) fn open(path: &Path, directory: &Path) -> io::Result<Self> {
        if !directory.exists() {
            DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory)?;
        }
        refuse_pipe(path)?;
        let file = OpenOptions::new().read(true).append(true).create(true).mode(FILE_MODE).open(path)?;
        let metadata = file.metadata()?;
        let id = FileId::of(&metadata);
        if !metadata.is_file() {
            return Ok(Self { file, id, bytes: 0, day: None, torn: false, kind: Kind::Foreign });
        }
        // A link leads to a file that is not ours alone: neither its mode nor its name is ours to change.
        let is_linked = fs::symlink_metadata(path)?.is_symlink() || metadata.nlink() > 1;
        let kind = if is_linked { Kind::Foreign } else { Kind::Regular };
        if kind == Kind::Regular && metadata.permissions().mode() & 0o777 != FILE_MODE {
            // A file that belongs to someone else cannot be tightened; that is no reason to log nothing.
            let _ = file.set_permissions(Permissions::from_mode(FILE_MODE));
        }
        let bytes = metadata.len();
        let day = if bytes == 0 { None } else { Some(tail::last_day(&file)?) };
        let torn = tail::is_torn(&file)?;
        Ok(Self { file, id, bytes, day, torn, kind })
    }

    /// Takes note of what others did to the file: appended to it, or emptied it.
    pub(crate) fn notice_size(&mut self, bytes: u64) -> io::Result<()> {
        if self.kind == Kind::Foreign || bytes == self.bytes {
            return Ok(());
        }
        self.bytes = bytes;
        self.torn = tail::is_torn(&self.file)?;
        if bytes == 0 {
            self.day = None;
        }
        Ok(())
    }

    /// What a limit on the size (0 for none) and the days of some lines ask for.
    pub(crate) fn plan(&self, lines: &[u8], size_bytes_max: u64) -> Plan {
        if self.kind == Kind::Foreign {
            return Plan::Write { bytes: lines.len() };
        }
        let day = Day::of_line(lines);
        if self.bytes > 0 && day.is_some() && day > self.day {
            return Plan::Rotate;
        }
        let room = match size_bytes_max {
            0 => usize::MAX,
            max => usize::try_from(max.saturating_sub(self.bytes)).unwrap_or(usize::MAX),
        };
        let (piece, _) = split_after_line(same_day(lines, day), room);
        if piece.len() <= room || self.bytes == 0 { Plan::Write { bytes: piece.len() } } else { Plan::Rotate }
    }

    /// Writes whole lines. What was written of them before an error is never written again.
    pub(crate) fn write(&mut self, lines: &[u8]) -> Result<(), Cut> {
        if self.torn {
            write_from(&mut self.file, b"\n").map_err(|(_, error)| (0, error))?;
            self.torn = false;
            self.bytes += 1;
        }
        let result = write_from(&mut self.file, lines);
        let written_bytes = match &result {
            Ok(()) => lines.len(),
            Err((written_bytes, _)) => *written_bytes,
        };
        self.bytes += written_bytes as u64;
        self.day = self.day.max(Day::of_line(lines));
        self.torn = lines.get(..written_bytes).and_then(<[u8]>::last).is_some_and(|&last| last != b'\n');
        result
    }
}

/// A pipe is refused before it is opened: opening or writing it would wait for a reader that may never come.
pub(crate) fn refuse_pipe(path: &Path) -> io::Result<()> {
    let is_pipe = fs::metadata(path).is_ok_and(|metadata| {
        let kind = metadata.file_type();
        kind.is_fifo() || kind.is_socket()
    });
    if is_pipe {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "this is a pipe, not a file"))
    } else {
        Ok(())
    }
}

/// The lines up to the first that belongs to a later day.
fn same_day(lines: &[u8], day: Option<Day>) -> &[u8] {
    let last_line = lines.strip_suffix(b"\n").unwrap_or(lines).rsplit(|&byte| byte == b'\n').next();
    if day.is_none() || last_line.and_then(Day::of_line) <= day {
        return lines;
    }
    let mut end = 0;
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        if Day::of_line(line) > day {
            break;
        }
        end += line.len();
    }
    lines.get(..end).unwrap_or(lines)
}

/// Writes everything, or says how much of it was written before the error.
fn write_from(file: &mut File, bytes: &[u8]) -> Result<(), Cut> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err((bytes.len() - rest.len(), io::Error::from(io::ErrorKind::WriteZero))),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err((bytes.len() - rest.len(), error)),
        }
    }
    Ok(())
}
