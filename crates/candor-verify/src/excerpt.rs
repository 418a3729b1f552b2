//! What evidence shows of what was seen.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_protocol::Artefact;
use sha2::{Digest, Sha256};

use crate::found::Diagnostic;
use crate::plain::open_plain;

/// How much of an output evidence shows.
pub(crate) const EXCERPT_CHARS_MAX: usize = 2_000;
/// How many files of a command are named.
const ARTEFACTS_MAX: usize = 5;
/// A longer file is data.
const ARTEFACT_BYTES_MAX: u64 = 16 << 20;

/// The end of a text, from the beginning of a line.
pub(crate) fn end(text: &str, chars_max: usize) -> String {
    let text = text.trim();
    let count = text.chars().count();
    if count <= chars_max {
        return text.to_owned();
    }
    let cut: String = text.chars().skip(count - chars_max).collect();
    match cut.split_once('\n') {
        Some((_, whole)) => format!("…\n{whole}"),
        None => format!("…{cut}"),
    }
}

/// The first line of a text.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// A line of a log, as much of it as stands in a sentence.
pub(crate) fn short(line: &str) -> String {
    line.trim().chars().take(200).collect()
}

/// A time in whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The last line that says something.
pub(crate) fn last_line(text: &str) -> Option<String> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim().chars().take(200).collect())
}

/// The last lines of a text.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(count)..).unwrap_or_default().join("\n")
}

/// A time in words.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 {
        format!("{} ms", time.as_millis())
    } else if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} min", seconds / 60.0)
    }
}

/// Where a diagnostic is, and what it says.
pub(crate) fn place(diagnostic: &Diagnostic) -> String {
    let line = diagnostic.line.map_or_else(String::new, |line| format!(":{line}"));
    let message = diagnostic.message.lines().next().unwrap_or_default();
    format!("{}{line}: {}", diagnostic.file, message.chars().take(200).collect::<String>())
}

/// The files of the workspace that a command names, as they are. They are read on a thread where that holds up nobody.
pub(crate) async fn artefacts(command: &str, cwd: &Path, root: &Path) -> Vec<Artefact> {
    let (command, cwd, root) = (command.to_owned(), cwd.to_owned(), root.to_owned());
    tokio::task::spawn_blocking(move || hashed(&command, &cwd, &root)).await.unwrap_or_default()
}

fn hashed(command: &str, cwd: &Path, root: &Path) -> Vec<Artefact> {
    let words = command.split(|c: char| c.is_whitespace() || "\"';&|()<>=".contains(c));
    let named = words.filter(|word| !word.is_empty() && !word.starts_with(['-', '/', '~', '$']));
    let mut found: Vec<Artefact> = Vec::new();
    for word in named {
        if found.len() == ARTEFACTS_MAX {
            break;
        }
        let path: PathBuf = cwd.join(word);
        if path.components().any(|part| part == std::path::Component::ParentDir) {
            continue;
        }
        let Some(sha256) = hash(&root.join(&path)) else { continue };
        let path = path.strip_prefix(".").unwrap_or(&path).display().to_string();
        if !found.iter().any(|artefact| artefact.path == path) {
            found.push(Artefact { path, sha256 });
        }
    }
    found
}

/// The hash of a file; nothing of what is no file, or too long.
fn hash(path: &Path) -> Option<String> {
    let file = open_plain(path, ARTEFACT_BYTES_MAX).ok()?;
    // It may grow meanwhile.
    let (mut file, mut hasher, mut chunk) = (file.take(ARTEFACT_BYTES_MAX), Sha256::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut chunk).ok()? {
            0 => break,
            read => hasher.update(chunk.get(..read)?),
        }
    }
    Some(hex::encode(hasher.finalize()))
}
