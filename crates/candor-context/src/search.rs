//! Finds chunks by words.

use serde::Serialize;

use crate::drift::Look;
use crate::pack::Chunk;
use crate::source::{Content, Folder};
use crate::{Drift, Error, Options, Segment, index};

/// How much of a chunk is shown.
const PREVIEW_CHARS: usize = 120;

/// A chunk that was found.
#[derive(Debug, Clone, Serialize)]
pub struct Hit {
    /// Which.
    #[serde(flatten)]
    pub chunk: Chunk,
    /// How well it fits; more is better.
    pub score: f64,
    /// A line of it, as it is in the file now.
    pub preview: String,
    /// Whether its file has changed so that it is no longer there.
    pub stale: bool,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// The best first.
    pub hits: Vec<Hit>,
    /// What a person should know about the pack.
    pub warning: Option<String>,
}

/// Finds the chunks that fit best, the best first.
pub async fn search(segment: &Segment, query: &str, limit: u32, options: &Options) -> Result<Found, Error> {
    let config = segment.open()?.config;
    let mut passages = index::open(segment, options).await?;
    let found = passages.search(query, limit).await;
    passages.close().await;
    let folder = Folder::open(segment.root()).map_err(Error::io(segment.root()))?;
    let places = options.places();
    let mut hits = Vec::new();
    for found in found? {
        let chunk: Chunk = serde_json::from_str(&found.about).map_err(|error| Error::PackDamaged {
            path: segment.root().to_owned(),
            reason: format!("its index: {error}"),
        })?;
        if places.hide(&segment.root().join(&chunk.source_path)) {
            continue;
        }
        let text = match folder.read(&chunk.source_path) {
            Ok(Content::Text(file)) => chunk.text_in(&file).map(str::to_owned),
            _ => None,
        };
        let preview = text.as_deref().map(|text| preview(text, query)).unwrap_or_default();
        hits.push(Hit {
            stale: text.is_none(),
            score: (found.score * 100.0).round() / 100.0,
            preview,
            chunk,
        });
    }
    let stale = hits.iter().filter(|hit| hit.stale).count();
    let warning = if hits.is_empty() {
        // Perhaps it is in a file that came later.
        let (_, pack) = segment.packed()?;
        let drift = Drift::of(segment, (&config, &pack), Look::Cheap, options)?;
        (!drift.is_none()).then(|| format!("the pack is out of date ({})", drift.reason()))
    } else {
        (stale > 0).then(|| format!("{stale} of {} are no longer as they were packed", hits.len()))
    };
    Ok(Found { hits, warning })
}

/// The first line that has a word of the question, or else the first.
fn preview(text: &str, query: &str) -> String {
    let words: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2)
        .map(str::to_lowercase)
        .collect();
    let has = |line: &&str| {
        let line = line.to_lowercase();
        words.iter().any(|word| line.contains(word))
    };
    let lines = || text.lines().filter(|line| line.contains(char::is_alphanumeric));
    let line = lines().find(has).or_else(|| lines().next()).unwrap_or_default();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(PREVIEW_CHARS).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
