//! `file_read`: the text of a file.

use std::fmt::Write;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use candor_log::event;
use candor_protocol::ToolSpec;
use rustix::fs::{CWD, Mode, OFlags, fstat, openat};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::paths::{Rules, descriptor_path, real_path, refuse_special};
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "file_read";

/// What the line about a cut may take of the output. Three numbers of twenty digits fit.
const NOTE_BYTES_MAX: usize = 128;

/// The longest character: a piece this long always holds a whole one.
const CHAR_BYTES_MAX: usize = 4;

/// Behind the end of every file. The kernel calls an offset whose end it cannot count invalid.
const OFFSET_MAX: u64 = 1 << 62;

/// The text of a file.
pub(crate) struct FileRead {
    spec: ToolSpec,
}

/// A piece of a file.
struct Piece {
    text: String,
    /// Where it begins and ends in the file.
    start: u64,
    end: u64,
    /// How long the file is, where it is longer than this.
    cut_of: Option<u64>,
}

impl FileRead {
    pub(crate) fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "offset": { "type": "integer", "minimum": 0 },
                "limit": { "type": "integer", "minimum": 1 },
            },
            "required": ["path"],
        });
        let description = "Read a text file.\nPaths may be absolute; offset and limit count bytes.";
        Self { spec: ToolSpec { name: NAME.to_owned(), description: description.to_owned(), parameters } }
    }

    async fn read(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let asked = arguments::text(args, "path").unwrap_or_default();
        let rules = Rules::new(NAME, asked, context)?;
        let path = context.workspace.join(asked);
        let offset = arguments::number(args, "offset").unwrap_or(0);
        let limit = arguments::number(args, "limit").and_then(|limit| usize::try_from(limit).ok());
        let room = context.rules.output_bytes_max.saturating_sub(NOTE_BYTES_MAX);
        let bytes_max = limit.unwrap_or(usize::MAX).min(room).max(CHAR_BYTES_MAX);
        let read = spawn_blocking(move || piece(&rules, &path, offset, bytes_max));
        let piece = read.await.map_err(|_| Error::Interrupted { tool: NAME.to_owned() })??;
        Ok(told(piece, limit, context))
    }
}

impl Tool for FileRead {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["read"]
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::read(args, context).await, context) })
    }
}

fn piece(rules: &Rules, path: &Path, offset: u64, bytes_max: usize) -> Result<Piece, Error> {
    let (file, size) = open(rules, path)?;
    let failed = |source: io::Error| Error::file(path, source);
    // One byte more tells whether there is more, also where the size says nothing, as under /proc.
    let mut bytes = vec![0; bytes_max + 1];
    let read = fill(&file, &mut bytes, offset).map_err(failed)?;
    bytes.truncate(read);
    let is_cut = read > bytes_max;
    bytes.truncate(bytes_max);
    // A model may begin anywhere, but text begins where a character does.
    let skipped =
        if offset == 0 { 0 } else { bytes.iter().take_while(|byte| **byte & 0xC0 == 0x80).take(3).count() };
    bytes.drain(..skipped);
    let text = text(bytes, is_cut).map_err(failed)?;
    let start = offset + skipped as u64;
    let end = start + text.len() as u64;
    Ok(Piece { text, start, end, cut_of: is_cut.then(|| size.max(end + 1)) })
}

/// Opens the file if it may be read, and says how long it is.
///
/// It is taken hold of first, without any effect on it, then looked at, and then opened through that hold: what was
/// looked at and what is read are the same, whatever happens to the path meanwhile.
fn open(rules: &Rules, path: &Path) -> Result<(File, u64), Error> {
    let failed = |errno: rustix::io::Errno| Error::file(path, errno);
    let hold: OwnedFd = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(failed)?;
    let stat = fstat(&hold).map_err(failed)?;
    let real: PathBuf = real_path(&hold).map_err(failed)?;
    rules.check(&real, Some(&stat))?;
    refuse_special(path, &stat)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(CWD, descriptor_path(&hold), flags, Mode::empty()).map_err(failed)?;
    Ok((File::from(file), u64::try_from(stat.st_size).unwrap_or(0)))
}

fn fill(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    if offset > OFFSET_MAX {
        return Ok(filled);
    }
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The bytes as text; where they were cut, without the character that the cut went through.
fn text(bytes: Vec<u8>, is_cut: bool) -> io::Result<String> {
    String::from_utf8(bytes).or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        if is_cut && error.utf8_error().error_len().is_none() {
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
    })
}

fn told(piece: Piece, limit: Option<usize>, context: &ToolContext) -> ToolOutput {
    let Piece { mut text, start, end, cut_of } = piece;
    let bytes = text.len();
    let for_people = format!("{bytes} bytes, {} lines", text.lines().count());
    if let Some(total) = cut_of {
        if limit.is_none_or(|limit| limit > bytes) {
            event::ToolOutputTruncated {
                session_id: context.session,
                tool: NAME,
                original_bytes: total,
                truncated_bytes: bytes as u64,
            }
            .log();
        }
        // Writing into a string cannot fail.
        let _ = write!(text, "\n[cut: bytes {start}-{end} of {total}; go on with offset={end}]");
    } else if text.is_empty() && start > 0 {
        text = format!("[nothing: offset {start} is at or behind the end]");
    }
    ToolOutput::success(text, for_people)
}
