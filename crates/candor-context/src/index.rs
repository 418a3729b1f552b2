//! The index of a pack: its chunks by their words, in a database that can be thrown away.

use std::collections::HashSet;
use std::io::ErrorKind;

use candor_store::{PASSAGES_AT_ONCE, Passage, Passages, Prepared};

use crate::lock::Lock;
use crate::pack::{Chunk, Pack};
use crate::section::names;
use crate::source::{Content, Folder};
use crate::{Error, Options, Segment};

/// How many bytes of text are put into the index at once; as many are made meanwhile.
const BATCH_BYTES: usize = 8 << 20;

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
    if !segment.index_path().exists() {
        return anew(segment, pack, &mark).await;
    }
    let Ok(mut passages) = Passages::open(&segment.index_path()).await else {
        return anew(segment, pack, &mark).await;
    };
    let found = passages.mark().await;
    if matches!(found, Ok(None)) {
        // Whoever made it was cut off, at any point.
        passages.close().await;
        return anew(segment, pack, &mark).await;
    }
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
    let mut passages = Passages::create(&path).await?;
    let filled = fill(&mut passages, segment, None, pack.chunks.iter(), mark).await;
    passages.close().await;
    if filled.is_err() {
        // Half of it is of no use. If it cannot be removed, it has no mark.
        let _ = Passages::remove(&path);
    }
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
    let mut batches = Batches { folder: &folder, chunks, file: Default::default() };
    let mut ready = batches.next();
    while let Some(batch) = ready {
        // The next one is made while the database, on a thread of its own, takes this one.
        let (added, next) = tokio::join!(filling.add(batch), async { batches.next() });
        added?;
        ready = next;
    }
    Ok(filling.finish(mark).await?)
}

/// The passages of chunks, so many at a time as the index takes at once.
struct Batches<'f, I> {
    folder: &'f Folder,
    chunks: I,
    /// The file that was read last, and its text.
    file: (String, String),
}

impl<'c, I: Iterator<Item = &'c Chunk>> Iterator for Batches<'_, I> {
    type Item = Vec<Prepared>;

    fn next(&mut self) -> Option<Vec<Prepared>> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < PASSAGES_AT_ONCE && bytes < BATCH_BYTES {
            let Some(chunk) = self.chunks.next() else { break };
            if self.file.0 != chunk.source_path {
                self.file = (chunk.source_path.clone(), text_of(self.folder, &chunk.source_path));
            }
            // A text that has changed meanwhile is found by its title, and said to be out of date.
            let text = chunk.text_in(&self.file.1).unwrap_or_default();
            bytes += text.len();
            batch.push(passage(chunk, text).prepare());
        }
        (!batch.is_empty()).then_some(batch)
    }
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
