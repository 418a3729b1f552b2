//! Looks for words in notes.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Notes, Scope};
use crate::BoxFuture;

/// The most that is found in one folder.
const HITS_MAX: usize = 10;
/// How much of a line is shown.
const PREVIEW_CHARS: usize = 120;

/// A part of a note in which words were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteHit {
    /// The note.
    pub name: String,
    /// Its first line.
    pub first_line: u64,
    /// Its last line.
    pub last_line: u64,
    /// A line of it.
    pub preview: String,
}

/// Finds words in the files of a folder by a context pack, which this crate does not know; the best first. Nothing, where
/// there can be no pack.
pub type Finder = Arc<dyn Fn(PathBuf, String) -> BoxFuture<'static, Option<Vec<NoteHit>>> + Send + Sync>;

/// Finds words in notes, the best first. Without a finder, and where that finds nothing, the notes are read through: they
/// are few and short, and a pack leaves out what git ignores.
pub async fn find(
    notes: &Notes,
    scope: Scope,
    query: &str,
    finder: Option<&Finder>,
) -> io::Result<Vec<NoteHit>> {
    let names = notes.names(scope)?;
    let Some(folder) = notes.folder(scope).filter(|_| !names.is_empty()) else { return Ok(Vec::new()) };
    let packed = match finder {
        Some(finder) => finder(folder, query.to_owned()).await.unwrap_or_default(),
        None => Vec::new(),
    };
    let mut hits: Vec<NoteHit> = packed.into_iter().filter(|hit| names.contains(&hit.name)).collect();
    if hits.is_empty() {
        hits = read_through(notes, scope, &names, query);
    }
    hits.truncate(HITS_MAX);
    Ok(hits)
}

/// Finds the notes with the most of these words.
fn read_through(notes: &Notes, scope: Scope, names: &[String], query: &str) -> Vec<NoteHit> {
    let words: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let count = |text: &str| {
        let text = text.to_lowercase();
        words.iter().filter(|word| text.contains(word.as_str())).count()
    };
    let mut found: Vec<(usize, NoteHit)> = Vec::new();
    for name in names {
        // What cannot be read says nothing.
        let Ok(Some(note)) = notes.read(scope, name) else { continue };
        let of_all = count(&format!("{name} {}", note.text));
        let lines = note.text.lines().enumerate();
        // Of two lines the first one counts.
        let best = lines.max_by_key(|(at, line)| (count(line), std::cmp::Reverse(*at)));
        let (at, line) = best.unwrap_or_default();
        if of_all > 0 {
            let line_number = at as u64 + 1;
            let preview = line.trim().chars().take(PREVIEW_CHARS).collect();
            let hit =
                NoteHit { name: name.clone(), first_line: line_number, last_line: line_number, preview };
            found.push((of_all, hit));
        }
    }
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    found.into_iter().map(|(_, hit)| hit).collect()
}
