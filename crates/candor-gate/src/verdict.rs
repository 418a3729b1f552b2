//! What comes out of the gate, and what the rules say on the way there.

/// What should happen with a command. Later is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Let a person decide.
    Ask,
    /// Do not run it.
    Deny,
}

/// The answer for one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// What should happen.
    pub verdict: Verdict,
    /// One readable sentence: `it deletes everything under /`.
    pub reason: String,
    /// The stable name of the rule that decided: `delete-root`, `user-deny`, `unparsable`.
    pub rule: String,
    /// What "always" would add to the allow list; nothing when it must be asked each time.
    pub pattern: Option<String>,
}

/// What one rule says about one simple command or about the text.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) verdict: Verdict,
    pub(crate) rule: &'static str,
    pub(crate) reason: String,
    pub(crate) pattern: Option<String>,
    pub(crate) about: About,
}

/// What a finding is about, which decides whether an entry of the allow list can speak to it. A list entry names words,
/// so it must not wave through a redirect that the words do not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    Words,
    Surroundings,
}

impl Finding {
    pub(crate) fn deny(rule: &'static str, reason: impl Into<String>) -> Self {
        Self::new(Verdict::Deny, rule, reason.into())
    }

    pub(crate) fn ask(rule: &'static str, reason: impl Into<String>) -> Self {
        Self::new(Verdict::Ask, rule, reason.into())
    }

    fn new(verdict: Verdict, rule: &'static str, reason: String) -> Self {
        Self { verdict, rule, reason, pattern: None, about: About::Words }
    }

    /// What "always" would mean.
    pub(crate) fn always(mut self, pattern: impl Into<String>) -> Self {
        self.pattern = Some(pattern.into());
        self
    }

    pub(crate) fn surroundings(mut self) -> Self {
        self.about = About::Surroundings;
        self
    }

    /// Whether it says that the text, or a text inside of it, was not understood or not looked through.
    pub(crate) fn is_about_unread(&self) -> bool {
        matches!(self.rule, "unparsable" | "too-many" | "too-deep" | "too-long")
    }

    /// For rules that can be wrong about what runs: never stricter than a question.
    pub(crate) fn at_most_ask(mut self) -> Self {
        self.verdict = self.verdict.min(Verdict::Ask);
        self
    }
}
