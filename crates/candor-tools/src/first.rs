//! The first results in the order of their paths, whichever thread finds them, and whenever.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

/// The first so many results. A path behind the last of them need not be looked at any more, so that a walk can end
/// early and always give the same.
pub(crate) struct First<T> {
    count_max: usize,
    kept: Mutex<Kept<T>>,
    /// The last path, once there are enough.
    last: RwLock<Option<PathBuf>>,
}

struct Kept<T> {
    /// By path, with how many results there are under it.
    results: BTreeMap<PathBuf, (usize, T)>,
    count: usize,
}

impl<T> First<T> {
    pub(crate) fn new(count_max: usize) -> Self {
        let kept = Mutex::new(Kept { results: BTreeMap::new(), count: 0 });
        Self { count_max, kept, last: RwLock::new(None) }
    }

    /// Whether a result with this path, or with one below it, can be among the first.
    pub(crate) fn wants(&self, path: &Path) -> bool {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().is_none_or(|last| path <= last.as_path())
    }

    /// Adds what was found under a path: so many results.
    pub(crate) fn add(&self, path: &Path, count: usize, result: T) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.count += count;
        kept.results.insert(path.to_owned(), (count, result));
        // The last one goes when there are enough without it.
        while let Some(last) = kept.results.last_key_value().map(|(_, (count, _))| *count)
            && kept.count - last >= self.count_max
        {
            kept.results.pop_last();
            kept.count -= last;
        }
        if kept.count >= self.count_max {
            let last = kept.results.keys().next_back().cloned();
            *self.last.write().unwrap_or_else(PoisonError::into_inner) = last;
        }
    }

    /// What was found, in order.
    pub(crate) fn into_results(self) -> Vec<(PathBuf, T)> {
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.results.into_iter().map(|(path, (_, result))| (path, result)).collect()
    }
}
