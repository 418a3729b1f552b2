//! What compilers and test runners complained about before, kept between two looks at the same folder.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use candor_verify::diagnostics::Ledger;
use sha2::{Digest, Sha256};

/// Where in the home they are.
const FOLDER: &str = "verify";
/// A longer file was not written by us.
const BYTES_MAX: u64 = 8 << 20;

/// The file for a workspace.
pub(super) fn path(home: &Path, workspace: &Path) -> PathBuf {
    let hash = Sha256::digest(workspace.as_os_str().as_encoded_bytes());
    let name = hash.iter().take(8).fold(0_u64, |name, byte| name << 8 | u64::from(*byte));
    home.join(FOLDER).join(format!("{name:016x}.json"))
}

/// What is in it; nothing of what cannot be read, as all of it can be found again.
pub(super) fn read(path: &Path) -> Ledger {
    let is_ours = fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= BYTES_MAX);
    let text = is_ours.then(|| fs::read_to_string(path).ok()).flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Keeps it, where there is a home to keep it in.
pub(super) fn write(path: &Path, ledger: &Ledger) {
    let (Some(folder), Ok(text)) = (path.parent(), serde_json::to_string(ledger)) else { return };
    let has_home = folder.parent().is_some_and(Path::is_dir);
    if !has_home || ledger.entries().is_empty() && !path.exists() {
        return;
    }
    // Whoever cannot write there loses how often something was seen, and nothing else.
    let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let beside = path.with_extension("new");
    let _ = fs::remove_file(&beside);
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside);
    if file.and_then(|mut file| file.write_all(text.as_bytes())).is_ok() {
        let _ = fs::rename(&beside, path);
    }
}
