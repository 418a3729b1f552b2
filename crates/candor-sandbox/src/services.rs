//! The sockets through which services of this machine are spoken to.
//!
//! Most lie in `/run`, which is covered. Some do not (those of LXD, of Docker on a desktop, of Nix), and a socket that can be seen
//! can be spoken to: that a mount is read-only does not count for it. Some of these services start programs as root.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::Policy;

/// The kernel's list of the Unix sockets in our network.
const LIST: &str = "/proc/net/unix";

/// How it writes that a socket has no other end: somebody waits there to be spoken to.
const WAITS: &[u8] = b"01";

/// Which of the fields of a line says so, and how many fields stand before the path.
const STATE: usize = 5;
const FIELDS_BEFORE_PATH: usize = 7;

/// The policy with all of them hidden that are there now, but those in a directory that it lets be written: what is served there is
/// for whoever works there.
pub(crate) fn hide(mut policy: Policy) -> Policy {
    let list = fs::read(LIST).unwrap_or_default();
    let is_own = |path: &Path| policy.writable.iter().chain(&policy.temp).any(|root| path.starts_with(root));
    let found: Vec<PathBuf> = list
        .split(|byte| *byte == b'\n')
        .filter_map(path)
        .filter_map(|path| path.canonicalize().ok())
        .filter(|path| is_socket(path) && !is_own(path) && !policy.hidden.contains(path))
        .collect();
    policy.hidden.extend(found);
    policy
}

/// Where the socket of a line is, if it has a place and waits.
fn path(line: &[u8]) -> Option<&Path> {
    let (mut rest, mut waits) = (line, false);
    for number in 0..FIELDS_BEFORE_PATH {
        let field = rest.trim_ascii_start();
        let (name, after) = field.split_at(field.iter().position(|byte| *byte == b' ')?);
        waits |= number == STATE && name == WAITS;
        rest = after;
    }
    let path = Path::new(OsStr::from_bytes(rest.get(1..)?));
    (waits && path.is_absolute()).then_some(path)
}

fn is_socket(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket())
}
