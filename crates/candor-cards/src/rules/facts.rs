//! What is known about one failed command while a rule is tried on it.

use crate::quote;
use crate::template::{Facts, Piece, no_file, pieces};

/// Names and values, later ones first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pairs: Vec<(String, String)>,
}

impl Found {
    pub(crate) fn add(&mut self, name: &str, value: impl Into<String>) {
        self.pairs.push((name.to_owned(), value.into()));
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let pair = self.pairs.iter().rev().find(|(known, _)| known == name);
        pair.map(|(_, value)| value.as_str()).filter(|value| !value.trim().is_empty())
    }

    /// A template without quoting, for a look; nothing when a fact is missing, or is no file that could be looked at.
    pub(crate) fn prose(&self, template: &str) -> Option<String> {
        let is_no_file = |piece: &Piece<'_>| match piece {
            Piece::Fact { name, .. } => self.get(name).and_then(no_file).is_some(),
            Piece::Text(_) => false,
        };
        if pieces(template).iter().any(is_no_file) {
            return None;
        }
        self.with(|facts| facts.prose(template))
    }

    /// A pattern, with the facts in it as plain text.
    pub(crate) fn pattern(&self, template: &str) -> Option<String> {
        self.filled(template, regex::escape)
    }

    /// What takes the place of a match in a command line, with the facts in it quoted for the shell.
    ///
    /// Where the line or the template has quotes of its own, a fact must be plain.
    pub(crate) fn replacement(&self, template: &str, line_is_quoted: bool) -> Option<String> {
        let is_plain = |name: &str| self.get(name).is_none_or(|value| quote(value) == value);
        let facts = pieces(template);
        let hostile = |piece: &Piece<'_>| matches!(piece, Piece::Fact { name, .. } if !is_plain(name));
        let is_quoted = line_is_quoted || template.contains(['\'', '"', '`']);
        if is_quoted && facts.iter().any(hostile) {
            return None;
        }
        self.filled(template, |value| quote(value).replace('$', "$$"))
    }

    /// The fact that a template is, when it is nothing else.
    pub(crate) fn whole(&self, template: &str) -> Option<&str> {
        match *pieces(template) {
            [Piece::Fact { name, .. }] => self.get(name),
            _ => None,
        }
    }

    fn filled(&self, template: &str, form: impl Fn(&str) -> String) -> Option<String> {
        let piece = |piece| match piece {
            Piece::Text(text) => Some(text.to_owned()),
            Piece::Fact { name, .. } => self.get(name).map(&form),
        };
        pieces(template).into_iter().map(piece).collect()
    }

    pub(crate) fn with<T>(&self, use_them: impl FnOnce(&Facts<'_>) -> T) -> T {
        use_them(&Facts::new(&|name| self.get(name).map(str::to_owned)))
    }
}
