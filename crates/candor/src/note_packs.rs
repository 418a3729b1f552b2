//! Finds words in a folder of notes by a context pack of its own, in the folder's `_ctx`.
//!
//! It is here because `candor-tools` does not know packs, and `candor-context` does not know notes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use candor_context::{Error, Hit, Options, Segment};
use candor_tools::notes::{Finder, NoteHit};

/// How many sections are asked for: some may be of files that are no notes.
const SECTIONS_MAX: u32 = 30;
/// How long another process is waited for that packs the same notes; after that they are read through.
const LOCK_WAIT: Duration = Duration::from_secs(2);
const ENDING: &str = ".md";

/// What finds words in notes.
pub(crate) fn finder() -> Finder {
    Arc::new(|folder, query| Box::pin(async move { found(&folder, &query).await.ok() }))
}

/// Packs what has changed since the last time, and looks.
async fn found(folder: &Path, query: &str) -> Result<Vec<NoteHit>, Error> {
    let segment = Segment::locate(folder)?;
    let options = Options { lock_wait: LOCK_WAIT, ..Options::default() };
    candor_context::create(&segment, &options).await?;
    candor_context::sync(&segment, &options).await?;
    let found = candor_context::search(&segment, query, SECTIONS_MAX, &options).await?;
    Ok(found.hits.into_iter().filter(|hit| !hit.stale).filter_map(note).collect())
}

fn note(hit: Hit) -> Option<NoteHit> {
    let name = hit.chunk.source_path.strip_suffix(ENDING)?.to_owned();
    let (first_line, last_line) = (hit.chunk.first_line, hit.chunk.last_line);
    Some(NoteHit { name, first_line, last_line, preview: hit.preview })
}
