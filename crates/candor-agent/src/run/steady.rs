//! Whether files are still what they were.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};

use candor_protocol::{CheckResult, Evidence, EvidenceKind, Verdict, VerdictStatus};
use tokio::task::spawn_blocking;

/// More files than a run changes by hand: what generators write is looked at as far as this.
const FILES_MAX: usize = 1_000;
/// The most that is read of one file.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// What is said of work that went on changing while it was checked.
pub(super) const UNSTEADY: &str =
    "files of the work changed while they were checked, twice: what was seen is not what is on the disk now";

/// Takes back that work was verified that did not come to rest. What failed has failed.
pub(super) fn leave_open(verdict: &mut Verdict, why: &str) {
    verdict.evidence.push(Evidence::new("files", EvidenceKind::Note, CheckResult::Unverifiable, why));
    if verdict.status == VerdictStatus::Verified {
        verdict.status = VerdictStatus::Unverifiable;
    }
}

/// What tells the contents of these files from others; nothing, for one that is no file.
pub(super) async fn contents(paths: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, Option<u64>> {
    let paths: Vec<PathBuf> = paths.iter().take(FILES_MAX).cloned().collect();
    let read = spawn_blocking(move || {
        let content = |path: PathBuf| {
            let content = content(&path);
            (path, content)
        };
        paths.into_iter().map(content).collect()
    });
    // It fails only when the program is about to end.
    read.await.unwrap_or_default()
}

fn content(path: &Path) -> Option<u64> {
    let file = candor_tools::open_plain(path).ok()?;
    let (mut hasher, mut text) = (DefaultHasher::new(), Vec::new());
    hasher.write_u64(file.metadata().ok()?.len());
    file.take(FILE_BYTES_MAX).read_to_end(&mut text).ok()?;
    hasher.write(&text);
    Some(hasher.finish())
}
