//! The facts of a card of ours, read back from its text.

use regex::Regex;

use crate::template::{Form, Piece, pieces};
use crate::{StepTemplate, quote};

/// A fact's name and value.
type Fact = (String, String);

/// The facts with which a cause was filled.
pub(super) fn of_cause(template: &str, text: &str) -> Vec<Fact> {
    let pieces = pieces(template);
    captured(&pieces, text.trim_end()).into_iter().map(|(name, _, value)| (name, value)).collect()
}

/// The facts that stand in the commands of steps. Some are in no cause.
pub(super) fn of_steps(templates: &[StepTemplate], texts: &[String]) -> Vec<Fact> {
    let commands = templates.iter().filter_map(|template| match *template {
        StepTemplate::Run { command } => Some(format!("Run: {command}")),
        StepTemplate::Check { text, command } => Some(format!("{text}: {command}")),
        // What stands in prose is not quoted, so nobody can tell where it ends.
        StepTemplate::Do { .. } => None,
    });
    let mut facts = Vec::new();
    for template in commands {
        let pieces = pieces(&template);
        let found = texts.iter().map(|text| captured(&pieces, text)).find(|found| !found.is_empty());
        facts.extend(found.into_iter().flatten().filter_map(|(name, form, value)| match form {
            Form::Line => Some((name, value)),
            Form::Word => Some((name, unquoted(&value)?)),
        }));
    }
    facts
}

/// The value that a shell would read, when it is one word as we quote it.
fn unquoted(word: &str) -> Option<String> {
    let inner = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\''));
    let value = inner.map_or_else(|| word.to_owned(), |inner| inner.replace(r"'\''", "'"));
    (quote(&value) == word).then_some(value)
}

/// What stands where a template has its facts; nothing where the text is not of this template.
fn captured(pieces: &[Piece<'_>], text: &str) -> Vec<(String, Form, String)> {
    let (mut pattern, mut names) = ("(?s)^".to_owned(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text(fixed) => pattern.push_str(&regex::escape(fixed)),
            Piece::Fact { name, form } => {
                pattern.push_str("(.*?)");
                names.push(((*name).to_owned(), *form));
            }
        }
    }
    pattern.push('$');
    let Some(captures) = Regex::new(&pattern).ok().and_then(|regex| regex.captures(text)) else {
        return Vec::new();
    };
    let values = captures.iter().skip(1).map(|group| group.map_or("", |group| group.as_str()).to_owned());
    names.into_iter().zip(values).map(|((name, form), value)| (name, form, value)).collect()
}
