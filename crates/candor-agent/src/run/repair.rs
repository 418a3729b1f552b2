//! What a model is told when its work failed.

use std::fmt::Write;

use candor_protocol::{CheckResult, Code, Evidence, EvidenceKind, Failure, Verdict, VerdictStatus};

/// How much the model is told of what failed.
const TOLD_CHARS_MAX: usize = 12_000;
/// How many failures it is told at once.
const TOLD_MAX: usize = 8;

/// All that failed, with its card and what was seen.
pub(super) fn told(verdict: &Verdict, round: u32, rounds_max: u32) -> String {
    let failed: Vec<&Evidence> =
        verdict.evidence.iter().filter(|evidence| evidence.result == CheckResult::Failed).collect();
    let mut text = format!(
        "The runtime looked for itself, and the work is not done: {} failed (profile {}).\n",
        if failed.len() == 1 { "1 check".to_owned() } else { format!("{} checks", failed.len()) },
        verdict.profile
    );
    for evidence in failed.iter().take(TOLD_MAX) {
        text.push_str(&shown(evidence));
    }
    let mut text: String = text.chars().take(TOLD_CHARS_MAX).collect();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\nRepair the cause, not the check: what you declare yourself adds checks and replaces none. Where a card says \
         `candor verify`, use the verify tool. The runtime looks again when you are finished (repair {round} of {rounds_max})."
    );
    text
}

/// One failure, as the model is told it.
fn shown(evidence: &Evidence) -> String {
    let command = evidence.command.as_deref().unwrap_or_default();
    let mut lines = vec![String::new(), format!("## {}: {}", evidence.check, evidence.summary)];
    if !command.is_empty() {
        lines.push(format!("command: {command}"));
    }
    lines.extend(evidence.card.as_ref().map(|card| candor_cards::text(card, command)));
    if let Some(excerpt) = evidence.excerpt.as_deref().filter(|excerpt| !excerpt.trim().is_empty()) {
        lines.push(format!("what was seen:\n{excerpt}"));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Why nothing more is tried.
pub(super) fn stuck(verdict: &Verdict) -> Failure {
    let failed = verdict.evidence.iter().find(|evidence| evidence.result == CheckResult::Failed);
    let cause = failed.map(|evidence| evidence.summary.as_str()).unwrap_or_default();
    Failure::new(Code::VerifyStuck)
        .with("check", failed.map(|evidence| evidence.check.as_str()).unwrap_or_default())
        .with("cause", cause)
}

/// The checks that failed, by name.
pub(super) fn failed(verdict: &Verdict) -> Vec<String> {
    let failed = verdict.evidence.iter().filter(|evidence| evidence.result == CheckResult::Failed);
    failed.map(|evidence| evidence.check.clone()).collect()
}

/// A check that failed and is gone was not repaired: without this, whoever removes the tests would be told that there is
/// nothing to run.
pub(super) fn hold_vanished(verdict: &mut Verdict, failed: &[String]) {
    let is_there = |name: &String| verdict.evidence.iter().any(|evidence| evidence.check == *name);
    let gone: Vec<&String> = failed.iter().filter(|name| !is_there(name)).collect();
    for name in &gone {
        let said = "it failed before, and is not there any more";
        let evidence = Evidence::new(name.as_str(), EvidenceKind::Custom, CheckResult::Failed, said);
        verdict.evidence.push(evidence);
    }
    if !gone.is_empty() {
        verdict.status = VerdictStatus::Failed;
    }
}
