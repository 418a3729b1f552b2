//! The form between `*** Begin Patch` and `*** End Patch`: no line numbers, only lines around the change.

use super::{Action, FilePatch, Hunk, HunkLine};

const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";
const END: &str = "*** End Patch";

/// Whether a line is one that only this form has.
pub(super) fn is_header(line: &str) -> bool {
    [ADD, DELETE, UPDATE].iter().any(|header| line.starts_with(header))
}

pub(super) fn read(lines: &[&str]) -> Result<Vec<FilePatch>, String> {
    let mut files = Vec::new();
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        index += 1;
        if *line == END {
            break;
        }
        let body = lines[index..].iter().take_while(|line| !is_header(line) && **line != END).count();
        let body = &lines[index..index + body];
        let (path, action) = if let Some(path) = line.strip_prefix(ADD) {
            (path, added(path, body)?)
        } else if let Some(path) = line.strip_prefix(DELETE) {
            (path, Action::Delete(Vec::new()))
        } else if let Some(path) = line.strip_prefix(UPDATE) {
            (path, updated(path, body)?)
        } else {
            // What models write around a patch.
            continue;
        };
        index += body.len();
        files.push(FilePatch { path: path.trim().to_owned(), action, executable: None });
    }
    Ok(files)
}

fn added(path: &str, body: &[&str]) -> Result<Action, String> {
    let mut text = String::new();
    for line in trimmed(body) {
        let Some(line) = line.strip_prefix('+') else {
            return Err(format!("{path}: a line of a new file does not begin with +: {line}"));
        };
        text.push_str(line);
        text.push('\n');
    }
    Ok(Action::Add(text))
}

fn updated(path: &str, body: &[&str]) -> Result<Action, String> {
    let moved_to = body.first().and_then(|line| line.strip_prefix(MOVE)).map(|path| path.trim().to_owned());
    let body = trimmed(if moved_to.is_some() { &body[1..] } else { body });
    let mut hunks = vec![Hunk::default()];
    for line in body {
        let Some(hunk) = hunks.last_mut() else { break };
        if let Some(hint) = line.strip_prefix("@@") {
            // Several hints in a row lead to one place, from the outside in.
            if !hunk.lines.is_empty() {
                hunks.push(Hunk { hints: named(hint), ..Hunk::default() });
                continue;
            }
            hunk.hints.extend(named(hint));
        } else if *line == END_OF_FILE {
            hunk.is_at_end = true;
        } else {
            let Some(line) = HunkLine::of(line) else {
                return Err(format!("{path}: a line begins with neither space, - nor +: {line}"));
            };
            if hunk.is_at_end {
                return Err(format!("{path}: there are lines after the end of the file"));
            }
            hunk.lines.push(line);
        }
    }
    hunks.retain(|hunk| !hunk.lines.is_empty());
    if hunks.is_empty() && moved_to.is_none() {
        return Err(format!("{path}: no line changes"));
    }
    Ok(Action::Update { hunks, moved_to })
}

/// The line that `@@` names; some models add the numbers of the other form, which mean nothing here.
fn named(hint: &str) -> Vec<String> {
    let numbered = hint.trim_start().starts_with('-').then(|| hint.split_once(" @@")).flatten();
    let hint = numbered.map_or(hint, |(_, hint)| hint).trim();
    if hint.is_empty() { Vec::new() } else { vec![hint.to_owned()] }
}

/// Without the empty lines at the end, which belong to no file.
fn trimmed<'a, 'b>(body: &'a [&'b str]) -> &'a [&'b str] {
    let end = body.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    &body[..end]
}
