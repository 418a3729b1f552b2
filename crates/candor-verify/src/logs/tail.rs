//! The end of a log that nobody watched.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use candor_protocol::LogRange;

use super::stamp::{self, SLACK};
use super::{LogRules, Scanner, clean, files};
use crate::found::{LogFindings, LogSource};

/// How much of the end is read.
const TAIL_BYTES: u64 = 128 * 1024;

/// Reads the end of a log, where there is no offset: the last 128 KB, from two seconds before `start`.
///
/// What is new, its times decide. The first line with a time that is new begins it. Where no line says so, yet the file was
/// written to since the start, it must be the lines behind the last one with a time; where no line has a time at all, it may
/// be any. A file that was not written to since the start has nothing new.
pub fn tail(
    path: &Path,
    file: String,
    rules: Arc<LogRules>,
    source: LogSource,
    start: SystemTime,
) -> io::Result<LogFindings> {
    let mut opened = files::open_plain(path)?;
    let metadata = opened.metadata()?;
    let length = metadata.len();
    let was_written = metadata.modified().map_or(true, |modified| modified + SLACK >= start);
    if !was_written {
        return Ok(LogFindings {
            entries: Vec::new(),
            count: 0,
            range: LogRange { file, from: length, to: length },
        });
    }
    let (from, bytes) = end_of(&mut opened, length)?;
    let skip = new_from(&bytes, start);
    let mut scanner = Scanner::new(rules, source, file, from + skip as u64, Some(start));
    scanner.push(bytes.get(skip..).unwrap_or_default());
    Ok(scanner.finish())
}

/// The last whole lines, and where they begin.
fn end_of(file: &mut File, length: u64) -> io::Result<(u64, Vec<u8>)> {
    let from = length.saturating_sub(TAIL_BYTES);
    // One byte more tells whether the first line is whole.
    let before = from.saturating_sub(1);
    file.seek(SeekFrom::Start(before))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES + 1).read_to_end(&mut bytes)?;
    if from == 0 {
        return Ok((0, bytes));
    }
    let whole = memchr::memchr(b'\n', &bytes).map_or(0, |end| end + 1);
    bytes.drain(..whole);
    Ok((before + whole as u64, bytes))
}

/// Where in these lines begins what is new.
fn new_from(bytes: &[u8], start: SystemTime) -> usize {
    let now = stamp::millis(SystemTime::now());
    let mut from = 0;
    let mut place = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(stamp) = stamp::of_line(&clean::text(line)) {
            if !stamp.is_before(start, now) {
                return place;
            }
            from = place + line.len();
        }
        place += line.len();
    }
    from
}
