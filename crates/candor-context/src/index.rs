//! The index of a pack: its chunks by their words, in a database that can be thrown away.

use std::collections::HashSet;
use std::io::ErrorKind;

use candor_store::{Passage, Passages};

use crate::lock::Lock;
use crate::pack::{Chunk, Pack};
use crate::section::names;
use crate::source::{Content, Folder};
use crate::{Error, Options, Segment};

/// How many bytes of text are put into the index at once.
const BATCH_BYTES: usize = 4 << 20;

/// What a sync changed.
pub(crate) struct Delta<'d> {
    /// What tells the pack from others that the sync began with.
    pub(crate) from: Option<String>,
    pub(crate) changed: &'d HashSet<String>,
    pub(crate) removed: &'d [String],
}

/// Makes the index that of the pack, which was just written, and under the same lock.
pub(crate) async fn update(segment: &Segment, pack: &Pack, delta: &Delta<'_>) -> Result<(), Error> {
    let mark = Pack::peek(segment)?.unwrap_or_else(|| pack.digest.clone());
    let Ok(mut passages) = Passages::open(&segment.index_path()).await else {
        return anew(segment, pack, &mark).await;
    };
    let found = passages.mark().await;
    let done = match &found {
        Ok(Some(found)) if *found == mark => Ok(()),
        Ok(Some(found)) if Some(found) == delta.from.as_ref() => {
            let gone = delta.removed.iter().chain(delta.changed).map(String::as_str);
            let gone: Vec<&str> = gone.collect();
            let added = |chunk: &&Chunk| delta.changed.contains(&chunk.source_path);
            fill(&mut passages, segment, Some(&gone), pack.chunks.iter().filter(added), &mark).await
        }
        Ok(_) => fill(&mut passages, segment, None, pack.chunks.iter(), &mark).await,
        Err(error) => Err(error.clone().into()),
    };
    passages.close().await;
    match done {
        Err(Error::Index(_)) => anew(segment, pack, &mark).await,
        done => done,
    }
}

/// Throws the index away and fills another.
async fn anew(segment: &Segment, pack: &Pack, mark: &str) -> Result<(), Error> {
    let path = segment.index_path();
    match Passages::remove(&path) {
        // Whatever it is, it is not ours to remove.
        Err(source) if source.kind() != ErrorKind::NotFound => return Err(Error::Io { path, source }),
        _ => {}
    }
    let mut passages = Passages::open(&path).await?;
    let filled = fill(&mut passages, segment, None, pack.chunks.iter(), mark).await;
    passages.close().await;
    filled
}

/// The index of the pack that is there: as it is found, or filled anew, or in memory where none can be written.
pub(crate) async fn open(segment: &Segment, options: &Options) -> Result<Passages, Error> {
    if let Some(passages) = fitting(segment).await? {
        return Ok(passages);
    }
    // A pack that is damaged is said before anyone is waited for.
    let (_, pack) = segment.packed()?;
    if let Ok(passages) = refilled(segment, options).await {
        return Ok(passages);
    }
    let mut passages = Passages::in_memory().await?;
    fill(&mut passages, segment, None, pack.chunks.iter(), &pack.digest).await?;
    Ok(passages)
}

/// The index, if it is that of the pack. One of a pack that we did not write in this form is refilled every time.
async fn fitting(segment: &Segment) -> Result<Option<Passages>, Error> {
    let Some(mark) = Pack::peek(segment)?.filter(|_| segment.index_path().is_file()) else { return Ok(None) };
    let Ok(mut passages) = Passages::open(&segment.index_path()).await else { return Ok(None) };
    if matches!(passages.mark().await, Ok(Some(found)) if found == mark) {
        return Ok(Some(passages));
    }
    passages.close().await;
    Ok(None)
}

/// The index, made to fit; another process may have done so while it was waited for.
async fn refilled(segment: &Segment, options: &Options) -> Result<Passages, Error> {
    let _lock = Lock::take(segment, options).await?;
    let (_, pack) = segment.packed()?;
    update(segment, &pack, &Delta { from: None, changed: &HashSet::new(), removed: &[] }).await?;
    Ok(Passages::open(&segment.index_path()).await?)
}

/// Takes out what is gone, or everything, and puts chunks in. Their texts are read from the files.
async fn fill<'c>(
    passages: &mut Passages,
    segment: &Segment,
    gone: Option<&[&str]>,
    chunks: impl Iterator<Item = &'c Chunk>,
    mark: &str,
) -> Result<(), Error> {
    let folder = Folder::open(segment.root()).map_err(Error::io(segment.root()))?;
    let mut filling = passages.fill().await?;
    match gone {
        None => filling.clear().await?,
        Some(paths) => {
            for path in paths {
                filling.remove(path).await?;
            }
        }
    }
    let mut batch: Vec<Passage> = Vec::new();
    let mut bytes = 0;
    let mut file = (String::new(), String::new());
    for chunk in chunks {
        if file.0 != chunk.source_path {
            file = (chunk.source_path.clone(), text_of(&folder, &chunk.source_path));
        }
        // A text that has changed meanwhile is found by its title, and said to be out of date.
        let text = chunk.text_in(&file.1).unwrap_or_default();
        bytes += text.len();
        batch.push(passage(chunk, text));
        if bytes > BATCH_BYTES {
            filling.add(&batch).await?;
            batch.clear();
            bytes = 0;
        }
    }
    filling.add(&batch).await?;
    Ok(filling.finish(mark).await?)
}

fn text_of(folder: &Folder, path: &str) -> String {
    match folder.read(path) {
        Ok(Content::Text(text)) => text,
        _ => String::new(),
    }
}

fn passage(chunk: &Chunk, text: &str) -> Passage {
    Passage {
        path: chunk.source_path.clone(),
        title: chunk.title_path.join(" "),
        names: names(&chunk.source_path, text).join(" "),
        text: text.to_owned(),
        // A chunk is always JSON.
        about: serde_json::to_string(chunk).unwrap_or_default(),
    }
}
