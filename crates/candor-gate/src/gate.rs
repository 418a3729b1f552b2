//! The gate: lists compiled once, commands judged by them and by the rules.

use std::fmt;

use crate::error::Error;
use crate::lists::{List, Lists, Reach};
use crate::scene::Scene;
use crate::syntax::Parsers;
use crate::text;
use crate::verdict::{Finding, Judgement, Verdict};
use crate::walk::Walk;

/// What is typed into a command that runs.
#[derive(Debug, Clone, Copy)]
pub struct Typed<'a> {
    /// What was typed before; nothing where that was too much to be kept.
    pub before: Option<&'a str>,
    /// What is typed now.
    pub text: &'a str,
}

/// Judges commands. One is made for each configuration and shared; the default one has no lists.
#[derive(Default)]
pub struct Gate {
    pub(crate) allow: List,
    pub(crate) ask: List,
    pub(crate) deny: List,
    pub(crate) parsers: Parsers,
}

impl Gate {
    /// Compiles the user's lists. An entry that cannot be used names itself.
    pub fn new(lists: &Lists) -> Result<Self, Error> {
        Ok(Self {
            allow: List::new("allow", &lists.allow, Reach::Whole)?,
            ask: List::new("ask", &lists.ask, Reach::Part)?,
            deny: List::new("deny", &lists.deny, Reach::Part)?.with_blocked("deny", &lists.blocked)?,
            parsers: Parsers::default(),
        })
    }

    /// Judges a command as it would run in this scene. What is denied by the rules is denied whatever the lists say;
    /// then the user's deny, ask and allow are heard, in this order; then the rules that ask.
    pub fn judge(&self, command: &str, scene: &Scene<'_>) -> Judgement {
        if let Some(finding) =
            text::before_parsing(command).filter(|finding| finding.verdict == Verdict::Deny)
        {
            return Judgement::from(finding);
        }
        let walk = self.walk(command, scene);
        let spared = walk.spared();
        let findings = walk.into_findings();
        let is_allowed = self.allow.text(command).is_some();
        decide(findings, is_allowed, spared)
    }

    /// Whether a shell would read what is typed into this command while it runs, so that this has to be judged as well.
    /// Where that cannot be told, it would.
    pub fn reads_commands(&self, command: &str, scene: &Scene<'_>) -> bool {
        self.walk(command, scene).reads_commands()
    }

    /// Judges what is typed into a command while it runs. What a shell reads is a script; any other program is judged by what it
    /// would do with such an input. Only what is new is told: the command itself has been judged when it was started.
    pub fn judge_input(&self, command: &str, typed: &Typed<'_>, scene: &Scene<'_>) -> Judgement {
        let is_script = self.reads_commands(command, scene);
        let read = |text: &str| {
            let mut walk = if is_script { self.walk(text, scene) } else { Walk::new(self, scene) };
            if !is_script {
                walk.fed(command, text);
            }
            (walk.spared(), walk.into_findings())
        };
        let before = typed.before.unwrap_or_default();
        // By itself as well: what was typed before may have been taken back, or have been answered for.
        let (spared, alone) = read(typed.text);
        let mut findings = fresh(read("").1, alone);
        if !before.is_empty() {
            findings.extend(fresh(read(before).1, read(&format!("{before}{}", typed.text)).1));
        }
        if is_script && typed.before.is_none() {
            let reason = "more was typed into it before than is looked through";
            findings.push(Finding::ask("too-long", reason).surroundings());
        }
        decide(findings, self.allow.text(typed.text.trim()).is_some(), spared)
    }

    fn walk(&self, command: &str, scene: &Scene<'_>) -> Walk<'_> {
        let mut walk = Walk::new(self, scene);
        walk.text(command);
        if let Some(joined) = text::joined(command) {
            walk.text(&joined);
        }
        walk
    }
}

/// The findings that are not among those before. What is denied stays denied.
fn fresh(mut before: Vec<Finding>, findings: Vec<Finding>) -> Vec<Finding> {
    let is_new = |finding: &Finding| {
        let is_same = |other: &Finding| other.rule == finding.rule && other.reason == finding.reason;
        match before.iter().position(is_same).filter(|_| finding.verdict != Verdict::Deny) {
            Some(at) => {
                before.swap_remove(at);
                false
            }
            None => true,
        }
    };
    let mut findings = findings;
    findings.retain(is_new);
    findings
}

/// The strictest finding decides. An allowed text silences the built-in questions, not the user's own, and not the one
/// about text that was not read to its end: an entry cannot speak for what nobody has seen.
fn decide(mut findings: Vec<Finding>, is_allowed: bool, spared: bool) -> Judgement {
    let before = findings.len();
    if is_allowed {
        findings.retain(|finding| {
            finding.verdict == Verdict::Deny || finding.rule == USER_ASK || finding.is_about_unread()
        });
    }
    let spared = spared || findings.len() < before;
    let Some(worst) = findings.iter().map(|finding| finding.verdict).max() else {
        return Judgement::allowed(spared);
    };
    let mut asked = findings.iter().filter(|finding| finding.verdict == worst);
    let Some(first) = asked.next() else { return Judgement::allowed(spared) };
    // One "always" answers only when it answers every question in the command.
    let same = asked.all(|other| other.pattern == first.pattern);
    let pattern = first.pattern.clone().filter(|_| same && worst == Verdict::Ask);
    Judgement { pattern, ..Judgement::from(first.clone()) }
}

/// The rule of the user's own ask list, which no allow entry overrides.
pub(crate) const USER_ASK: &str = "user-ask";

impl Judgement {
    fn allowed(spared: bool) -> Self {
        let (rule, reason) = if spared {
            ("user-allow", "the rules allow it")
        } else {
            ("ordinary", "nothing in it needs a question")
        };
        Self { verdict: Verdict::Allow, reason: reason.to_owned(), rule: rule.to_owned(), pattern: None }
    }
}

impl From<Finding> for Judgement {
    fn from(finding: Finding) -> Self {
        let Finding { verdict, rule, reason, pattern, .. } = finding;
        Self { verdict, reason, rule: rule.to_owned(), pattern }
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("allow", &self.allow)
            .field("ask", &self.ask)
            .field("deny", &self.deny)
            .finish_non_exhaustive()
    }
}
