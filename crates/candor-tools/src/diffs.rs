//! The one place where differences between texts are put into words.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use similar::TextDiff;

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
