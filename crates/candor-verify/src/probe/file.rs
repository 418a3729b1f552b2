//! Waits for a file in the workspace, and for what it must hold.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use candor_beneath::Links;
use candor_sandbox::without_dots;
use regex::Regex;
use rustix::fs::{Mode, OFlags};
use tokio::task::spawn_blocking;

use super::outcome::{Found, SAMPLE_CHARS_MAX, end, one_line, quoted};
use super::{Try, mistake, pattern, pause};

/// How much of the end of a file is read. What is appended is at the end.
const FILE_BYTES_MAX: u64 = 8 << 20;

/// A pipe must not be waited for.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// What tells whether a file is as it was: device, number, length, and when it was changed.
type Mark = (u64, u64, u64, i64, i64);

/// What is at a path.
enum Look {
    Nothing,
    Outside,
    NoFile,
    AsBefore,
    Text(Mark, String),
}

pub(super) async fn ask(
    path: &Path,
    contains: Option<&str>,
    matches: Option<&str>,
    asked: &Try<'_>,
) -> Found {
    let matches = match matches.map(pattern).transpose() {
        Ok(matches) => matches,
        Err(found) => return found,
    };
    let (root, path) = (asked.target.root.to_owned(), path.to_owned());
    let mut before = None;
    loop {
        let (root, path) = (root.clone(), path.clone());
        let looked = spawn_blocking(move || look(&root, &path, before)).await;
        match looked.unwrap_or_else(|error| Err(io::Error::other(error))) {
            Ok(Look::Nothing) => asked.waiting.for_want_of("no such file"),
            Ok(Look::Outside) => return mistake("it is not in the workspace"),
            Ok(Look::NoFile) => return Found::failed("there is something, but it is no file", ""),
            Ok(Look::AsBefore) => {}
            Ok(Look::Text(mark, text)) => {
                before = Some(mark);
                match problem(&text, contains, matches.as_ref()) {
                    None => return Found::passed("it is as expected", &end(&text, SAMPLE_CHARS_MAX)),
                    Some(problem) => asked.waiting.for_want_of(problem),
                }
                asked.waiting.saw(&end(&text, SAMPLE_CHARS_MAX));
            }
            Err(error) => return Found::failed(format!("it cannot be read: {error}"), ""),
        }
        pause().await;
    }
}

fn problem(text: &str, contains: Option<&str>, matches: Option<&Regex>) -> Option<String> {
    if let Some(part) = contains.filter(|part| !text.contains(part)) {
        return Some(format!("it is there, but no {} in it", quoted(part)));
    }
    let pattern = matches.filter(|pattern| !pattern.is_match(text))?;
    Some(format!("it is there, but no match of /{}/", one_line(pattern.as_str())))
}

/// Looks at a file below a folder, whichever links lead there, but never outside.
fn look(root: &Path, path: &Path, before: Option<Mark>) -> io::Result<Look> {
    let root = root.canonicalize()?;
    let named = root.join(path);
    let whole = match named.canonicalize() {
        Ok(whole) => whole,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let is_inside = without_dots(&named).starts_with(&root);
            return Ok(if is_inside { Look::Nothing } else { Look::Outside });
        }
        Err(error) => return Err(error),
    };
    let Ok(below) = whole.strip_prefix(&root) else { return Ok(Look::Outside) };
    // Whoever puts a link there meanwhile does not lead us anywhere.
    let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
    match candor_beneath::open(File::open(&root)?, below, READ, Mode::empty(), Links::Never) {
        Ok(file) => read(File::from(file), before),
        Err(rustix::io::Errno::NOENT) => Ok(Look::Nothing),
        Err(error) => Err(error.into()),
    }
}

fn read(mut file: File, before: Option<Mark>) -> io::Result<Look> {
    let found = file.metadata()?;
    if !found.is_file() {
        return Ok(Look::NoFile);
    }
    let mark = (found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec());
    if before == Some(mark) {
        return Ok(Look::AsBefore);
    }
    file.seek(SeekFrom::Start(found.len().saturating_sub(FILE_BYTES_MAX)))?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(Look::Text(mark, String::from_utf8_lossy(&bytes).into_owned()))
}
