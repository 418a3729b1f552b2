//! From what was seen to what is said of it.

use candor_protocol::{CheckResult, Evidence, EvidenceKind, Verdict, VerdictStatus};

use crate::profile::Profile;

/// What was seen, with what it weighs.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// What was seen.
    pub evidence: Evidence,
    /// Whether the work cannot be called verified without it: what is declared, and of what was found builds, types, tests
    /// and services.
    pub counts: bool,
}

/// The verdict: a function of the evidence and of nothing else.
///
/// One failure is a failure. Without one, something that counts and could not be tried leaves it open, and so does it when
/// nothing of the work was run: to read a file without an error is not to run it.
pub fn verdict(seen: &[Weighed], profile: Profile) -> Verdict {
    let is = |result: CheckResult| move |weighed: &&Weighed| weighed.evidence.result == result;
    let mut of = seen.iter();
    let status = if of.any(|weighed| weighed.evidence.result == CheckResult::Failed) {
        VerdictStatus::Failed
    } else if seen.iter().filter(is(CheckResult::Unverifiable)).any(|weighed| weighed.counts) {
        VerdictStatus::Unverifiable
    } else if seen.iter().any(|weighed| is_run(&weighed.evidence)) {
        VerdictStatus::Verified
    } else {
        VerdictStatus::Unverifiable
    };
    let evidence = seen.iter().map(|weighed| weighed.evidence.clone()).collect();
    Verdict { status, profile: profile.as_str().to_owned(), evidence }
}

/// Whether this shows that something of the work was run, and well.
fn is_run(evidence: &Evidence) -> bool {
    let passed = matches!(evidence.result, CheckResult::Passed | CheckResult::Flaky);
    let runs = matches!(
        evidence.kind,
        EvidenceKind::Build
            | EvidenceKind::Types
            | EvidenceKind::Test
            | EvidenceKind::Custom
            | EvidenceKind::Start
            | EvidenceKind::Probe
    );
    passed && runs
}

/// What tells a failure from another one: which checks failed, and on what. Numbers are left out, as times, ports and
/// addresses are others every time.
pub fn signature(verdict: &Verdict) -> Vec<String> {
    let failed = verdict.evidence.iter().filter(|evidence| evidence.result == CheckResult::Failed);
    let mut signature: Vec<String> = failed
        .map(|evidence| {
            let excerpt = evidence.excerpt.as_deref().unwrap_or_default();
            let text = format!("{}\n{}\n{excerpt}", evidence.check, evidence.summary);
            text.chars().filter(|c| !c.is_ascii_digit()).collect()
        })
        .collect();
    signature.sort();
    signature
}
