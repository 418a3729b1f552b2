//! Manifests, read into one shape. What cannot be read becomes a problem of the plan.

use std::path::Path;

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::draft::Draft;
use crate::plan::Problem;

/// How a manifest is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    /// JSON with comments and trailing commas, as TypeScript and Deno read it.
    Jsonc,
    Toml,
    Yaml,
}

/// A manifest that could be read.
pub(super) struct Manifest {
    pub(super) text: std::rc::Rc<str>,
    pub(super) value: Value,
}

/// Reads a manifest; nothing if it is not there or cannot be read, which is then told.
pub(super) fn read(draft: &mut Draft<'_>, file: &Path, format: Format) -> Option<Manifest> {
    if !draft.tree.has(file) {
        return None;
    }
    let Some(text) = draft.tree.text(file) else {
        draft.problem(Problem {
            file: file.to_owned(),
            line: 0,
            column: 0,
            message: "this cannot be read: a manifest is a text of at most 1 MB".to_owned(),
        });
        return None;
    };
    match parse(&text, format) {
        Ok(value) => Some(Manifest { text, value }),
        Err((line, column, message)) => {
            draft.problem(Problem { file: file.to_owned(), line, column, message });
            None
        }
    }
}

/// Reads a text; what is wrong comes with its line and column, from 1, or 0 where there is none.
pub(super) fn parse(text: &str, format: Format) -> Result<Value, (u32, u32, String)> {
    match format {
        Format::Json => json(text),
        Format::Jsonc => json(&without_comments(text)),
        Format::Toml => DeTable::parse(text).map(|root| table(root.get_ref())).map_err(|error| {
            let (line, column) = error.span().map_or((0, 0), |span| place(text, span.start));
            (line, column, format!("this is not valid TOML: {}", first_line(error.message())))
        }),
        Format::Yaml => serde_saphyr::from_str(text).map_err(|error| {
            let (line, column) = error.location().map_or((0, 0), |at| (at.line(), at.column()));
            let message = error.to_string();
            (small(line), small(column), format!("this is not valid YAML: {}", first_line(&message)))
        }),
    }
}

fn json(text: &str) -> Result<Value, (u32, u32, String)> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        (
            small(error.line() as u64),
            small(error.column() as u64),
            format!("this is not valid JSON: {message}"),
        )
    })
}

fn first_line(message: &str) -> &str {
    message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it does not say why")
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn place(text: &str, at: usize) -> (u32, u32) {
    let before = text.get(..at).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    (super::draft::line_at(text, before.len()), small(column))
}

fn table(table: &DeTable<'_>) -> Value {
    Value::Object(
        table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref())))
            .collect::<Map<_, _>>(),
    )
}

fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => Value::String(number.as_str().to_owned()),
        DeValue::Float(number) => Value::String(number.as_str().to_owned()),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| plain(item.get_ref())).collect()),
        DeValue::Table(inner) => table(inner),
    }
}

/// JSON without comments and trailing commas; what is left stands where it stood.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('"', _) => {
                out.push('"');
                copy_string(&mut letters, &mut out);
            }
            ('/', Some('/')) => {
                while letters.peek().is_some_and(|next| *next != '\n') {
                    letters.next();
                    out.push(' ');
                }
            }
            ('/', Some('*')) => {
                let mut last = ' ';
                for next in letters.by_ref() {
                    out.push(if next == '\n' { '\n' } else { ' ' });
                    if last == '*' && next == '/' {
                        break;
                    }
                    last = next;
                }
            }
            ('}' | ']', _) => {
                drop_comma(&mut out);
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

fn copy_string(letters: &mut impl Iterator<Item = char>, out: &mut String) {
    while let Some(letter) = letters.next() {
        out.push(letter);
        match letter {
            '"' => return,
            '\\' => out.extend(letters.next()),
            _ => {}
        }
    }
}

fn drop_comma(out: &mut String) {
    let kept = out.trim_end().len();
    if out.get(..kept).is_some_and(|text| text.ends_with(',')) {
        out.replace_range(kept - 1..kept, " ");
    }
}

/// The names of the keys of an object at this path.
pub(super) fn keys<'a>(value: &'a Value, path: &str) -> Vec<&'a str> {
    value
        .pointer(path)
        .and_then(Value::as_object)
        .map(|map| map.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

/// The text at this path.
pub(super) fn text_at<'a>(value: &'a Value, path: &str) -> Option<&'a str> {
    value.pointer(path).and_then(Value::as_str)
}
