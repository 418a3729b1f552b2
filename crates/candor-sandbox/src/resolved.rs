//! A policy with its paths as they are on disk.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::policy::{Limits, Network, Policy};

/// A policy with paths as they are on disk now.
pub(crate) struct Resolved {
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) readable: Option<Vec<PathBuf>>,
    pub(crate) shown: Vec<PathBuf>,
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) temp: Option<PathBuf>,
    pub(crate) limits: Limits,
    /// Whether names of hosts are looked up inside.
    pub(crate) needs_names: bool,
}

/// Makes what must be there, and names it without links.
pub(crate) fn prepare(mut policy: Policy) -> Result<Policy, Error> {
    if let Some(temp) = &mut policy.temp {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&temp);
        let found = made.and_then(|()| temp.canonicalize());
        *temp = found.map_err(|source| Error::wall("make the temporary directory", source))?;
    }
    for path in &mut policy.writable {
        *path = path.canonicalize().map_err(|source| named("find a writable directory", path, &source))?;
    }
    policy.writable.sort();
    policy.writable.dedup();
    // Where these lead today is kept beside their names: a link inside a writable directory may lead elsewhere later.
    let hidden =
        policy.hidden.iter().map(|path| path.canonicalize().unwrap_or_else(|_| with_resolved_parent(path)));
    let hidden: Vec<PathBuf> = hidden.filter(|path| !policy.hidden.contains(path)).collect();
    policy.hidden.extend(hidden);
    for path in &mut policy.protected {
        *path = with_resolved_parent(path);
    }
    Ok(policy)
}

pub(crate) fn resolve(policy: &Policy) -> Result<Resolved, Error> {
    // Most places of secrets are not there; to ask for that is one call of the kernel, to resolve them is one for each part.
    let (there, missing): (Vec<&PathBuf>, Vec<&PathBuf>) =
        policy.hidden.iter().partition(|path| path.symlink_metadata().is_ok());
    let mut hidden: Vec<PathBuf> = there.iter().filter_map(|path| path.canonicalize().ok()).collect();
    hidden.sort();
    hidden.dedup();
    // A secret that is made by somebody else is theirs: a key for a door of the person, say.
    let is_writable =
        |path: &PathBuf| policy.writable.iter().any(|root| path.starts_with(root) && path != root);
    let missing = missing.into_iter().filter(|path| is_writable(path)).cloned();
    let protected = policy.protected.iter().cloned().chain(missing).collect();
    let readable = policy.readable.as_ref();
    let readable = readable.map(|paths| paths.iter().filter_map(|path| path.canonicalize().ok()).collect());
    if let Some(path) = policy.writable.iter().find(|path| !path.is_dir()) {
        return Err(named("find a writable directory", path, &io::ErrorKind::NotADirectory.into()));
    }
    Ok(Resolved {
        writable: policy.writable.clone(),
        readable,
        shown: policy.shown.iter().filter_map(|path| path.canonicalize().ok()).collect(),
        hidden,
        protected,
        temp: policy.temp.clone(),
        limits: policy.limits,
        needs_names: matches!(policy.network, Network::All | Network::List(_)),
    })
}

fn named(stage: &'static str, path: &Path, source: &io::Error) -> Error {
    Error::wall(stage, io::Error::new(source.kind(), format!("{}: {source}", path.display())))
}

impl Resolved {
    /// The writable root that a path is in: the outermost, as what lies between must not be moved either.
    pub(crate) fn root_of(&self, path: &Path) -> Option<&Path> {
        let roots = self.writable.iter().filter(|root| path.starts_with(root));
        roots.min_by_key(|root| root.components().count()).map(PathBuf::as_path)
    }

    /// What is to be read and lies below something that is covered.
    pub(crate) fn shown_below(&self, covered: &[PathBuf]) -> Vec<PathBuf> {
        let is_below =
            |path: &&PathBuf| covered.iter().any(|cover| path.starts_with(cover) && *path != cover);
        let shown = self.readable.iter().flatten().chain(&self.shown);
        shown.filter(is_below).filter(|path| !self.writable.contains(path)).cloned().collect()
    }

    /// Whether a path is there inside at all.
    pub(crate) fn is_visible(&self, path: &Path, covered: &[PathBuf]) -> bool {
        let shown = self.shown_below(covered);
        // All of the machine is not put back over what is covered.
        let writable = self.writable.iter().filter(|root| *root != Path::new("/"));
        writable.into_iter().any(|root| path.starts_with(root))
            || shown.iter().any(|root| path.starts_with(root))
            || !covered.iter().any(|cover| path.starts_with(cover))
    }
}

/// The path with every link resolved but the last part, which may not exist.
fn with_resolved_parent(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut at = path;
    while let (Some(parent), Some(name)) = (at.parent(), at.file_name()) {
        rest.push(name);
        if let Ok(parent) = fs::canonicalize(parent) {
            return parent.join(rest.iter().rev().collect::<PathBuf>());
        }
        at = parent;
    }
    path.to_owned()
}
