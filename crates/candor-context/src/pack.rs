//! The pack: which chunks there are, where their text is, and what it hashes to.

use std::collections::HashSet;
use std::io::{self, ErrorKind, Read, Write};

use candor_protocol::Moment;
use serde::{Deserialize, Serialize};

use crate::hash::sha256_of;
use crate::{Error, Kind, Segment, atomic, source};

/// The version of the pack that this program writes and reads.
pub const SCHEMA_VERSION: u32 = 1;

/// No pack of ours is as large: that of a hundred thousand files has a few hundred megabytes.
const BYTES_MAX: u64 = 1 << 30;

/// What is read to find the digest of a pack without reading all of it; it stands at the head.
const HEAD_BYTES: u64 = 1024;

/// How many hexadecimal digits an id has after its kind.
const ID_DIGITS: usize = 10;

/// What a segment's files were when it was last synced.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Pack {
    /// Which version of this file it is.
    pub schema_version: u32,
    /// The segment's id.
    pub segment: String,
    /// When the files were looked at.
    pub created_at: Moment,
    /// Hashes all that follows but the times: the same files make the same digest.
    pub digest: String,
    /// How tokens are counted.
    pub token_estimate: String,
    /// The files, in the order of their paths.
    pub source_files: Vec<SourceFile>,
    /// The chunks, in the order of the files and in that within each.
    pub chunks: Vec<Chunk>,
}

/// A packed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// From the segment's folder.
    pub path: String,
    /// What its bytes hash to.
    pub sha256: String,
    /// When it was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its length in bytes.
    pub size: u64,
}

/// A section of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Its kind and ten digits. It stays while the text and its file do, wherever in the file it is.
    pub id: String,
    /// What kind of thing it is from.
    pub kind: Kind,
    /// What it is called, from the outermost heading to its own.
    pub title_path: Vec<String>,
    /// The file.
    pub source_path: String,
    /// Its first line, counted from one.
    pub first_line: u64,
    /// Its last line.
    pub last_line: u64,
    /// Where it begins, in bytes.
    pub start: u64,
    /// Where it ends, in bytes.
    pub end: u64,
    /// Its length in characters.
    pub chars: u64,
    /// About its length in tokens.
    pub tokens: u64,
    /// What its bytes hash to.
    pub sha256: String,
}

impl Chunk {
    /// Its title in one line.
    pub fn title(&self) -> String {
        self.title_path.join(" > ")
    }

    /// Its text in that of its file, if it is still there.
    pub(crate) fn text_in<'t>(&self, file: &'t str) -> Option<&'t str> {
        let range = usize::try_from(self.start).ok()?..usize::try_from(self.end).ok()?;
        file.get(range).filter(|text| crate::hash::sha256(text.as_bytes()) == self.sha256)
    }
}

/// An id: of the same text in the same file, the same every time. `nth` tells equal sections of a file apart.
pub(crate) fn id(kind: Kind, path: &str, sha256: &str, nth: usize) -> String {
    let hash = sha256_of([kind.as_str(), path, sha256, nth.to_string().as_str()]);
    format!("{kind}:{}", &hash[..ID_DIGITS])
}

impl Pack {
    /// The digest of these files and chunks.
    pub(crate) fn digest_of(files: &[SourceFile], chunks: &[Chunk]) -> String {
        let files = files.iter().map(|file| format!("{} {}", file.sha256, file.path));
        let chunks =
            chunks.iter().map(|chunk| format!("{} {} {} {}", chunk.id, chunk.sha256, chunk.start, chunk.end));
        sha256_of(files.chain(chunks))
    }

    /// Reads the pack of a segment; nothing if there is none.
    pub(crate) fn read(segment: &Segment) -> Result<Option<Self>, Error> {
        let path = segment.pack_path();
        let damaged = |reason: String| Error::PackDamaged { path: segment.root().to_owned(), reason };
        let file = match source::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(Error::io(&path))?,
        };
        let mut bytes = Vec::new();
        file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(Error::io(&path))?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(damaged(format!("it is larger than {BYTES_MAX} bytes")));
        }
        let pack: Self = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        pack.problem().map_or(Ok(Some(pack)), |problem| Err(damaged(problem)))
    }

    /// What is wrong with it, whatever the files are.
    fn problem(&self) -> Option<String> {
        if self.schema_version != SCHEMA_VERSION {
            return Some(format!("its schema_version is {}, not {SCHEMA_VERSION}", self.schema_version));
        }
        if self.digest != Self::digest_of(&self.source_files, &self.chunks) {
            return Some("its digest is not that of what it names".to_owned());
        }
        let files: HashSet<&str> = self.source_files.iter().map(|file| file.path.as_str()).collect();
        let mut ids = HashSet::new();
        self.chunks.iter().find_map(|chunk| {
            if !ids.insert(chunk.id.as_str()) {
                return Some(format!("two chunks are called {}", chunk.id));
            }
            (!files.contains(chunk.source_path.as_str())).then(|| format!("{} is from no file", chunk.id))
        })
    }

    /// Writes it in the place of the one that is there, which stays whole until then.
    pub(crate) fn write(&self, segment: &Segment) -> Result<(), Error> {
        atomic::replace(&segment.pack_path(), |file| self.write_to(file))
    }

    /// One line for each file and each chunk, so that a difference of two packs can be read.
    fn write_to(&self, mut file: &mut dyn Write) -> io::Result<()> {
        let head = serde_json::json!({
            "schema_version": self.schema_version,
            "segment": self.segment,
            "created_at": self.created_at,
            "digest": self.digest,
            "token_estimate": self.token_estimate,
        });
        let head = head.to_string();
        write!(file, "{},\n\"source_files\":[", head.trim_end_matches('}'))?;
        write_lines(&mut file, &self.source_files)?;
        file.write_all(b"],\n\"chunks\":[")?;
        write_lines(&mut file, &self.chunks)?;
        file.write_all(b"]}\n")
    }

    /// What tells this pack from others without reading all of it: its digest, and how long the file is, by which one
    /// that was cut off is noticed. Nothing if there is no pack, or one that we did not write like this.
    pub(crate) fn peek(segment: &Segment) -> Result<Option<String>, Error> {
        let path = segment.pack_path();
        let file = match source::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Error::PackMissing { path: segment.root().to_owned() });
            }
            opened => opened.map_err(Error::io(&path))?,
        };
        let length = file.metadata().map_err(Error::io(&path))?.len();
        let mut head = Vec::new();
        file.take(HEAD_BYTES).read_to_end(&mut head).map_err(Error::io(&path))?;
        // The last character may be cut in half.
        let head = String::from_utf8_lossy(&head);
        let digest = head.split_once("\"digest\":\"").and_then(|(_, rest)| rest.split_once('"'));
        Ok(digest.map(|(digest, _)| format!("{digest} {length}")))
    }
}

fn write_lines(mut file: &mut dyn Write, items: &[impl Serialize]) -> io::Result<()> {
    let mut between: &[u8] = b"\n";
    for item in items {
        file.write_all(between)?;
        serde_json::to_writer(&mut file, item)?;
        between = b",\n";
    }
    Ok(())
}
