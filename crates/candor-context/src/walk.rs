//! Which files of a segment are packed.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::left_out::Why;
use crate::options::Places;
use crate::segment::{CTX, prime_name};
use crate::source::FILE_BYTES_MAX;
use crate::{Error, LeftOut, Options, Segment, config::Config};

/// How many files a pack has at most: more is no project, but a disk.
pub(crate) const FILES_MAX: usize = 100_000;
/// Deeper folders are left out, as by the tools.
const DEPTH_MAX: usize = 100;
/// More threads wait for the disk, not for each other.
const THREADS_MAX: usize = 8;

/// Names with a dot that hold something to read all the same.
const DOTTED: &[&str] = &[".agents", ".github"];

/// Files that programs write and nobody reads.
const GENERATED: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "poetry.lock",
    "Pipfile.lock",
    "uv.lock",
    "pdm.lock",
    "Gemfile.lock",
    "composer.lock",
    "go.sum",
    "flake.lock",
    "mix.lock",
    "pubspec.lock",
    "Podfile.lock",
    "gradle.lockfile",
    "packages.lock.json",
];
const GENERATED_ENDS: &[&str] = &[".min.js", ".min.css", ".map", ".svg", ".snap", ".pb.go", ".lock"];

/// Files that hold keys and passwords, by their names in small letters. Besides those that the rules of tools hide.
const SECRET: &[&str] = &[
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "service-account.json",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "secrets.toml",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "terraform.tfstate",
    "terraform.tfvars",
    "auth.json",
    "kubeconfig",
];
const SECRET_STARTS: &[&str] = &[".env."];
const SECRET_ENDS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".asc",
    ".gpg",
    ".env",
    ".tfstate",
    ".tfvars",
];
/// A file with placeholders, to be copied and filled in.
const EXAMPLE_ENDS: &[&str] = &[".example", ".sample", ".template", ".dist"];

/// A file to pack, as it was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// From the segment's folder.
    pub(crate) path: String,
    pub(crate) size: u64,
    pub(crate) mtime_ns: i64,
}

/// What a walk found, in the order of the paths.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) sources: Vec<Source>,
    pub(crate) left_out: LeftOut,
}

/// Walks a segment, and follows no link.
pub(crate) fn walk(segment: &Segment, config: &Config, options: &Options) -> Result<Walked, Error> {
    let excluded = config.excluded(segment).map_err(|error| Error::ConfigInvalid {
        path: segment.root().to_owned(),
        reason: error.to_string(),
    })?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let places = options.places();
    let parallel = WalkBuilder::new(segment.root())
        .hidden(false)
        .require_git(false)
        // What the owner of a machine ignores everywhere does not make another pack of the same files.
        .git_global(false)
        .max_depth(Some(DEPTH_MAX))
        .overrides(excluded)
        .threads(threads)
        .filter_entry(move |entry| is_entered(entry) && !is_hidden(entry, &places))
        .build_parallel();
    let found = Mutex::new(Walked::default());
    parallel.run(|| {
        let mut batch = Batch { segment, walked: Walked::default(), all: &found };
        Box::new(move |met| {
            batch.meet(met);
            WalkState::Continue
        })
    });
    let mut walked = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    own_files(segment, config, &mut walked);
    walked.sources.sort_unstable_by(|one, two| one.path.cmp(&two.path));
    for over in walked.sources.iter().skip(FILES_MAX) {
        walked.left_out.note(Why::TooMany, &over.path);
    }
    walked.sources.truncate(FILES_MAX);
    Ok(walked)
}

/// The segment's own files that are packed: those that people write.
fn own_files(segment: &Segment, config: &Config, walked: &mut Walked) {
    for kind in ["agent", "session"] {
        let name = format!("{kind}_{}.md", config.segment);
        add_own(segment, &name, walked);
    }
    add_own(segment, &prime_name(&config.segment), walked);
}

fn add_own(segment: &Segment, name: &str, walked: &mut Walked) {
    let path = format!("{CTX}/{name}");
    if let Ok(found) = segment.root().join(&path).symlink_metadata()
        && found.is_file()
    {
        walked.sources.push(source(path, &found));
    }
}

/// Whether a folder is walked, or a file looked at.
fn is_entered(entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    !(is_folder && name == CTX) && (!name.starts_with('.') || DOTTED.contains(&name.as_ref()))
}

/// A folder that is not allowed may hold one that is.
fn is_hidden(entry: &DirEntry, places: &Places) -> bool {
    if entry.file_type().is_some_and(|kind| kind.is_dir()) {
        places.hide_all_of(entry.path())
    } else {
        places.hide(entry.path())
    }
}

/// What one thread has met.
struct Batch<'w> {
    segment: &'w Segment,
    walked: Walked,
    all: &'w Mutex<Walked>,
}

impl Batch<'_> {
    fn meet(&mut self, met: Result<DirEntry, ignore::Error>) {
        let Ok(entry) = met else {
            // A line of a .gitignore that cannot be understood says nothing, as with git; a folder that cannot be read
            // is missing from the pack.
            if met.is_err_and(|error| error.is_io()) {
                self.walked.left_out.note(Why::Unreadable, "a folder");
            }
            return;
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        let path = entry.path().strip_prefix(self.segment.root()).unwrap_or(entry.path());
        let Some(text) = path.to_str() else {
            return self.walked.left_out.note(Why::OddName, &path.to_string_lossy());
        };
        if let Some(why) = refused(path) {
            return self.walked.left_out.note(why, text);
        }
        match entry.metadata() {
            Ok(found) if found.len() > FILE_BYTES_MAX => self.walked.left_out.note(Why::TooLarge, text),
            Ok(found) => self.walked.sources.push(source(text.to_owned(), &found)),
            Err(_) => self.walked.left_out.note(Why::Unreadable, text),
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.sources.append(&mut self.walked.sources);
        all.left_out.join(std::mem::take(&mut self.walked.left_out));
    }
}

fn source(path: String, found: &Metadata) -> Source {
    let mtime_ns = found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec());
    Source { path, size: found.len(), mtime_ns }
}

/// Why a file is left out by its name alone.
fn refused(path: &Path) -> Option<Why> {
    let name = path.file_name()?.to_str()?;
    let lower = name.to_ascii_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    let ends = |ends: &[&str]| ends.iter().any(|end| lower.ends_with(end));
    if !ends(EXAMPLE_ENDS) && (SECRET.contains(&lower.as_str()) || begins(SECRET_STARTS) || ends(SECRET_ENDS))
    {
        return Some(Why::Secret);
    }
    (GENERATED.contains(&name) || ends(GENERATED_ENDS)).then_some(Why::Generated)
}
