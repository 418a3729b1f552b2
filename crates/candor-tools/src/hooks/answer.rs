//! What a hook said, and what it means.

use candor_sandbox::{Ended, How};
use serde_json::Value;

use super::occasion::Occasion;

/// The most of a hook's words that reach anyone: it is read by a model with every request that follows.
const WORDS_BYTES_MAX: usize = 16 << 10;

/// What a shell ends with that could not start its command.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;
/// What a hook ends with that says no.
const SAYS_NO: i32 = 2;

/// What one hook said.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// It says no, for this reason.
    pub(super) no: Option<String>,
    /// It could not be asked, for this reason.
    pub(super) failed: Option<String>,
    /// It is in trouble, and nothing depends on it.
    pub(super) trouble: Option<String>,
    /// The run is to end, for this reason.
    pub(super) halt: Option<String>,
    /// What it says of the question to a person.
    pub(super) leave: Option<Leave>,
    /// What the call is to be given instead.
    pub(super) updated: Option<Value>,
    /// Words for the model.
    pub(super) added: Option<String>,
    /// Words for the person.
    pub(super) message: Option<String>,
}

/// What hooks say of the question to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Leave {
    /// Nothing: the rules decide.
    #[default]
    ToRules,
    /// Where the rules would have a person asked, nobody need be.
    Spared,
    /// A person is to be asked, whatever the rules say.
    Asked,
}

impl Answer {
    /// What came of a process. Its words are as `hide` leaves them.
    pub(super) fn of(ended: &Ended, occasion: Occasion, hide: &dyn Fn(&str) -> String) -> Self {
        let words = |text: &str| cut(&hide(text.trim()));
        match ended.how {
            How::Exited(0) => Self::good(ended, occasion, hide),
            How::Exited(SAYS_NO) => {
                let said = words(&ended.stderr.text());
                Self::no(if said.is_empty() { "it gave no reason".to_owned() } else { said })
            }
            How::Exited(code @ (NOT_EXECUTABLE | NOT_FOUND)) => {
                Self::failed(format!("exit code {code}: {}", words(&ended.stderr.text())))
            }
            How::Exited(code) => {
                let trouble = format!("exit code {code}: {}", words(&ended.stderr.text()));
                Self { trouble: Some(trouble), ..Self::default() }
            }
            How::Signalled(signal) => Self::failed(format!("it was ended by signal {signal}")),
            How::TimedOut => Self::failed("its time was over".to_owned()),
            How::Cancelled => Self::failed("the run was stopped".to_owned()),
        }
    }

    /// It could not be asked.
    pub(super) fn failed(why: String) -> Self {
        Self { failed: Some(why), ..Self::default() }
    }

    fn no(why: String) -> Self {
        Self { no: Some(why), ..Self::default() }
    }

    fn good(ended: &Ended, occasion: Occasion, hide: &dyn Fn(&str) -> String) -> Self {
        let text = ended.stdout.text();
        let text = text.trim();
        if !text.starts_with('{') {
            let added = (occasion.takes_words() && !text.is_empty()).then(|| cut(&hide(text)));
            return Self { added, ..Self::default() };
        }
        match serde_json::from_str::<Value>(&hide(text)) {
            Ok(told) => Self::read(&told, occasion),
            Err(_) if occasion.is_guarded() => {
                Self::failed("its answer begins like JSON and is none".to_owned())
            }
            Err(_) if occasion.takes_words() => Self { added: Some(cut(&hide(text))), ..Self::default() },
            Err(_) => {
                let trouble = "its answer begins like JSON and is none".to_owned();
                Self { trouble: Some(trouble), ..Self::default() }
            }
        }
    }

    fn read(told: &Value, occasion: Occasion) -> Self {
        let text = |value: &Value, name: &str| {
            let text = value.get(name).and_then(Value::as_str).map(cut);
            text.filter(|text| !text.trim().is_empty())
        };
        let mut answer = Self { message: text(told, "systemMessage"), ..Self::default() };
        let because = |why: Option<String>| why.unwrap_or_else(|| "it gave no reason".to_owned());
        if told.get("continue") == Some(&Value::Bool(false)) {
            answer.halt = Some(because(text(told, "stopReason")));
        }
        match told.get("decision").and_then(Value::as_str) {
            Some("block" | "deny") => answer.no = Some(because(text(told, "reason"))),
            Some("approve" | "allow") => answer.leave = Some(Leave::Spared),
            Some(other) => answer.word(other, occasion),
            None => {}
        }
        let Some(own) = told.get("hookSpecificOutput") else { return answer };
        answer.added = text(own, "additionalContext");
        answer.updated = own.get("updatedInput").filter(|input| input.is_object()).cloned();
        let (word, why) = match (own.get("permissionDecision"), own.get("decision")) {
            (Some(word), _) => (word.as_str(), text(own, "permissionDecisionReason")),
            (None, Some(decision)) => {
                answer.updated = decision
                    .get("updatedInput")
                    .filter(|input| input.is_object())
                    .cloned()
                    .or(answer.updated);
                if decision.get("interrupt") == Some(&Value::Bool(true)) {
                    answer.halt = Some(because(text(decision, "message")));
                }
                (decision.get("behavior").and_then(Value::as_str), text(decision, "message"))
            }
            (None, None) => return answer,
        };
        match word.unwrap_or_default() {
            "deny" => answer.no = Some(because(why)),
            "allow" => answer.leave = Some(Leave::Spared),
            "ask" => answer.leave = Some(Leave::Asked),
            other => answer.word(other, occasion),
        }
        answer
    }

    /// A word that nobody knows may have meant no.
    fn word(&mut self, word: &str, occasion: Occasion) {
        let why = format!("its decision `{}` is none of allow, deny and ask", cut(word));
        let place = if occasion.is_guarded() { &mut self.failed } else { &mut self.trouble };
        *place = Some(why);
    }

    /// How it is written down.
    pub(super) fn word_for_it(&self) -> &'static str {
        match self {
            Self { failed: Some(_), .. } => "failed",
            Self { no: Some(_), .. } => "blocked",
            Self { halt: Some(_), .. } => "halted",
            Self { trouble: Some(_), .. } => "warned",
            _ => "ok",
        }
    }
}

/// As much as may reach anyone.
pub(super) fn cut(text: &str) -> String {
    if text.len() <= WORDS_BYTES_MAX {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(WORDS_BYTES_MAX);
    format!("{}\n[cut: {} bytes more]", &text[..end], text.len() - end)
}
