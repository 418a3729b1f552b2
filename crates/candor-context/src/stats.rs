//! What is in a pack, and how old it is.

use std::collections::BTreeMap;

use candor_protocol::Moment;
use serde::Serialize;

use crate::drift::Look;
use crate::{Drift, Error, Kind, Options, Segment};

/// What is in a pack.
#[derive(Debug, Clone, Serialize)]
pub struct Stats {
    /// The segment's id.
    pub segment: String,
    /// Its folder.
    pub path: String,
    /// When its files were looked at.
    pub created_at: Moment,
    /// How long ago that is.
    pub age_seconds: u64,
    /// How many files are packed.
    pub files: u64,
    /// How many chunks they have.
    pub chunks: u64,
    /// About how many tokens they are.
    pub tokens: u64,
    /// How tokens are counted.
    pub token_estimate: String,
    /// The same for each kind.
    pub kinds: BTreeMap<Kind, KindStats>,
    /// How many files are not what they were.
    pub stale: u64,
    /// Which.
    pub drift: Drift,
    /// Whether the segment was initialized in another folder; it keeps its id.
    pub moved: bool,
}

/// What a pack has of one kind.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct KindStats {
    /// How many chunks.
    pub chunks: u64,
    /// About how many tokens.
    pub tokens: u64,
}

/// Tells what is in the pack, and how far the files have gone from it.
pub fn stats(segment: &Segment, options: &Options) -> Result<Stats, Error> {
    let (opened, pack) = segment.packed()?;
    let drift = Drift::of(segment, (&opened.config, &pack), Look::Cheap, options)?;
    let mut kinds: BTreeMap<Kind, KindStats> = BTreeMap::new();
    for chunk in &pack.chunks {
        let kind = kinds.entry(chunk.kind).or_default();
        kind.chunks += 1;
        kind.tokens += chunk.tokens;
    }
    let age = Moment::now().as_millis().saturating_sub(pack.created_at.as_millis());
    Ok(Stats {
        path: segment.shown().to_owned(),
        created_at: pack.created_at,
        age_seconds: u64::try_from(age / 1000).unwrap_or(0),
        files: pack.source_files.len() as u64,
        chunks: pack.chunks.len() as u64,
        tokens: kinds.values().map(|kind| kind.tokens).sum(),
        token_estimate: pack.token_estimate,
        kinds,
        stale: drift.count() as u64,
        drift,
        moved: opened.config.segment != segment.own_id(),
        segment: opened.config.segment,
    })
}
