//! One entry as a line for people.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use candor_protocol::Level;
use jiff::tz::Offset;
use serde_json::Value;

use super::Entry;

/// A value is cut after this many characters: a line is for the eye, the file has all of it.
const VALUE_CHARS_MAX: usize = 200;

/// An entry shows no more fields than this; ours have at most six.
const FIELDS_MAX: usize = 32;

/// Whether a line has colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// Terminal colours.
    Ansi,
}

/// An entry as one line, without the line's end: time (UTC), level, module, event, and `name=value` for each field.
///
/// Nothing that an entry holds can act on the terminal: control characters, and characters that reorder or hide text,
/// are shown as escapes.
pub fn render(entry: &Entry, colour: Colour) -> String {
    let mut line = Painted { text: String::with_capacity(160), colour };
    let time = Offset::UTC.to_datetime(entry.ts);
    line.paint(Style::new().dimmed(), &time.strftime("%Y-%m-%d %H:%M:%S%.3fZ").to_string());
    line.text.push(' ');
    line.paint(level_style(entry.level), &format!("{:<5}", entry.level.as_str().to_uppercase()));
    line.text.push(' ');
    line.paint(Style::new().dimmed(), &visible(&entry.module));
    line.text.push(' ');
    line.paint(Style::new().bold(), &visible(&entry.event));
    for (name, value) in entry.fields.iter().take(FIELDS_MAX) {
        line.text.push(' ');
        line.paint(Style::new().dimmed(), &format!("{}=", visible(name)));
        line.text.push_str(&shown(value));
    }
    if entry.fields.len() > FIELDS_MAX {
        line.text.push_str(" …");
    }
    line.text
}

struct Painted {
    text: String,
    colour: Colour,
}

impl Painted {
    fn paint(&mut self, style: Style, text: &str) {
        match self.colour {
            Colour::Never => self.text.push_str(text),
            Colour::Ansi => {
                let _ = write!(self.text, "{style}{text}{style:#}");
            }
        }
    }
}

fn level_style(level: Level) -> Style {
    match level {
        Level::Error => AnsiColor::Red.on_default().bold(),
        Level::Warn => AnsiColor::Yellow.on_default(),
        Level::Info => AnsiColor::Green.on_default(),
        Level::Debug => AnsiColor::Blue.on_default(),
    }
}

/// A value in few characters. Text that could be mistaken for more than one value stands between quotes.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => visible(text),
        Value::String(text) => format!("\"{}\"", visible(text).replace('"', "\\\"")),
        other => visible(&other.to_string()),
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '"' || c == '=' || must_escape(c))
}

/// Text with nothing in it that a terminal would obey, and no longer than a line can bear.
fn visible(text: &str) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == VALUE_CHARS_MAX {
            out.push('…');
            break;
        }
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if must_escape(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Controls, line separators, and the invisible characters that reorder or hide what is around them.
fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
