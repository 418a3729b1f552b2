//! What comes of a call.

use candor_cards::{Explained, Source};
use candor_log::event;
use candor_protocol::{Change, ErrorCard, Failure, Image};
use serde_json::{Value, json};

use crate::{Error, ToolContext};

/// What comes of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// What the model reads.
    pub for_model: String,
    /// What a person reads: one short line, or a short list.
    pub for_people: String,
    /// Whether it failed.
    pub is_error: bool,
    /// The card of the failure.
    pub card: Option<ErrorCard>,
    /// Where the card of a command comes from.
    pub source: Option<Source>,
    /// The files that it changed, in that order.
    pub changes: Vec<Change>,
    /// What the model sees beside what it reads.
    pub images: Vec<Image>,
    /// Why it was not allowed, for the log.
    pub(crate) blocked: Option<String>,
}

impl ToolOutput {
    /// It worked.
    pub fn success(for_model: impl Into<String>, for_people: impl Into<String>) -> Self {
        Self {
            for_model: for_model.into(),
            for_people: for_people.into(),
            is_error: false,
            card: None,
            source: None,
            changes: Vec::new(),
            images: Vec::new(),
            blocked: None,
        }
    }

    /// It failed, and there is nothing to tell but that.
    pub fn failure(error: &Error) -> Self {
        Self::failure_with(error, json!({ "error": error.to_string() }))
    }

    /// It was not even tried, for a reason that whoever wanted to call it found.
    pub fn refused(failure: &Failure) -> Self {
        let card = candor_cards::card(failure);
        let for_model = json!({ "error": card.title, "card": card });
        let said = Self::success(for_model.to_string(), card.title.clone());
        Self { is_error: true, card: Some(card), ..said }
    }

    /// It failed, and the model needs what else is in this object.
    pub(crate) fn failure_with(error: &Error, mut for_model: Value) -> Self {
        let card = candor_cards::card(&error.failure());
        put_card(&mut for_model, &card);
        let said = error.to_string();
        let said = Self::success(for_model.to_string(), said.lines().next().unwrap_or_default());
        let blocked = match error {
            Error::Blocked { reason, .. }
            | Error::Denied { reason, .. }
            | Error::Unapproved { reason, .. } => Some(reason.clone()),
            Error::Hook { block, .. } => Some(block.to_string()),
            _ => None,
        };
        Self { is_error: true, card: Some(card), blocked, ..said }
    }

    /// A command failed: what it said is in this object, and a card explains it.
    pub(crate) fn command_failure(explained: Explained, mut for_model: Value, for_people: String) -> Self {
        let Explained { card, source } = explained;
        put_card(&mut for_model, &card);
        let said = Self::success(for_model.to_string(), for_people);
        Self { is_error: true, card: Some(card), source: Some(source), ..said }
    }

    /// Changes the card, and what the model reads of it.
    pub fn amend_card(&mut self, amend: impl FnOnce(&mut ErrorCard)) {
        let Some(card) = &mut self.card else { return };
        amend(card);
        if let Some(mut told) = self.object() {
            told["card"] = serde_json::to_value(&self.card).unwrap_or_default();
            self.for_model = told.to_string();
        }
    }

    /// Tells the model one thing more.
    pub fn add(&mut self, name: &str, value: Value) {
        if let Some(mut told) = self.object() {
            told[name] = value;
            self.for_model = told.to_string();
        }
    }

    /// What the model reads, where that is an object: the result of every call that failed is one.
    fn object(&self) -> Option<Value> {
        serde_json::from_str(&self.for_model).ok().filter(Value::is_object)
    }

    /// Either.
    pub(crate) fn of(result: Result<Self, Error>, context: &ToolContext) -> Self {
        result.unwrap_or_else(|error| {
            note(&error, context);
            Self::failure(&error)
        })
    }
}

/// A number of things, for people.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The beginning and the end of a text that takes more room in JSON than there is. Nothing: it fits.
pub fn ends(text: &str, room: usize) -> Option<(&str, &str)> {
    if json_bytes(text) <= room {
        return None;
    }
    let fitting = |chars: &mut dyn Iterator<Item = char>| {
        let mut left = room / 2;
        let fits = |char: &char| {
            let weight = json_weight(*char);
            let has_room = weight <= left;
            left = left.saturating_sub(weight);
            has_room
        };
        chars.take_while(fits).map(char::len_utf8).sum::<usize>()
    };
    let head = fitting(&mut text.chars());
    let tail = fitting(&mut text.chars().rev());
    Some((&text[..head], &text[text.len() - tail..]))
}

/// How many bytes a text takes as a text of JSON, without its quotes.
pub fn json_bytes(text: &str) -> usize {
    text.chars().map(json_weight).sum()
}

/// How many bytes a character takes there.
pub(crate) fn json_weight(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        char if char < ' ' => 6,
        char => char.len_utf8(),
    }
}

/// Nothing in a card can fail to be JSON.
fn put_card(for_model: &mut Value, card: &ErrorCard) {
    for_model["card"] = serde_json::to_value(card).unwrap_or_default();
}

/// Logs a tool that took too long.
pub(crate) fn note(error: &Error, context: &ToolContext) {
    if let Error::TimedOut { tool, limit } = error {
        event::ToolTimeout { session_id: context.session, tool, timeout: *limit }.log();
    }
}
