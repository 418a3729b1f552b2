//! Types in words, for messages and the reference page.

use crate::decode::one_of;
use crate::setting::{Kind, Scope, Unit};
use crate::types::whole_range;

impl Kind {
    /// What is expected, in words that fit after "expected".
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Whole { min, max } => whole_range(*min, *max),
            Self::Amount => "a number, not negative".to_owned(),
            Self::Word(words) => one_of(words),
            Self::Duration { unit, min } => quantity("a length of time", &["30s", "5m"], *unit, *min),
            Self::Size { unit, min } => quantity("a size", &["100MB", "64KiB"], *unit, *min),
            Self::Secret => "text, or where to get it".to_owned(),
            Self::List(item) => format!("a list of {}", plural(&item().describe())),
            Self::Map(_) => "a table of names".to_owned(),
            Self::Table(_) => "a table".to_owned(),
        }
    }
}

fn quantity(what: &str, samples: &[&str], unit: Unit, min: u64) -> String {
    let samples: Vec<String> = samples.iter().map(|sample| format!("{sample:?}")).collect();
    let least = if min == 0 { String::new() } else { format!(", at least {min}") };
    format!("{what} such as {}, or a whole number of {}{least}", samples.join(" or "), unit.word())
}

fn plural(one: &str) -> String {
    match one.strip_prefix("a ") {
        Some("path") => "paths".to_owned(),
        Some(rest) => rest.replacen("number", "numbers", 1),
        None => one.to_owned(),
    }
}

impl Scope {
    /// What a workspace may do, for the reference page.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Any | Self::Inside => "yes",
            Self::Owner => "no",
            Self::Lower => "lower only",
            Self::Longer => "adds to it",
            Self::Narrower => "part of it",
            Self::Earlier => "stricter only",
        }
    }
}
