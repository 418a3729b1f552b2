//! The one place where differences between texts are put into words.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use similar::TextDiff;

use crate::standing::{Special, is_mode};

/// The most of a difference that is shown to whoever is to approve it.
pub(crate) const PREVIEW_BYTES_MAX: usize = 64 << 10;

/// The most of a difference that the model reads again: it knows what it wrote.
pub(crate) const RESULT_BYTES_MAX: usize = 16 << 10;

/// Longer texts are not compared line by line.
const COMPARED_BYTES_MAX: usize = 2 << 20;

/// After this the comparison goes on with less care: its result is right, but not the shortest.
const CARE: Duration = Duration::from_millis(300);

/// How many lines that stay are shown around those that do not.
const CONTEXT_LINES: usize = 3;

/// The difference between what was and what is in a file, in unified form. Nothing: the file is not there.
pub(crate) fn unified(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    if before == after {
        return String::new();
    }
    let path = shown(path);
    let named = |side: &str, content: Option<&[u8]>| match content {
        Some(_) => format!("{side}/{}", path.trim_start_matches('/')),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (named("a", before), named("b", after));
    let lengths = [before, after].map(|content| content.map_or(0, <[u8]>::len));
    let texts = [before, after].map(|content| str::from_utf8(content.unwrap_or_default()).ok());
    let ([Some(before), Some(after)], true) = (texts, lengths.iter().all(|len| *len <= COMPARED_BYTES_MAX))
    else {
        return format!("--- {old} ({} bytes)\n+++ {new} ({} bytes)\n", lengths[0], lengths[1]);
    };
    let diff = TextDiff::configure().timeout(CARE).diff_lines(before, after);
    let text = diff.unified_diff().context_radius(CONTEXT_LINES).header(&old, &new).to_string();
    // An empty file that comes or goes has no lines to show.
    if text.is_empty() { format!("--- {old}\n+++ {new}\n") } else { text }
}

/// What stands at a path, as it is shown.
pub(crate) enum Side {
    File {
        content: Vec<u8>,
        mode: Option<u32>,
    },
    /// With its text.
    Link(Vec<u8>),
    Special(Special),
}

/// The kind of a file and of a link in the modes that git writes.
const GIT_FILE: u32 = 0o100_000;
const GIT_LINK: u32 = 0o120_000;

/// The difference between what stood and what stands at a path, as git shows it. Nothing: nothing stands there.
pub(crate) fn between(path: &Path, before: Option<&Side>, after: Option<&Side>) -> String {
    match (before, after) {
        (Some(Side::File { content: old, mode: was }), Some(Side::File { content: new, mode: is })) => {
            let modes = was.zip(*is).filter(|(was, is)| !is_mode(*is, *was));
            let head = modes.map(|(was, is)| modes_head(path, GIT_FILE | was, GIT_FILE | is));
            head.unwrap_or_default() + &unified(path, Some(old), Some(new))
        }
        (Some(Side::Link(old)), Some(Side::Link(new))) if old == new => String::new(),
        // The mode is the same, and git says nothing of it then.
        (Some(Side::Link(old)), Some(Side::Link(new))) => head(path) + &unified(path, Some(old), Some(new)),
        (Some(gone), Some(made)) => between(path, Some(gone), None) + &between(path, None, Some(made)),
        (Some(Side::File { content, .. }), None) => unified(path, Some(content), None),
        (None, Some(Side::File { content, .. })) => unified(path, None, Some(content)),
        (Some(Side::Link(text)), None) => {
            format!("{}deleted file mode {GIT_LINK:o}\n{}", head(path), unified(path, Some(text), None))
        }
        (None, Some(Side::Link(text))) => {
            format!("{}new file mode {GIT_LINK:o}\n{}", head(path), unified(path, None, Some(text)))
        }
        (Some(Side::Special(special)), None) => format!("{}: a {} is gone\n", shown(path), special.name()),
        (None, Some(Side::Special(special))) => format!("{}: a {} was made\n", shown(path), special.name()),
        (None, None) => String::new(),
    }
}

/// The line that says of which file the next ones are.
fn head(path: &Path) -> String {
    let path = shown(path);
    let path = path.trim_start_matches('/');
    format!("diff --git a/{path} b/{path}\n")
}

fn modes_head(path: &Path, old: u32, new: u32) -> String {
    format!("{}old mode {old:o}\nnew mode {new:o}\n", head(path))
}

/// No more than this of a text, in whole lines, and a word about it.
pub(crate) fn cut(mut text: String, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text;
    }
    let end = text.floor_char_boundary(bytes_max);
    let end = text[..end].rfind('\n').map_or(end, |newline| newline + 1);
    let left = text.len() - end;
    text.truncate(end);
    // Writing into a string cannot fail.
    let _ = writeln!(text, "[cut: {left} more bytes]");
    text
}

/// A path in one line: a name may hold line breaks and codes for the terminal.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.contains(char::is_control) { text.escape_debug().to_string() } else { text.into_owned() }
}
