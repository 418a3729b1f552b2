//! Reads chunks, within a budget.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::pack::{Chunk, Pack};
use crate::report::{Report, StopReason};
use crate::source::{Content, Folder};
use crate::{Error, Options, Segment, evidence, skeleton, tokens};

/// How many ids are named that are near to one that is not there.
const NEAREST_MAX: usize = 3;

/// No id is longer.
const ID_BYTES_MAX: usize = 32;

/// How much of a chunk is returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The first lines that are not blank.
    #[default]
    Excerpt,
    /// All of it.
    Raw,
    /// Headings, or what is defined.
    Skeleton,
}

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The ids of chunks, in the order in which they are wanted.
    pub ids: Vec<String>,
    /// How much of each.
    pub mode: Mode,
    /// About how many tokens all of them may have. The first is returned whatever it has.
    pub budget: u64,
    /// How many chunks at most.
    pub max_chunks: Option<u64>,
    /// Whether to stop when what is asked for has been found.
    pub stop_on_evidence: bool,
    /// What is asked for.
    pub query: Option<String>,
}

/// A chunk that was returned.
#[derive(Debug, Clone, Serialize)]
pub struct Returned {
    /// Which.
    #[serde(flatten)]
    pub chunk: Chunk,
    /// Its text, or as much of it as was wanted.
    pub text: String,
    /// How many lines of it were not wanted.
    pub lines_left_out: u64,
}

/// What was returned.
#[derive(Debug, Clone, Serialize)]
pub struct Got {
    /// The chunks, in the order in which they were wanted.
    pub chunks: Vec<Returned>,
    /// What became of it.
    pub report: Report,
}

impl Wanted {
    /// These ids, each once, with nothing that is not a part of one.
    fn ids(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let parts = self.ids.iter().flat_map(|ids| ids.split(',')).map(str::trim);
        parts.filter(|id| !id.is_empty() && seen.insert(*id)).collect()
    }

    /// How many different chunks are wanted.
    pub fn count(&self) -> u64 {
        self.ids().len() as u64
    }
}

/// Reads chunks, all that fit or none. `mask` is what becomes of a text before it is counted and returned.
pub fn get(
    segment: &Segment,
    wanted: &Wanted,
    options: &Options,
    mask: &dyn Fn(&str) -> String,
) -> Result<Got, Error> {
    let (_, pack) = segment.packed()?;
    let chunks = find(segment, &pack, wanted, options)?;
    let folder = Folder::open(segment.root()).map_err(Error::io(segment.root()))?;
    let mut taken = Taken::default();
    let mut stop = StopReason::Complete;
    for chunk in &chunks {
        let file = folder.read(&chunk.source_path);
        let text = match &file {
            Ok(Content::Text(file)) => chunk.text_in(file),
            _ => None,
        };
        let Some(text) = text else {
            let reason = format!("{} is no longer in {} as it was packed.", chunk.id, chunk.source_path);
            return Err(Error::PackStale { path: segment.root().to_owned(), reason });
        };
        let (shown, lines_left_out) = match wanted.mode {
            Mode::Excerpt => skeleton::excerpt(text),
            Mode::Raw => (text.to_owned(), 0),
            Mode::Skeleton => skeleton::skeleton(chunk.kind, text),
        };
        let shown = mask(&shown);
        if let Some(reason) = taken.refuses(&shown, wanted) {
            stop = reason;
            break;
        }
        taken
            .take(Returned { chunk: (*chunk).clone(), text: shown, lines_left_out }, wanted.query.as_deref());
        if wanted.stop_on_evidence && taken.strong_hit && taken.support {
            stop = StopReason::Evidence;
            break;
        }
    }
    Ok(taken.got(stop, chunks.len() as u64))
}

/// What has been taken so far.
#[derive(Default)]
struct Taken {
    chunks: Vec<Returned>,
    tokens: u64,
    chars: u64,
    strong_hit: bool,
    support: bool,
}

impl Taken {
    /// Why this text is not taken besides. The first is taken whatever its length, so that something is returned, but not
    /// where none is wanted.
    fn refuses(&self, text: &str, wanted: &Wanted) -> Option<StopReason> {
        let over = self.tokens.saturating_add(tokens::estimate(text)) > wanted.budget;
        if over && !self.chunks.is_empty() {
            return Some(StopReason::Budget);
        }
        let is_full = wanted.max_chunks.is_some_and(|most| self.chunks.len() as u64 >= most);
        is_full.then_some(StopReason::MaxChunks)
    }

    fn take(&mut self, returned: Returned, query: Option<&str>) {
        self.tokens = self.tokens.saturating_add(tokens::estimate(&returned.text));
        self.chars += returned.text.chars().count() as u64;
        if let Some(query) = query {
            self.strong_hit |= evidence::is_strong(&returned.chunk, query);
            self.support |= evidence::supports(&returned.text, query);
        }
        self.chunks.push(returned);
    }

    fn got(self, stop_reason: StopReason, chunks_requested: u64) -> Got {
        let report = Report {
            stop_reason,
            chunks_returned: self.chunks.len() as u64,
            chunks_requested,
            chars_returned_total: self.chars,
            strong_hit: self.strong_hit,
            support: self.support,
        };
        Got { chunks: self.chunks, report }
    }
}

/// The chunks that are wanted; if one is not there, none.
fn find<'p>(
    segment: &Segment,
    pack: &'p Pack,
    wanted: &Wanted,
    options: &Options,
) -> Result<Vec<&'p Chunk>, Error> {
    let places = options.places();
    let known: HashMap<&str, &Chunk> = pack
        .chunks
        .iter()
        .filter(|chunk| !places.hide(&segment.root().join(&chunk.source_path)))
        .map(|chunk| (chunk.id.as_str(), chunk))
        .collect();
    let ids = wanted.ids();
    let (found, unknown): (Vec<&str>, Vec<&str>) = ids.iter().partition(|id| known.contains_key(**id));
    let Some(first) = unknown.first() else {
        return Ok(found.iter().filter_map(|id| known.get(id).copied()).collect());
    };
    // Something to search for that says what was meant.
    let kind = first.split(':').next().filter(|kind| !kind.is_empty()).unwrap_or("prime");
    let query =
        wanted.query.clone().filter(|query| !query.trim().is_empty()).unwrap_or_else(|| kind.to_owned());
    Err(Error::UnknownIds {
        path: segment.root().to_owned(),
        nearest: nearest(first, known.keys().copied()),
        ids: unknown.into_iter().map(str::to_owned).collect(),
        query,
    })
}

/// The ids that are spelt most like one. What is longer than any id is compared by its beginning.
fn nearest<'i>(id: &str, known: impl Iterator<Item = &'i str>) -> Vec<String> {
    let id = &id[..id.floor_char_boundary(ID_BYTES_MAX)];
    let mut near: Vec<(usize, &str)> = known.map(|other| (strsim::levenshtein(id, other), other)).collect();
    near.sort_unstable();
    near.into_iter().take(NEAREST_MAX).map(|(_, other)| other.to_owned()).collect()
}
