//! Keeps secrets from everyone, the model included, and still lets tools use them.
//!
//! A secret that turns up in a message or in a tool's output becomes a placeholder before anyone sees it. The value stays
//! in memory, with the session; where the model puts the placeholder into a tool's arguments, the tool gets the value. So a
//! model can copy a key from one file to another without ever having read it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use candor_agent::Mask;
use candor_protocol::{Code, Failure};
use candor_redact::{Live, Redactor};
use serde_json::Value;

/// How a placeholder begins. It begins like the mask of the log, so that whoever knows one knows the other.
const OPENING: &str = "[REDACTED:";
/// How it ends.
const CLOSING: char = ']';
/// How many digits tell two placeholders of a session apart.
const DIGITS: usize = 6;
/// The most values that are kept; a file of a million keys is masked, but its keys cannot be used by placeholder.
const VALUES_MAX: usize = 10_000;

/// The secrets of one session.
pub(crate) struct Vault {
    /// What was secret from the beginning.
    secrets: Vec<String>,
    /// A plain lock: it is held for a look-up and never across a wait.
    values: Mutex<Values>,
}

struct Values {
    by_placeholder: HashMap<String, String>,
    by_value: HashMap<String, String>,
    /// Knows every value that was found, too: a password is found by the name it is given, and must not be shown where a
    /// tool prints it without one.
    redactor: Redactor,
    /// How many values it knows.
    known: usize,
}

impl Vault {
    pub(crate) fn new(secrets: &[String]) -> Self {
        let redactor = Redactor::with_secrets(secrets);
        let values = Values { by_placeholder: HashMap::new(), by_value: HashMap::new(), redactor, known: 0 };
        Self { secrets: secrets.to_vec(), values: Mutex::new(values) }
    }

    /// Masks words while they are written. Their writer is a model, which was not given what is found from now on.
    pub(crate) fn live(&self) -> Live {
        self.redactor().live()
    }

    /// Masks a text for good: nobody will need the value back.
    pub(crate) fn erase(&self, text: &str) -> String {
        self.redactor().redact_str(text).into_owned()
    }

    /// The redactor that knows all that was found so far.
    fn redactor(&self) -> Redactor {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if values.known < values.by_value.len() {
            values.known = values.by_value.len();
            values.redactor = Redactor::with_secrets(self.secrets.iter().chain(values.by_value.keys()));
        }
        values.redactor.clone()
    }

    fn placeholder(&self, value: &str) -> String {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = values.by_value.get(value) {
            return known.clone();
        }
        if values.by_value.len() >= VALUES_MAX {
            return candor_redact::MASK.to_owned();
        }
        let placeholder = loop {
            let digits: String = std::iter::repeat_with(|| fastrand::char('a'..='z')).take(DIGITS).collect();
            let candidate = format!("{OPENING}{digits}{CLOSING}");
            if !values.by_placeholder.contains_key(&candidate) {
                break candidate;
            }
        };
        values.by_value.insert(value.to_owned(), placeholder.clone());
        values.by_placeholder.insert(placeholder.clone(), value.to_owned());
        placeholder
    }

    fn reveal_text(&self, text: &str) -> Result<String, Failure> {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let mut revealed = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(OPENING) {
            let Some(placeholder) = placeholder_at(&rest[at..]) else {
                let end = at + OPENING.len();
                revealed.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            };
            let value = values
                .by_placeholder
                .get(placeholder)
                .ok_or_else(|| Failure::new(Code::PlaceholderUnknown).with("placeholder", placeholder))?;
            revealed.push_str(&rest[..at]);
            revealed.push_str(value);
            rest = &rest[at + placeholder.len()..];
        }
        revealed.push_str(rest);
        Ok(revealed)
    }
}

/// The placeholder that a text begins with.
fn placeholder_at(text: &str) -> Option<&str> {
    let length = OPENING.len() + DIGITS + CLOSING.len_utf8();
    let candidate = text.get(..length)?;
    let digits = candidate.strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
    digits.bytes().all(|digit| digit.is_ascii_lowercase()).then_some(candidate)
}

impl Mask for Vault {
    fn hide(&self, text: &str) -> String {
        let findings = self.redactor().find(text.as_bytes());
        let mut hidden = String::with_capacity(text.len());
        let mut at = 0;
        for finding in findings {
            // A finding that is no whole number of characters cannot be put back; it is masked with all it touches.
            let Some(value) = text.get(finding.range.clone()) else { return self.erase(text) };
            hidden.push_str(text.get(at..finding.range.start).unwrap_or_default());
            match placeholder_at(value) {
                Some(placeholder) if placeholder.len() == value.len() => hidden.push_str(value),
                _ => hidden.push_str(&self.placeholder(value)),
            }
            at = finding.range.end;
        }
        hidden.push_str(text.get(at..).unwrap_or_default());
        hidden
    }

    fn conceal(&self, text: &str) -> String {
        self.redactor().redact_known(text).into_owned()
    }

    fn reveal(&self, args: &Value) -> Result<Value, Failure> {
        Ok(match args {
            Value::String(text) => Value::String(self.reveal_text(text)?),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.reveal(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => Value::Object(
                fields.iter().map(|(name, value)| Ok((name.clone(), self.reveal(value)?))).collect::<Result<
                    _,
                    Failure,
                >>(
                )?,
            ),
            other => other.clone(),
        })
    }
}
