//! What came of a child, in words: what was seen, and what it claims.

use std::path::Path;

use candor_protocol::{
    Change, CheckResult, Code, ErrorCard, Evidence, EvidenceKind, Failure, Outcome, RunId, SessionId, Status,
    VerdictStatus,
};
use candor_tools::{Missing, ToolOutput};
use serde_json::{Value, json};

use super::NAME;

/// How many pieces of evidence the run above is told, the failed ones first.
const EVIDENCE_MAX: usize = 8;
/// How long the sentence of each may be.
const SENTENCE_CHARS_MAX: usize = 300;
/// How many files it is told.
const FILES_MAX: usize = 40;
/// How much of the answer it is told, of its beginning and of its end.
const BEGINNING_BYTES_MAX: usize = 12_000;
const END_BYTES_MAX: usize = 4_000;

/// What came of one run of a child.
#[derive(Debug, Clone)]
pub(crate) struct Came {
    pub(crate) session: SessionId,
    pub(crate) run: RunId,
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    /// The last that it said.
    pub(crate) answer: String,
    /// The files that it changed, in that order.
    pub(crate) changes: Vec<Change>,
}

impl Came {
    /// What the run above is told.
    pub(crate) fn output(&self, workspace: &Path) -> ToolOutput {
        let mut told = self.told(workspace);
        let status = self.outcome.status;
        let card = is_failure(status).then(|| self.card());
        if let Some(card) = &card {
            told["card"] = serde_json::to_value(card).unwrap_or_default();
        }
        let mut output = ToolOutput::success(told.to_string(), self.for_people());
        output.is_error = card.is_some();
        output.card = card;
        output
    }

    /// The same without a card, for whoever is told without having asked.
    pub(crate) fn told(&self, workspace: &Path) -> Value {
        let Outcome { status, verdict, turns, cost_usd, .. } = &self.outcome;
        let mut evidence: Vec<&Evidence> = verdict.evidence.iter().collect();
        evidence.sort_by_key(|seen| order(seen.result));
        let shown = |seen: &&Evidence| json!({ "check": seen.check, "result": seen.result, "summary": cut(&seen.summary) });
        let rows: Vec<Value> = evidence.iter().take(EVIDENCE_MAX).map(shown).collect();
        let mut told = json!({
            "session": self.session,
            "run": self.run,
            "status": self.state(),
            "verdict": { "status": verdict.status, "evidence": rows },
            "changes": self.files(workspace),
            "turns": turns,
            "cost_usd": cost_usd,
            "claim": self.claim(),
        });
        let more = evidence.len().saturating_sub(EVIDENCE_MAX);
        if more > 0 {
            told["verdict"]["left_out"] = more.into();
        }
        if is_failure(*status) {
            let why = self.outcome.card.as_ref().map_or("it did not end well", |card| card.title.as_str());
            told["error"] = format!("the helper ended as {}: {why}", self.state()).into();
        }
        told
    }

    /// How it ended, in a word.
    pub(crate) fn state(&self) -> &'static str {
        if self.is_interrupted() { "interrupted" } else { self.outcome.status.as_str() }
    }

    /// Whether the program ended before it did.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.outcome.card.as_ref().is_some_and(|card| card.code == Code::RunInterrupted.as_str())
    }

    /// Its changes as changes of the call that it was started by. Where something may have changed that nobody noticed, that
    /// is one, too: the run above has to look.
    pub(crate) fn changes(&self, workspace: &Path) -> Vec<Change> {
        let is_touched = self.outcome.verdict.status != VerdictStatus::NotApplicable || self.is_interrupted();
        if self.changes.is_empty() && is_touched {
            let why = format!("what helper {} changed in it was not noticed", self.session);
            return vec![Change::left(workspace.display().to_string(), why)];
        }
        self.changes.clone()
    }

    /// What was found of it, as evidence of the run above. It was not seen by that run, so it counts neither way.
    pub(crate) fn evidence(&self) -> Evidence {
        let said = format!("{}: {}", self.name, self.summary());
        Evidence::new(format!("helper {}", self.session), EvidenceKind::Note, CheckResult::Skipped, said)
    }

    fn summary(&self) -> String {
        let verdict = &self.outcome.verdict;
        let first = verdict.evidence.iter().min_by_key(|seen| order(seen.result));
        let seen = first.map(|seen| format!(" ({}: {})", seen.check, cut(&seen.summary))).unwrap_or_default();
        format!("{}, {}{seen}", self.state(), verdict.status.as_str())
    }

    /// What people are told.
    pub(crate) fn for_people(&self) -> String {
        format!("{}: {}", self.name, self.summary())
    }

    /// Why it did not end well. A question that nobody could answer stays one of the run above.
    fn card(&self) -> ErrorCard {
        if self.outcome.status == Status::NeedsApproval {
            let unapproved = candor_tools::Error::Unapproved {
                tool: NAME.to_owned(),
                command: self.name.clone(),
                reason: "a helper needed a person for something".to_owned(),
                missing: Missing::Yes,
            };
            return candor_cards::card(&unapproved.failure());
        }
        let failed = || self.outcome.verdict.evidence.iter().find_map(|seen| seen.card.clone());
        let stopped = || {
            let failure = Failure::new(Code::ToolInterrupted).with("tool", NAME);
            candor_cards::card(&failure)
        };
        self.outcome.card.clone().or_else(failed).unwrap_or_else(stopped)
    }

    fn files(&self, workspace: &Path) -> Value {
        let relative = |change: &Change| {
            let path = Path::new(&change.path);
            path.strip_prefix(workspace).unwrap_or(path).display().to_string()
        };
        let mut files: Vec<String> = self.changes.iter().map(relative).collect();
        files.sort_unstable();
        files.dedup();
        let more = files.len().saturating_sub(FILES_MAX);
        files.truncate(FILES_MAX);
        if more > 0 {
            files.push(format!("and {more} more"));
        }
        files.into()
    }

    /// Its own words, of which nothing was checked.
    fn claim(&self) -> String {
        let answer = &self.answer;
        if answer.len() <= BEGINNING_BYTES_MAX + END_BYTES_MAX {
            return answer.clone();
        }
        let beginning = &answer[..answer.floor_char_boundary(BEGINNING_BYTES_MAX)];
        let end = &answer[answer.ceil_char_boundary(answer.len() - END_BYTES_MAX)..];
        let left = answer.len() - beginning.len() - end.len();
        format!("{beginning}\n[{left} bytes left out]\n{end}")
    }
}

/// Whether the run above should be told by a card.
fn is_failure(status: Status) -> bool {
    !matches!(status, Status::Done | Status::DonePartial)
}

/// What failed tells most.
fn order(result: CheckResult) -> u8 {
    match result {
        CheckResult::Failed => 0,
        CheckResult::Unverifiable => 1,
        CheckResult::Flaky => 2,
        CheckResult::Passed => 3,
        CheckResult::Skipped => 4,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(SENTENCE_CHARS_MAX).collect()
}
