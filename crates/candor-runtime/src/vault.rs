//! Keeps secrets from everyone, the model included, and still lets tools use them.
//!
//! A secret that turns up in a message or in a tool's output becomes a placeholder before anyone sees it. The value stays
//! in memory, with the session; where the model puts the placeholder into a tool's arguments, the tool gets the value. So a
//! model can copy a key from one file to another without ever having read it.

#[cfg(test)]
#[path = "vault_tests.rs"]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
/// The most values that are kept; a file of a million keys is masked, but not all of them can be used by placeholder.
const VALUES_MAX: usize = 1_000;

/// The secrets of one session.
pub(crate) struct Vault {
    /// A plain lock: it is held for a look-up and never across a wait.
    values: Mutex<Values>,
}

struct Values {
    /// The secrets of the configuration.
    given: Arc<[String]>,
    /// Knows those and the values below: what was a secret once is one wherever it turns up again, such as in the output
    /// of a tool that was given it.
    redactor: Redactor,
    by_placeholder: HashMap<String, String>,
    by_value: HashMap<String, String>,
}

impl Vault {
    /// One that knows the configuration's secrets and no others yet; the redactor is compiled from them already.
    pub(crate) fn new(redactor: Redactor, given: Arc<[String]>) -> Self {
        let values = Values { given, redactor, by_placeholder: HashMap::new(), by_value: HashMap::new() };
        Self { values: Mutex::new(values) }
    }

    /// Learns the secrets of a configuration that has changed.
    pub(crate) fn know(&self, given: &Arc<[String]>) {
        let mut values = self.values();
        if !Arc::ptr_eq(&values.given, given) {
            values.given = Arc::clone(given);
            values.learn();
        }
    }

    /// Masks words while they are written.
    pub(crate) fn live(&self) -> Live {
        self.redactor().live()
    }

    /// Masks a text for good: nobody will need the value back.
    pub(crate) fn erase(&self, text: &str) -> String {
        self.redactor().redact_str(text).into_owned()
    }

    /// Whether no placeholder has been given out.
    pub(crate) fn is_empty(&self) -> bool {
        self.values().by_value.is_empty()
    }

    fn redactor(&self) -> Redactor {
        self.values().redactor.clone()
    }

    fn values(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reveal_text(&self, text: &str) -> Result<String, Failure> {
        let values = self.values();
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

impl Values {
    fn placeholder(&mut self, value: &str) -> String {
        if let Some(known) = self.by_value.get(value) {
            return known.clone();
        }
        if self.by_value.len() >= VALUES_MAX {
            return candor_redact::MASK.to_owned();
        }
        let placeholder = loop {
            let digits: String = std::iter::repeat_with(|| fastrand::char('a'..='z')).take(DIGITS).collect();
            let candidate = format!("{OPENING}{digits}{CLOSING}");
            if !self.by_placeholder.contains_key(&candidate) {
                break candidate;
            }
        };
        self.by_value.insert(value.to_owned(), placeholder.clone());
        self.by_placeholder.insert(placeholder.clone(), value.to_owned());
        placeholder
    }

    /// Looks out for the values, too, from now on. Nothing is compiled before the next text is looked at.
    fn learn(&mut self) {
        self.redactor = Redactor::with_secrets(self.given.iter().chain(self.by_value.keys()));
    }
}

impl Mask for Vault {
    fn hide(&self, text: &str) -> String {
        let redactor = self.redactor();
        let findings = redactor.find(text.as_bytes());
        // A finding that is no whole number of characters cannot be put back; it is masked with all it touches.
        if findings.iter().any(|finding| text.get(finding.range.clone()).is_none()) {
            return redactor.redact_str(text).into_owned();
        }
        let mut values = self.values();
        let kept = values.by_value.len();
        let mut hidden = String::with_capacity(text.len());
        let mut at = 0;
        for finding in findings {
            let value = text.get(finding.range.clone()).unwrap_or_default();
            hidden.push_str(text.get(at..finding.range.start).unwrap_or_default());
            match placeholder_at(value) {
                Some(placeholder) if placeholder.len() == value.len() => hidden.push_str(value),
                _ => hidden.push_str(&values.placeholder(value)),
            }
            at = finding.range.end;
        }
        hidden.push_str(text.get(at..).unwrap_or_default());
        if values.by_value.len() > kept {
            values.learn();
        }
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
            Value::Object(fields) => {
                let field = |(name, value): (&String, &Value)| Ok((name.clone(), self.reveal(value)?));
                Value::Object(fields.iter().map(field).collect::<Result<_, Failure>>()?)
            }
            other => other.clone(),
        })
    }
}
