//! Makes the pack what the files are.

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};

use candor_protocol::Moment;
use serde::Serialize;

use crate::hash::sha256;
use crate::left_out::Why;
use crate::lock::Lock;
use crate::pack::{Chunk, Pack, SCHEMA_VERSION, SourceFile, id};
use crate::section::sections;
use crate::source::{Content, Folder};
use crate::walk::{Source, walk};
use crate::{Error, Kind, LeftOut, Options, Segment, atomic, index, tokens};

/// More threads wait for the disk, not for each other.
const THREADS_MAX: usize = 8;

/// A file that was changed so shortly before it was packed may have been changed again without another time.
const SAME_TIME_NS: i64 = 20_000_000;

/// What a sync did.
#[derive(Debug, Clone, Serialize)]
pub struct Synced {
    /// The segment's id.
    pub segment: String,
    /// How many files are packed.
    pub files: u64,
    /// How many chunks they have.
    pub chunks: u64,
    /// About how many tokens they are.
    pub tokens: u64,
    /// The files that were new or had changed.
    pub changed: u64,
    /// The files that are gone.
    pub removed: u64,
    /// What was not packed.
    pub left_out: LeftOut,
    /// The digest of the pack.
    pub digest: String,
    /// Whether the segment was initialized in another folder; it keeps its id.
    pub moved: bool,
    /// Why there was no pack to begin with, where one was there.
    pub repaired: Option<String>,
}

/// A packed file and its chunks.
pub(crate) struct Packed {
    pub(crate) file: SourceFile,
    pub(crate) chunks: Vec<Chunk>,
}

/// Packs the segment. Only what has changed is read; when nothing has, nothing is written.
pub async fn sync(segment: &Segment, options: &Options) -> Result<Synced, Error> {
    segment.open()?;
    let _lock = Lock::take(segment, options).await?;
    // Again, under the lock.
    let config = segment.open()?.config;
    atomic::remove_left_over(&segment.ctx());
    let created_at = Moment::now();
    let (old, repaired) = match Pack::read(segment) {
        Ok(old) => (old, None),
        Err(Error::PackDamaged { reason, .. }) => (None, Some(reason)),
        Err(error) => return Err(error),
    };
    let old_mark = old.as_ref().and_then(|_| Pack::peek(segment).ok().flatten());
    let mut walked = walk(segment, &config, options)?;
    let mut news = compare(old, walked.sources);
    let fresh = read(segment, &news.doubtful, &mut walked.left_out)?;
    let is_same = news.doubtful.is_empty() && news.removed.is_empty() && old_mark.is_some();
    let mut changed = HashSet::new();
    for Packed { file, .. } in &fresh {
        if news.before.remove(&file.path).as_ref() != Some(&file.sha256) {
            changed.insert(file.path.clone());
        }
    }
    // What was packed and is no text any more is as good as gone.
    news.removed.extend(news.before.into_keys());
    let mut packed = news.kept;
    packed.extend(fresh);
    packed.sort_by(|one, two| one.file.path.cmp(&two.file.path));
    let pack = assemble(packed, config.segment.clone(), created_at);
    if pack.chunks.is_empty() {
        return Err(Error::PackEmpty { path: segment.root().to_owned() });
    }
    if !is_same {
        pack.write(segment)?;
    }
    let delta = index::Delta { from: old_mark, changed: &changed, removed: &news.removed };
    index::update(segment, &pack, &delta).await?;
    Ok(Synced {
        files: pack.source_files.len() as u64,
        chunks: pack.chunks.len() as u64,
        tokens: pack.chunks.iter().map(|chunk| chunk.tokens).sum(),
        changed: changed.len() as u64,
        removed: news.removed.len() as u64,
        left_out: walked.left_out,
        digest: pack.digest,
        moved: config.segment != segment.own_id(),
        segment: config.segment,
        repaired,
    })
}

/// What a walk found, held against the pack.
struct News {
    kept: Vec<Packed>,
    /// What has to be read to see whether it has changed.
    doubtful: Vec<Source>,
    /// What the doubtful ones hashed to, where they were packed.
    before: HashMap<String, String>,
    /// What was packed and is not there any more.
    removed: Vec<String>,
}

fn compare(old: Option<Pack>, sources: Vec<Source>) -> News {
    let mut news =
        News { kept: Vec::new(), doubtful: Vec::new(), before: HashMap::new(), removed: Vec::new() };
    let mut known = by_file(old);
    for source in sources {
        match known.remove(&source.path) {
            Some((packed, is_sure)) if is_sure && is_unchanged(&packed.file, &source) => {
                news.kept.push(packed);
            }
            known => {
                news.before.extend(known.map(|(packed, _)| (packed.file.path, packed.file.sha256)));
                news.doubtful.push(source);
            }
        }
    }
    news.removed = known.into_keys().collect();
    news
}

/// The files of a pack, each with its chunks, and whether their times can be relied on.
fn by_file(old: Option<Pack>) -> HashMap<String, (Packed, bool)> {
    let Some(old) = old else { return HashMap::new() };
    let packed_ns = old.created_at.as_millis().saturating_mul(1_000_000);
    let mut known: HashMap<String, (Packed, bool)> = old
        .source_files
        .into_iter()
        .map(|file| {
            let is_sure = file.mtime_ns.saturating_add(SAME_TIME_NS) < packed_ns;
            (file.path.clone(), (Packed { file, chunks: Vec::new() }, is_sure))
        })
        .collect();
    for chunk in old.chunks {
        if let Some((packed, _)) = known.get_mut(&chunk.source_path) {
            packed.chunks.push(chunk);
        }
    }
    known
}

fn is_unchanged(file: &SourceFile, source: &Source) -> bool {
    file.size == source.size && file.mtime_ns == source.mtime_ns
}

/// Whether a packed file is still what it was, by its length and time; the time only counts if it is long enough ago.
pub(crate) fn looks_unchanged(pack: &Pack, file: &SourceFile, source: &Source) -> bool {
    let packed_ns = pack.created_at.as_millis().saturating_mul(1_000_000);
    file.mtime_ns.saturating_add(SAME_TIME_NS) < packed_ns && is_unchanged(file, source)
}

/// Reads files and cuts them, several at a time. Those that are no text are noted.
pub(crate) fn read(
    segment: &Segment,
    sources: &[Source],
    left_out: &mut LeftOut,
) -> Result<Vec<Packed>, Error> {
    let folder = Folder::open(segment.root()).map_err(Error::io(segment.root()))?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut packed = Vec::new();
        let mut left_out = LeftOut::default();
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            match read_one(&folder, source) {
                Ok(one) => packed.push(one),
                Err(Some(why)) => left_out.note(why, &source.path),
                Err(None) => {}
            }
        }
        (packed, left_out)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let threads = threads.min(sources.len().div_ceil(THREADS_MAX)).max(1);
    let mut all = Vec::with_capacity(sources.len());
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        // A thread that panics takes this one with it, as if it had done the work itself.
        let others = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        for (packed, noted) in std::iter::once(own).chain(others) {
            all.extend(packed);
            left_out.join(noted);
        }
    });
    Ok(all)
}

/// Reads a file and cuts it; or why it is not packed, unless it is gone.
fn read_one(folder: &Folder, source: &Source) -> Result<Packed, Option<Why>> {
    let text = match folder.read(&source.path) {
        Ok(Content::Text(text)) => text,
        Ok(Content::Binary) => return Err(Some(Why::Binary)),
        Ok(Content::TooLarge) => return Err(Some(Why::TooLarge)),
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(None),
        Err(_) => return Err(Some(Why::Unreadable)),
    };
    let Source { path, mtime_ns, .. } = source.clone();
    let chunks = chunks(&path, &text);
    let file = SourceFile { sha256: sha256(text.as_bytes()), size: text.len() as u64, mtime_ns, path };
    Ok(Packed { file, chunks })
}

/// The chunks of a file. Their ids are those that they have unless another file takes them.
fn chunks(path: &str, text: &str) -> Vec<Chunk> {
    let kind = Kind::of(path);
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut line = 1;
    let mut chunks = Vec::new();
    for section in sections(path, text) {
        let part = &text[section.range.clone()];
        let hash = sha256(part.as_bytes());
        let nth = seen.entry(hash.clone()).or_default();
        let breaks = part.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let last_line = if part.ends_with('\n') { line + breaks - 1 } else { line + breaks };
        chunks.push(Chunk {
            id: id(kind, path, &hash, *nth),
            kind,
            title_path: section.title_path,
            source_path: path.to_owned(),
            first_line: line,
            last_line,
            start: section.range.start as u64,
            end: section.range.end as u64,
            chars: part.chars().count() as u64,
            tokens: tokens::estimate(part),
            sha256: hash,
        });
        *nth += 1;
        line += breaks;
    }
    chunks
}

fn assemble(packed: Vec<Packed>, segment: String, created_at: Moment) -> Pack {
    let mut source_files = Vec::with_capacity(packed.len());
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut ids: HashSet<String> = HashSet::new();
    for Packed { file, chunks: own } in packed {
        source_files.push(file);
        for mut chunk in own {
            let mut nth = usize::MAX;
            // Ten digits are few enough that two of a hundred thousand chunks may share them.
            while !ids.insert(chunk.id.clone()) {
                chunk.id = id(chunk.kind, &chunk.source_path, &chunk.sha256, nth);
                nth -= 1;
            }
            chunks.push(chunk);
        }
    }
    let digest = Pack::digest_of(&source_files, &chunks);
    let token_estimate = tokens::ESTIMATE.to_owned();
    Pack { schema_version: SCHEMA_VERSION, segment, created_at, digest, token_estimate, source_files, chunks }
}
