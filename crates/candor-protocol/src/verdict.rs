//! What the verifier found, and what it saw.

use serde::{Deserialize, Serialize};

use crate::ErrorCard;

/// What the verifier found: a function of its evidence and of nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The word for it.
    pub status: VerdictStatus,
    /// How strictly was checked.
    pub profile: String,
    /// What was seen.
    pub evidence: Vec<Evidence>,
}

/// The word for what the verifier found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictStatus {
    /// Everything that was checked passed.
    Verified,
    /// Something that was checked did not pass.
    Failed,
    /// Files changed and nothing could be run.
    Unverifiable,
    /// There was nothing to verify.
    NotApplicable,
}

impl VerdictStatus {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Failed => "failed",
            Self::Unverifiable => "unverifiable",
            Self::NotApplicable => "not_applicable",
        }
    }
}

/// One thing that was checked, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "Stored")]
pub struct Evidence {
    /// What was checked: `test`, or of a service `api: ready`, `api: ping`, `api: log`.
    pub check: String,
    /// What kind of check it is.
    pub kind: EvidenceKind,
    /// What came of it.
    pub result: CheckResult,
    /// The same in one sentence.
    pub summary: String,
    /// The command that was run, where one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How long it took.
    pub duration_ms: u64,
    /// What was seen that matters most: an answer, or the lines that tell why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// What was read of which logs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<LogRange>,
    /// Files that the check is about, as they were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<Artefact>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<ErrorCard>,
}

/// What kind of check something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is the word that people read")]
pub enum EvidenceKind {
    Syntax,
    Build,
    Types,
    Lint,
    Test,
    Custom,
    Install,
    /// A service was started and became ready.
    Start,
    /// A service was asked something.
    Probe,
    /// What a service wrote while it ran.
    Log,
    /// A service stayed healthy and was stopped.
    Stop,
    /// A declaration was read.
    Plan,
    /// Nothing was checked; the summary says why.
    Note,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It passed.
    Passed,
    /// It failed, and passed when it was tried once more.
    Flaky,
    /// It failed.
    Failed,
    /// It could not be tried: something it needs is missing.
    Unverifiable,
    /// The profile leaves it out, or something before it failed.
    Skipped,
}

impl CheckResult {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flaky => "flaky",
            Self::Failed => "failed",
            Self::Unverifiable => "unverifiable",
            Self::Skipped => "skipped",
        }
    }
}

/// Which part of a log was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRange {
    /// Which log: a file relative to the workspace, or `stdout`, `stderr`.
    pub file: String,
    /// The first byte.
    pub from: u64,
    /// The byte after the last one.
    pub to: u64,
}

/// A file as it was when it was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artefact {
    /// Relative to the workspace.
    pub path: String,
    /// Of its bytes, in hexadecimal.
    pub sha256: String,
}

impl Evidence {
    /// Evidence without anything beside its sentence.
    pub fn new(
        check: impl Into<String>,
        kind: EvidenceKind,
        result: CheckResult,
        summary: impl Into<String>,
    ) -> Self {
        Self {
            check: check.into(),
            kind,
            result,
            summary: summary.into(),
            command: None,
            duration_ms: 0,
            excerpt: None,
            ranges: Vec::new(),
            artefacts: Vec::new(),
            card: None,
        }
    }

    /// Why nothing was checked.
    pub fn note(summary: impl Into<String>) -> Self {
        Self::new("verification", EvidenceKind::Note, CheckResult::Skipped, summary)
    }
}

/// Evidence as it may be stored: once it was a sentence.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Sentence(String),
    Whole(Box<Whole>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Whole {
    check: String,
    kind: EvidenceKind,
    result: CheckResult,
    #[serde(default)]
    summary: String,
    command: Option<String>,
    #[serde(default)]
    duration_ms: u64,
    excerpt: Option<String>,
    #[serde(default)]
    ranges: Vec<LogRange>,
    #[serde(default)]
    artefacts: Vec<Artefact>,
    card: Option<ErrorCard>,
}

impl From<Stored> for Evidence {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Sentence(summary) => Self::note(summary),
            Stored::Whole(whole) => {
                let Whole { check, kind, result, summary, command, .. } = *whole;
                let Whole { duration_ms, excerpt, ranges, artefacts, card, .. } = *whole;
                Self { check, kind, result, summary, command, duration_ms, excerpt, ranges, artefacts, card }
            }
        }
    }
}
