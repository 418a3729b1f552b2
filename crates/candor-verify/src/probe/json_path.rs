//! The part of JSON path that names places: `$.a.b[0]`, `$['a b']`, `$.items[*].id`.
//!
//! Filters, slices and descents are left out on purpose: whoever needs them has a JSON Schema, or a command.

use serde_json::Value;

use super::outcome::one_line;

/// How many values are looked at. A path with many `*` could lead to more of them than there is memory.
const FOUND_MAX: usize = 10_000;

/// A path into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonPath(Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    /// From the end, if negative.
    Index(i64),
    All,
}

impl JsonPath {
    /// Reads a path; what cannot be read is told.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("{} is no JSON path: {why}", one_line(text));
        let mut rest = text.trim().strip_prefix('$').ok_or_else(|| wrong("it must begin with $"))?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = step(rest).map_err(wrong)?;
            steps.push(step);
            rest = after;
        }
        Ok(Self(steps))
    }

    /// The values that it leads to.
    pub(super) fn find<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![value];
        for step in &self.0 {
            found = found.into_iter().flat_map(|value| step.take(value)).take(FOUND_MAX).collect();
        }
        found
    }
}

impl Step {
    fn take<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (self, value) {
            (Self::Name(name), Value::Object(members)) => members.get(name).into_iter().collect(),
            (Self::Index(index), Value::Array(items)) => {
                let from_start =
                    if *index < 0 { index.saturating_add_unsigned(items.len() as u64) } else { *index };
                usize::try_from(from_start).ok().and_then(|at| items.get(at)).into_iter().collect()
            }
            (Self::All, Value::Array(items)) => items.iter().take(FOUND_MAX).collect(),
            (Self::All, Value::Object(members)) => members.values().take(FOUND_MAX).collect(),
            _ => Vec::new(),
        }
    }
}

/// One step, and what follows it.
fn step(text: &str) -> Result<(Step, &str), &'static str> {
    if text.starts_with("..") {
        return Err("`..` is not supported");
    }
    if let Some(rest) = text.strip_prefix('.') {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        return match name {
            "" => Err("a name must follow the dot"),
            "*" => Ok((Step::All, after)),
            name => Ok((Step::Name(name.to_owned()), after)),
        };
    }
    let inside = text.strip_prefix('[').ok_or("a dot or a bracket must follow")?;
    if let Some(quote) = inside.chars().next().filter(|first| matches!(first, '\'' | '"')) {
        return quoted(inside, quote);
    }
    let (inside, after) = inside.split_once(']').ok_or("a bracket is not closed")?;
    match inside.trim() {
        "*" => Ok((Step::All, after)),
        number => Ok((
            Step::Index(number.parse().map_err(|_| "a number, a quoted name or * must be in brackets")?),
            after,
        )),
    }
}

/// A name in quotes, and what follows the bracket.
fn quoted(text: &str, quote: char) -> Result<(Step, &str), &'static str> {
    let mut name = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => name.extend(characters.next().map(|(_, escaped)| escaped)),
            closing if closing == quote => {
                let after = text.get(at + 1..).and_then(|rest| rest.strip_prefix(']'));
                return Ok((Step::Name(name), after.ok_or("a bracket must follow the quote")?));
            }
            other => name.push(other),
        }
    }
    Err("a quote is not closed")
}
