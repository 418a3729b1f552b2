//! The file of results: one JSON line for each command that `card` or `harness` ran.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use candor_cards::Record;
use candor_protocol::Moment;
use rustix::fs::OFlags;

use crate::screen::Screen;

const NAME: &str = "telemetry/harness_results.jsonl";
/// A file that is longer than this makes room: it takes the place of the one before it.
const FILE_BYTES_MAX: u64 = 10 << 20;

/// The time as records have it.
pub(crate) fn now() -> String {
    let now = Moment::now().to_string();
    // Whole seconds, as in the seed.
    match now.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => now,
    }
}

/// A record as its line.
pub(crate) fn line(record: &Record) -> String {
    // Nothing in a record can fail to be JSON.
    serde_json::to_string(record).unwrap_or_default()
}

/// Where results of commands in this directory go.
pub(crate) fn usual(directory: &Path) -> PathBuf {
    let context = directory.join("_ctx");
    if context.is_dir() { context.join(NAME) } else { directory.join(".candor").join(NAME) }
}

/// Appends a record, masked. A command is more important than its record: trouble is a warning.
pub(crate) fn append(record: &Record, file: Option<&Path>, directory: &Path, screen: &Screen) {
    let path = file.map_or_else(|| usual(directory), |file| directory.join(file));
    let mut line = screen.redactor().redact_str(&line(record)).into_owned();
    line.push('\n');
    if let Err(error) = write(&path, line.as_bytes()) {
        screen.warn(&format!("the result was not written to {}: {error}", path.display()));
    }
}

fn write(path: &Path, line: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        make(directory)?;
    }
    if fs::symlink_metadata(path).is_ok_and(|file| file.is_file() && file.len() > FILE_BYTES_MAX) {
        let mut older = path.as_os_str().to_owned();
        older.push(".1");
        fs::rename(path, older)?;
    }
    // In one write to the end, so that two commands at once do not tear each other's lines. No link is followed and no pipe waited for: whoever made the
    // folder may have put one there.
    let flags = i32::try_from(OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits()).unwrap_or_default();
    let mut file = OpenOptions::new().create(true).append(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    file.write_all(line)
}

/// Makes the folder. One of ours is kept out of version control: nobody means to commit what commands said.
fn make(directory: &Path) -> io::Result<()> {
    let ours = [directory.parent(), Some(directory)]
        .into_iter()
        .flatten()
        .filter(|path| ["telemetry", ".candor", "_ctx"].iter().any(|name| path.ends_with(name)));
    for path in ours {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(io::Error::other(format!("{} is a link", path.display())));
        }
    }
    let is_new = !directory.exists();
    fs::create_dir_all(directory)?;
    if is_new && directory.ends_with(".candor/telemetry") {
        fs::write(directory.join(".gitignore"), "*\n")?;
    }
    Ok(())
}
