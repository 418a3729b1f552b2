//! What a hook is for.

use regex::{Regex, RegexBuilder};

/// How large a pattern may become. The engine takes time in proportion to the text, whatever the pattern.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// What a hook is for.
#[derive(Debug, Clone)]
pub(crate) enum Matcher {
    /// Everything.
    All,
    /// These names.
    Names(Vec<String>),
    /// Names in which this is found.
    Pattern(Regex),
}

impl Matcher {
    /// Reads one as the ecosystem does: a list of names where it could be one, or else a regular expression that may match
    /// anywhere.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || text == "*" {
            return Ok(Self::All);
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | ',' | '|');
        if text.chars().all(is_name) {
            let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Ok(Self::Names(names.map(str::to_owned).collect()));
        }
        let pattern = RegexBuilder::new(text).size_limit(PATTERN_BYTES_MAX).build();
        pattern.map(Self::Pattern).map_err(|error| {
            let last = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
            format!("the matcher is no regular expression: {last}")
        })
    }

    /// Whether it is for something that goes by any of these names.
    pub(crate) fn matches(&self, names: &[&str]) -> bool {
        match self {
            Self::All => true,
            Self::Names(known) => names.iter().any(|name| known.iter().any(|known| known == name)),
            Self::Pattern(pattern) => names.iter().any(|name| pattern.is_match(name)),
        }
    }
}
