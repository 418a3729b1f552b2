//! Paths as they read; the disk is not asked.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The path without `.` and `..`, as it reads: the disk is not asked.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = clean.pop(),
            other => clean.push(other),
        }
    }
    clean
}

/// Where the program may be: a name without a slash is looked for in the `PATH` that the process gets.
pub(crate) fn candidates(program: &Path, env: &[(String, String)]) -> Vec<PathBuf> {
    if program.as_os_str().as_bytes().contains(&b'/') {
        return vec![program.to_owned()];
    }
    let path = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    path.split(':')
        .filter(|directory| directory.starts_with('/'))
        .map(|at| Path::new(at).join(program))
        .collect()
}
