//! How far the files have gone from the pack.

use std::collections::HashMap;

use serde::Serialize;

use crate::config::Config;
use crate::pack::{Pack, SourceFile};
use crate::sync::{looks_unchanged, read};
use crate::walk::walk;
use crate::{Error, LeftOut, Options, Segment};

/// How many files of each sort are named.
const NAMED_MAX: usize = 5;

/// Which files are not what they were when they were packed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// Their text is another.
    pub changed: Vec<String>,
    /// They are gone, or no text any more.
    pub removed: Vec<String>,
    /// They are not packed yet.
    pub added: Vec<String>,
}

/// How closely the files are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A file with the length and the time that it had is taken to be the same.
    Cheap,
    /// Every file is read.
    Whole,
}

impl Drift {
    /// Whether the pack is up to date.
    pub fn is_none(&self) -> bool {
        self.count() == 0
    }

    /// How many files.
    pub fn count(&self) -> usize {
        self.changed.len() + self.removed.len() + self.added.len()
    }

    /// What it is, in a line.
    pub(crate) fn reason(&self) -> String {
        let sorts = [("changed", &self.changed), ("removed", &self.removed), ("new", &self.added)];
        let told = sorts.into_iter().filter(|(_, paths)| !paths.is_empty()).map(|(word, paths)| {
            let named = paths.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
            format!("{} {word}: {named}{}", paths.len(), if paths.len() > NAMED_MAX { ", …" } else { "" })
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// Looks at the files.
    pub(crate) fn of(
        segment: &Segment,
        (config, pack): (&Config, &Pack),
        look: Look,
        options: &Options,
    ) -> Result<Self, Error> {
        let walked = walk(segment, config, options)?;
        let mut packed: HashMap<&str, &SourceFile> =
            pack.source_files.iter().map(|file| (file.path.as_str(), file)).collect();
        let mut doubtful = Vec::new();
        let mut known: HashMap<&str, &SourceFile> = HashMap::new();
        for source in walked.sources {
            let file = packed.remove(source.path.as_str());
            if look == Look::Cheap && file.is_some_and(|file| looks_unchanged(pack, file, &source)) {
                continue;
            }
            known.extend(file.map(|file| (file.path.as_str(), file)));
            doubtful.push(source);
        }
        let mut drift = Self::default();
        for one in read(segment, &doubtful, &mut LeftOut::default())? {
            match known.remove(one.file.path.as_str()) {
                None => drift.added.push(one.file.path),
                Some(file) if file.sha256 != one.file.sha256 => drift.changed.push(one.file.path),
                Some(_) => {}
            }
        }
        drift.removed = packed.into_keys().chain(known.into_keys()).map(str::to_owned).collect();
        for paths in [&mut drift.changed, &mut drift.removed, &mut drift.added] {
            paths.sort();
        }
        Ok(drift)
    }
}
