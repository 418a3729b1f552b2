//! Which fixed texts lead to which rules.
//!
//! The build script makes the one of our own rules, so that a failure does not have to read all of them to find the few that may be about it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::literal::FixedOfRule;

/// Which texts lead to which rules, all by their numbers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Index {
    /// For each text, where its entries in `behind` end.
    ends: Vec<usize>,
    /// Rules, and which of their patterns.
    behind: Vec<(usize, usize)>,
    /// The rules that need no output.
    pub(crate) silent: Vec<usize>,
}

impl Index {
    /// The index of these rules, and its texts.
    pub(crate) fn of(rules: &[FixedOfRule]) -> (Self, Vec<String>) {
        let mut texts: Vec<String> = Vec::new();
        let mut behind: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (id, rule) in rules.iter().enumerate() {
            for (number, pattern) in rule.patterns.iter().enumerate() {
                for text in &pattern.texts {
                    let at = *known.entry(text).or_insert_with(|| {
                        texts.push(text.clone());
                        behind.push(Vec::new());
                        texts.len() - 1
                    });
                    behind[at].push((id, number));
                }
            }
        }
        let end = |sum: &mut usize, of_text: &Vec<_>| {
            *sum += of_text.len();
            Some(*sum)
        };
        let ends = behind.iter().scan(0, end).collect();
        let is_silent = |(_, rule): &(usize, &FixedOfRule)| rule.patterns.is_empty();
        let silent = rules.iter().enumerate().filter(is_silent).map(|(id, _)| id).collect();
        (Self { ends, behind: behind.concat(), silent }, texts)
    }

    /// The rules and patterns that need this text.
    pub(crate) fn behind(&self, text: usize) -> &[(usize, usize)] {
        let start = text.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        let end = self.ends.get(text).copied().unwrap_or(start);
        self.behind.get(start..end).unwrap_or_default()
    }
}
