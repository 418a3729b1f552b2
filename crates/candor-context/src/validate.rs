//! Looks whether a pack can be relied on: its form, every hash, its index.

use candor_store::Passages;
use serde::Serialize;

use crate::drift::Look;
use crate::pack::Pack;
use crate::source::{Content, Folder};
use crate::{Drift, Error, Options, Segment};

/// A pack that was found in order.
#[derive(Debug, Clone, Serialize)]
pub struct Validated {
    /// The segment's id.
    pub segment: String,
    /// How many files were read and hashed.
    pub files: u64,
    /// How many chunks were.
    pub chunks: u64,
    /// The pack's digest.
    pub digest: String,
}

/// Looks whether the pack can be relied on. All files are read.
pub async fn validate(segment: &Segment, options: &Options) -> Result<Validated, Error> {
    let (opened, pack) = segment.packed()?;
    if pack.chunks.is_empty() {
        return Err(Error::PackEmpty { path: segment.root().to_owned() });
    }
    let drift = Drift::of(segment, (&opened.config, &pack), Look::Whole, options)?;
    if !drift.is_none() {
        return Err(Error::PackStale { path: segment.root().to_owned(), reason: drift.reason() });
    }
    check_chunks(segment, &pack)?;
    check_index(segment, &pack).await?;
    Ok(Validated {
        segment: pack.segment,
        files: pack.source_files.len() as u64,
        chunks: pack.chunks.len() as u64,
        digest: pack.digest,
    })
}

/// The files are what was packed; so must be the parts of them that chunks name.
fn check_chunks(segment: &Segment, pack: &Pack) -> Result<(), Error> {
    let folder = Folder::open(segment.root()).map_err(Error::io(segment.root()))?;
    let mut file = ("", String::new());
    for chunk in &pack.chunks {
        if file.0 != chunk.source_path {
            let text = match folder.read(&chunk.source_path) {
                Ok(Content::Text(text)) => text,
                _ => String::new(),
            };
            file = (&chunk.source_path, text);
        }
        if chunk.text_in(&file.1).is_none() {
            let reason = format!("{} is not where it says in {}", chunk.id, chunk.source_path);
            return Err(Error::PackDamaged { path: segment.root().to_owned(), reason });
        }
    }
    Ok(())
}

async fn check_index(segment: &Segment, pack: &Pack) -> Result<(), Error> {
    let damaged = |reason: String| Error::PackDamaged { path: segment.root().to_owned(), reason };
    let path = segment.index_path();
    if !path.exists() {
        return Err(damaged("its index is missing".to_owned()));
    }
    let checked = async {
        let mut passages = Passages::open(&path).await?;
        passages.check().await?;
        let found = (passages.mark().await?, passages.count().await?);
        passages.close().await;
        Ok(found)
    };
    let (mark, count) =
        checked.await.map_err(|error: candor_store::Error| damaged(format!("its index: {error}")))?;
    if mark != Pack::peek(segment)? || count != pack.chunks.len() as u64 {
        return Err(damaged("its index was made from another pack".to_owned()));
    }
    Ok(())
}
