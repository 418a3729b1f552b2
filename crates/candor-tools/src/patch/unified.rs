//! The form that `diff -u` and git write.
//!
//! The numbers in `@@ -1,2 +3,4 @@` say where a hunk ends, but models count badly: a hunk also ends where something
//! begins that can be no part of it, and goes on where only a part of it can follow.

use super::{Action, FilePatch, Hunk, HunkLine};

const NOTHING: &str = "/dev/null";

/// What the lines before the hunks say about a file.
#[derive(Default)]
struct Header {
    /// After `---` and `+++`.
    old: Option<String>,
    new: Option<String>,
    /// After `diff --git`.
    both: Option<(String, String)>,
    renamed: (Option<String>, Option<String>),
    is_new: bool,
    is_deleted: bool,
    executable: Option<bool>,
}

pub(super) fn read(lines: &[&str]) -> Result<Vec<FilePatch>, String> {
    let mut files = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        if !begins_file(lines, index) {
            if lines[index].starts_with("@@ -") {
                return Err(format!("line {}: a change without the name of its file", index + 1));
            }
            index += 1;
            continue;
        }
        let header = Header::read(lines, &mut index)?;
        let mut hunks = Vec::new();
        while lines.get(index).is_some_and(|line| line.starts_with("@@ ")) {
            hunks.push(hunk(lines, &mut index)?);
        }
        files.extend(header.file(hunks)?);
    }
    Ok(files)
}

fn begins_file(lines: &[&str], index: usize) -> bool {
    let line = lines[index];
    line.starts_with("diff --git ")
        || (line.starts_with("--- ") && lines.get(index + 1).is_some_and(|next| next.starts_with("+++ ")))
}

impl Header {
    fn read(lines: &[&str], index: &mut usize) -> Result<Self, String> {
        let mut header = Self::default();
        let start = *index;
        while let Some(line) = lines.get(*index) {
            let is_other = *index > start && line.starts_with("diff --git ");
            let is_other = is_other || (header.new.is_some() && begins_file(lines, *index));
            if is_other || line.starts_with("@@ ") {
                break;
            }
            let known = header.line(line)?;
            if !known && header.new.is_some() {
                break;
            }
            *index += 1;
        }
        Ok(header)
    }

    fn line(&mut self, line: &str) -> Result<bool, String> {
        let executable = |mode: &str| Some(mode.trim().ends_with("755"));
        if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err("it changes a file that is not text".to_owned());
        } else if line.starts_with("copy from ") {
            return Err("it copies a file; write the copy as a new file".to_owned());
        } else if line.trim_end().ends_with("mode 120000") {
            return Err("it changes a link".to_owned());
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            self.both = both(names);
        } else if let Some(name) = line.strip_prefix("--- ") {
            self.old = Some(name_of(name));
        } else if let Some(name) = line.strip_prefix("+++ ") {
            self.new = Some(name_of(name));
        } else if let Some(name) = line.strip_prefix("rename from ") {
            self.renamed.0 = Some(name_of(name));
        } else if let Some(name) = line.strip_prefix("rename to ") {
            self.renamed.1 = Some(name_of(name));
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            self.is_new = true;
            self.executable = executable(mode);
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            self.executable = executable(mode);
        } else if line.starts_with("deleted file mode ") {
            self.is_deleted = true;
        } else {
            let others = ["index ", "old mode ", "similarity index ", "dissimilarity index "];
            return Ok(others.iter().any(|other| line.starts_with(other)));
        }
        Ok(true)
    }

    /// What is to be done. Nothing: a header that says nothing.
    fn file(self, hunks: Vec<Hunk>) -> Result<Option<FilePatch>, String> {
        let executable = self.executable;
        let (old, new) = self.names();
        let is_new = self.is_new || self.old.as_deref() == Some(NOTHING);
        let is_deleted = self.is_deleted || self.new.as_deref() == Some(NOTHING);
        let (path, action) = match (old, new, self.renamed) {
            (_, _, (Some(from), Some(to))) => (from, Action::Update { hunks, moved_to: Some(to) }),
            (_, Some(new), _) if is_new => {
                let text = hunks.iter().map(Hunk::new_text).collect();
                (new, Action::Add(text))
            }
            (Some(old), _, _) if is_deleted => (old, Action::Delete(hunks)),
            // `diff` compares a copy with the file: the new name is the file, and a rename is told in lines of its own.
            (_, Some(new), _) => {
                if hunks.is_empty() && executable.is_none() {
                    return Ok(None);
                }
                (new, Action::Update { hunks, moved_to: None })
            }
            _ => return Err("a change without the name of its file".to_owned()),
        };
        Ok(Some(FilePatch { path, action, executable }))
    }

    /// The names without the `a/` and `b/` that git puts before them.
    fn names(&self) -> (Option<String>, Option<String>) {
        let both = self.both.clone();
        let old = self.old.clone().or_else(|| both.as_ref().map(|(old, _)| old.clone()));
        let new = self.new.clone().or_else(|| both.map(|(_, new)| new));
        let marked = |name: &Option<String>, mark: &str| {
            name.as_deref().is_some_and(|name| name == NOTHING || name.starts_with(mark))
        };
        if marked(&old, "a/") && marked(&new, "b/") {
            let strip =
                |name: String, mark: &str| name.strip_prefix(mark).map_or(name.clone(), str::to_owned);
            return (old.map(|name| strip(name, "a/")), new.map(|name| strip(name, "b/")));
        }
        (old, new)
    }
}

/// The two names after `diff --git`, which no mark separates: they are the same, but for a rename, which is told
/// again in lines of its own.
fn both(names: &str) -> Option<(String, String)> {
    if let Some(rest) = names.strip_prefix('"') {
        let (old, new) = rest.split_once("\" ")?;
        return Some((name_of(&format!("\"{old}\"")), name_of(new)));
    }
    let middles = names.match_indices(" b/").map(|(at, _)| at);
    let halves = middles.map(|at| (&names[..at], &names[at + 1..]));
    let is_same = |(old, new): &(&str, &str)| old.strip_prefix("a/") == new.strip_prefix("b/");
    halves
        .clone()
        .find(is_same)
        .or_else(|| halves.clone().next())
        .map(|(old, new)| (name_of(old), name_of(new)))
}

/// A name, without the time that `diff` writes after it, and read where git has quoted it.
fn name_of(written: &str) -> String {
    let Some(quoted) = written.strip_prefix('"').and_then(|rest| rest.trim_end().strip_suffix('"')) else {
        return written.split('\t').next().unwrap_or_default().trim_end().to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next().unwrap_or(b'\\') {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            digit @ b'0'..=b'3' => {
                let mut value = digit - b'0';
                for _ in 0..2 {
                    let next = rest.next_if(|digit| matches!(digit, b'0'..=b'7'));
                    value = next.map_or(value, |digit| value << 3 | (digit - b'0'));
                }
                bytes.push(value);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hunk(lines: &[&str], index: &mut usize) -> Result<Hunk, String> {
    let (line, mut old_left, mut new_left) = counts(lines[*index]).ok_or_else(|| {
        format!("line {}: this is not like `@@ -1,2 +1,3 @@`: {}", *index + 1, lines[*index])
    })?;
    let mut hunk = Hunk { line: Some(line), ..Hunk::default() };
    *index += 1;
    while let Some(line) = lines.get(*index) {
        if line.starts_with('\\') {
            match hunk.lines.last() {
                Some(HunkLine::Goes(_)) => hunk.old_is_open = true,
                Some(HunkLine::Comes(_)) => hunk.new_is_open = true,
                _ => (hunk.old_is_open, hunk.new_is_open) = (true, true),
            }
            *index += 1;
            continue;
        }
        let is_full = old_left == 0 && new_left == 0;
        let is_end = line.starts_with("diff --git ") || line.starts_with("@@ -");
        if is_end || (is_full && (line.is_empty() || begins_file(lines, *index))) {
            break;
        }
        let Some(line) = HunkLine::of(line) else { break };
        let counts = match &line {
            HunkLine::Stays(_) => (1, 1),
            HunkLine::Goes(_) => (1, 0),
            HunkLine::Comes(_) => (0, 1),
        };
        old_left = old_left.saturating_sub(counts.0);
        new_left = new_left.saturating_sub(counts.1);
        hunk.lines.push(line);
        *index += 1;
    }
    // Empty lines at the end of a patch whose counts are too high belong to nobody.
    while *index == lines.len() && old_left > 0 && hunk.lines.last() == Some(&HunkLine::Stays(String::new()))
    {
        hunk.lines.pop();
    }
    Ok(hunk)
}

/// The first old line, and how many old and new lines there are.
fn counts(header: &str) -> Option<(usize, usize, usize)> {
    let (old, rest) = header.strip_prefix("@@ -")?.split_once(" +")?;
    let new = rest.split_once(" @@")?.0;
    let pair = |text: &str| -> Option<(usize, usize)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.trim().parse().ok()?, count.trim().parse().ok()?)),
            None => Some((text.trim().parse().ok()?, 1)),
        }
    };
    let ((line, old), (_, new)) = (pair(old)?, pair(new)?);
    Some((line, old, new))
}
