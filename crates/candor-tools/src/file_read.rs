//! `file_read`: the text of a file, by lines, or the picture in it.
//!
//! A file is never read as a whole: what comes before the lines that were asked for is passed over in pieces, and what
//! comes after them is not read.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_protocol::{Image, ToolSpec};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::access::Access;
use crate::arguments::AtLeast;
use crate::output::counted;
use crate::picture::{Picture, SIDE_PIXELS_MAX};
use crate::shortened::{self, Shortened};
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "file_read";

/// What the lines about a cut may take of the output.
const NOTE_BYTES_MAX: usize = 256;

/// How much of the start of a file tells whether it is text, as with git.
const HEAD_BYTES: usize = 8 << 10;

/// The largest picture that is shown; providers take hardly larger ones, and each is kept with its session.
const PICTURE_BYTES_MAX: u64 = 4 << 20;

/// How much is read at once.
const BUFFER_BYTES: usize = 64 << 10;

/// What files that are not text begin with.
const KINDS: &[(&[u8], &str)] = &[
    (b"\x7fELF", "ELF program"),
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\0asm", "WebAssembly"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

arguments! {
    struct Args<'a> {
        path: &'a str;
        offset: Option<u64> = "first line, from 1";
        limit: Option<AtLeast<1>> = "lines";
    }
}

/// The text of a file.
pub(crate) struct FileRead {
    spec: ToolSpec,
}

/// Which lines are wanted, and how much of the output they may take.
struct Wanted {
    first: u64,
    lines_max: u64,
    bytes_max: usize,
}

/// What there is to tell of a file.
struct Told {
    text: String,
    for_people: String,
    /// How long the file is, where the output was too small for what was asked.
    cut_of: Option<u64>,
    /// The picture that it holds.
    image: Option<Image>,
}

impl FileRead {
    pub(crate) fn new() -> Self {
        let description = "Read a text file or a picture.\nPaths may be absolute.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn read(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let args: Args<'_> = arguments::of(NAME, args)?;
        let asked = args.path.to_owned();
        let wanted = Wanted {
            // Models that count from nought mean the first line, too.
            first: args.offset.unwrap_or(1).max(1),
            lines_max: args.limit.map_or(u64::MAX, |lines| lines.0),
            bytes_max: context.rules.output_bytes_max.saturating_sub(NOTE_BYTES_MAX).max(4),
        };
        let access = Access::new(NAME, context);
        let read = spawn_blocking(move || read(&access, &asked, &wanted));
        let told = read.await.map_err(|_| Error::Interrupted { tool: NAME.to_owned() })??;
        let kept_bytes = told.text.len() as u64;
        let shortened = told.cut_of.map(|original_bytes| Shortened { original_bytes, kept_bytes });
        let output = ToolOutput::success(told.text, told.for_people);
        let output = shortened::told((output, shortened), NAME, context);
        Ok(ToolOutput { images: told.image.into_iter().collect(), ..output })
    }
}

impl Tool for FileRead {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["read", "read_file"]
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::read(args, context).await, context) })
    }
}

fn read(access: &Access, asked: &str, wanted: &Wanted) -> Result<Told, Error> {
    let held = access.hold(asked)?;
    let mut file = held.file()?;
    let size = u64::try_from(held.stat().st_size).unwrap_or(0);
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::Interrupted => Error::Interrupted { tool: NAME.to_owned() },
        _ => Error::file(asked, error),
    };
    let mut start = Vec::new();
    (&file).take(HEAD_BYTES as u64).read_to_end(&mut start).map_err(failed)?;
    if let Some(picture) = Picture::of(&start, &file) {
        return shown(&picture, &file, size).map_err(failed);
    }
    if let Some(text) = not_text(&start, size) {
        return Ok(Told::of_whole(text, None));
    }
    file.rewind().map_err(failed)?;
    let mut lines = Lines { reader: BufReader::with_capacity(BUFFER_BYTES, file), access };
    lines.piece(wanted, size).map_err(failed)
}

/// A picture, for a model that can see; in words, where nobody could see it.
fn shown(picture: &Picture, mut file: &File, size: u64) -> io::Result<Told> {
    let mut bytes = Vec::new();
    if size <= PICTURE_BYTES_MAX {
        file.rewind()?;
        // However long it is by now.
        file.take(PICTURE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    }
    let size = size.max(bytes.len() as u64);
    let what = format!("{picture}, {size} bytes");
    if size > PICTURE_BYTES_MAX {
        let why = format!("not shown: only pictures of up to {PICTURE_BYTES_MAX} bytes are");
        return Ok(Told::of_whole(format!("{what}; {why}"), None));
    }
    if picture.is_too_large() {
        let why = format!("not shown: only pictures of up to {SIDE_PIXELS_MAX} pixels on a side are");
        return Ok(Told::of_whole(format!("{what}; {why}"), None));
    }
    if let Some(damage) = picture.damage(&bytes) {
        return Ok(Told::of_whole(format!("{what}; not shown: {damage}"), None));
    }
    let image = Image { media_type: picture.media_type().to_owned(), data: STANDARD.encode(&bytes) };
    Ok(Told::of_whole(what, Some(image)))
}

/// What a file is that is not text.
fn not_text(head: &[u8], size: u64) -> Option<String> {
    let is_whole_text = match str::from_utf8(head) {
        Ok(_) => true,
        // The end of the head may go through a character.
        Err(error) => error.error_len().is_none() && head.len() == HEAD_BYTES,
    };
    if is_whole_text && !head.contains(&0) {
        return None;
    }
    let kind =
        KINDS.iter().find(|(magic, _)| head.starts_with(magic)).map_or("unknown type", |(_, kind)| kind);
    Some(format!("binary file: {kind}, {size} bytes"))
}

impl Told {
    /// What is told of a file as a whole.
    fn of_whole(words: String, image: Option<Image>) -> Self {
        Self { text: format!("[{words}]"), for_people: words, cut_of: None, image }
    }
}

/// A file, line by line.
struct Lines<'a> {
    reader: BufReader<File>,
    access: &'a Access,
}

impl Lines<'_> {
    fn piece(&mut self, wanted: &Wanted, size: u64) -> io::Result<Told> {
        for passed in 1..wanted.first {
            if self.line(&mut Vec::new(), 0)? == 0 {
                return Ok(behind_end(wanted.first, passed - 1));
            }
        }
        let mut bytes = Vec::new();
        let (mut count, mut text_bytes) = (0, 0);
        // Why there is more: the limit of the call, the room of the output, or a line that is longer than that.
        let note = loop {
            if count == wanted.lines_max {
                break self.is_more()?.then(|| (false, String::new()));
            }
            let room = wanted.bytes_max - text_bytes;
            let start = bytes.len();
            let length = self.line(&mut bytes, room)?;
            if length == 0 {
                break None;
            }
            let line_bytes = text_len(&bytes[start..]);
            if length > room as u64 || line_bytes > room {
                if start > 0 {
                    bytes.truncate(start);
                    break Some((true, String::new()));
                }
                count += 1;
                bytes.truncate(fitting(&bytes, room));
                trim_character(&mut bytes);
                let line = wanted.first;
                let shown = bytes.len();
                // Lines are counted here, not bytes: the rest of one is for a command.
                let rest = format!("shell_exec `sed -n {line}p FILE | cut -b {}-`", shown + 1);
                break Some((
                    true,
                    format!("line {line} is cut after {shown} of {length} bytes, its rest: {rest}; "),
                ));
            }
            count += 1;
            text_bytes += line_bytes;
        };
        if count == 0 && wanted.first > 1 {
            return Ok(behind_end(wanted.first, wanted.first - 1));
        }
        let next = wanted.first + count;
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        let for_people = format!("{} bytes, {}", text.len(), counted(count, "line", "lines"));
        if let Some((_, why)) = &note {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            let last = next - 1;
            // Writing into a string cannot fail.
            let _ = write!(
                text,
                "{end}[read truncated] {why}lines {}-{last} of a file of {size} bytes; go on with offset={next}",
                wanted.first
            );
        }
        let cut_of = note.is_some_and(|(is_room, _)| is_room).then_some(size);
        Ok(Told { text, for_people, cut_of, image: None })
    }

    /// Takes a line, keeps no more than this of it, and says how long it is. Nothing is kept of a line break that
    /// does not fit.
    fn line(&mut self, kept: &mut Vec<u8>, bytes_max: usize) -> io::Result<u64> {
        let end = kept.len() + bytes_max;
        let mut length = 0;
        loop {
            if self.access.context.cancel.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let buffer = self.reader.fill_buf()?;
            let newline = memchr::memchr(b'\n', buffer);
            let piece = &buffer[..newline.map_or(buffer.len(), |newline| newline + 1)];
            let used = piece.len();
            kept.extend_from_slice(&piece[..used.min(end - kept.len())]);
            self.reader.consume(used);
            length += used as u64;
            if newline.is_some() || used == 0 {
                return Ok(length);
            }
        }
    }

    fn is_more(&mut self) -> io::Result<bool> {
        Ok(!self.reader.fill_buf()?.is_empty())
    }
}

fn behind_end(line: u64, last: u64) -> Told {
    let text = format!("[nothing: line {line} is behind the end, line {last}]");
    Told { text, for_people: "nothing".to_owned(), cut_of: None, image: None }
}

/// The length of the text that these bytes make: a byte that is no text becomes a mark of three.
fn text_len(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).len()
}

/// How many of these bytes make a text that is no longer than this.
fn fitting(bytes: &[u8], text_bytes_max: usize) -> usize {
    let (mut taken, mut len) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        let fits = valid.floor_char_boundary(text_bytes_max - len);
        (taken, len) = (taken + fits, len + fits);
        let has_mark = !chunk.invalid().is_empty();
        if fits < valid.len() || has_mark && len + char::REPLACEMENT_CHARACTER.len_utf8() > text_bytes_max {
            break;
        }
        if has_mark {
            (taken, len) = (taken + chunk.invalid().len(), len + char::REPLACEMENT_CHARACTER.len_utf8());
        }
    }
    taken
}

/// Drops the start of a character that a cut went through.
fn trim_character(bytes: &mut Vec<u8>) {
    if let Err(error) = str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
}
