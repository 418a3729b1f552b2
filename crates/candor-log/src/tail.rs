//! What the end of a log file tells about it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::Offset;

use crate::stamp::DAY_BYTES;

/// How far back the last dated line is looked for. Past this the file's own time must do.
const TAIL_BYTES_MAX: u64 = 64 * 1024;

/// How every line of ours opens.
const OPENING: &[u8] = b"{\"ts\":\"";

/// Another process may be in the middle of its write, and then the file seems to end inside a line. Looking again a
/// few times tells that from a line that was really torn.
const TORN_LOOKS: u32 = 5;
const TORN_LOOK_PAUSE: Duration = Duration::from_millis(1);

/// A UTC day as it stands in a line and in the name of an archive. Days sort as their text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day([u8; DAY_BYTES]);

impl Day {
    /// The day the line at the start of some lines belongs to.
    pub(crate) fn of_line(lines: &[u8]) -> Option<Self> {
        let day = *lines.strip_prefix(OPENING)?.first_chunk::<DAY_BYTES>()?;
        let shape = day.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        shape.then_some(Self(day))
    }

    pub(crate) fn of_time(time: Timestamp) -> Self {
        let mut day = [b'0'; DAY_BYTES];
        let text = Offset::UTC.to_datetime(time.max(Timestamp::UNIX_EPOCH)).date().to_string();
        if text.len() == day.len() {
            day.copy_from_slice(text.as_bytes());
        }
        Self(day)
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The day the last line of a file belongs to; where no line tells, the day it was last written.
pub(crate) fn last_day(file: &File) -> io::Result<Day> {
    let metadata = file.metadata()?;
    let tail_bytes = metadata.len().min(TAIL_BYTES_MAX);
    let mut tail = vec![0; usize::try_from(tail_bytes).unwrap_or_default()];
    file.read_exact_at(&mut tail, metadata.len() - tail_bytes)?;
    match tail.split(|&byte| byte == b'\n').rev().find_map(Day::of_line) {
        Some(day) => Ok(day),
        None => Ok(Day::of_time(Timestamp::try_from(metadata.modified()?).unwrap_or(Timestamp::UNIX_EPOCH))),
    }
}

/// Whether a file ends inside a line.
pub(crate) fn is_torn(file: &File) -> io::Result<bool> {
    for look in 0..TORN_LOOKS {
        if look > 0 {
            thread::sleep(TORN_LOOK_PAUSE);
        }
        let Some(last) = file.metadata()?.len().checked_sub(1) else { return Ok(false) };
        let mut byte = [0];
        if file.read_at(&mut byte, last)? == 1 && byte == *b"\n" {
            return Ok(false);
        }
    }
    Ok(true)
}
