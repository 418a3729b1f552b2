//! What was not packed, and why.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

/// How many examples of each reason are named.
const EXAMPLES_MAX: usize = 3;

/// Why a file was not packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    TooLarge,
    TooMany,
    Unreadable,
    OddName,
    Secret,
    Generated,
    Binary,
}

/// What was not packed, and why. What `.gitignore` names is not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    whys: BTreeMap<Why, (u64, Vec<String>)>,
}

impl Why {
    const fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "too large",
            Self::TooMany => "more than a pack takes",
            Self::Unreadable => "unreadable",
            Self::OddName => "named in no UTF-8",
            Self::Secret => "secret",
            Self::Generated => "generated",
            Self::Binary => "not text",
        }
    }

    /// Whether nobody misses it.
    const fn is_ordinary(self) -> bool {
        matches!(self, Self::Generated | Self::Binary)
    }
}

impl LeftOut {
    pub(crate) fn note(&mut self, why: Why, path: &str) {
        let (count, examples) = self.whys.entry(why).or_default();
        *count += 1;
        if examples.len() < EXAMPLES_MAX {
            examples.push(path.to_owned());
        }
    }

    pub(crate) fn join(&mut self, other: Self) {
        for (why, (count, examples)) in other.whys {
            let (sum, all) = self.whys.entry(why).or_default();
            *sum += count;
            all.extend(examples);
            // The order in which threads met them says nothing.
            all.sort();
            all.truncate(EXAMPLES_MAX);
        }
    }

    /// Whether something was left out that a person may miss.
    pub fn is_notable(&self) -> bool {
        self.whys.keys().any(|why| !why.is_ordinary())
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for (why, (count, examples)) in &self.whys {
            write!(f, "{between}{count} {}", why.as_str())?;
            if !why.is_ordinary() {
                write!(
                    f,
                    " ({}{})",
                    examples.join(", "),
                    if *count > examples.len() as u64 { ", …" } else { "" }
                )?;
            }
            between = "; ";
        }
        Ok(())
    }
}

impl Serialize for LeftOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self.whys.iter().map(|(why, (count, _))| (why.as_str().replace(' ', "_"), count));
        serializer.collect_map(counts)
    }
}
