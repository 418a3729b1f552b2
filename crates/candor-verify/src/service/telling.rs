//! What is told of a service: evidence, and the cards of what went wrong.

use std::time::Duration;

use candor_protocol::{CheckResult, Code, Evidence, EvidenceKind, Failure, LogRange};
use candor_sandbox::How;

use super::ready::NotReady;
use crate::check::lacks;
use crate::detect::lack::{Lack, lack};
use crate::excerpt;
use crate::found::LogEntry;
use crate::ground::Ground;
use crate::logs::Watched;
use crate::plan::{Probe, Service};
use crate::probe::Answer;

/// How many entries of a log evidence shows.
const ENTRIES_SHOWN: usize = 5;

pub(super) fn evidence(
    service: &Service,
    what: &str,
    kind: EvidenceKind,
    result: CheckResult,
    summary: &str,
) -> Evidence {
    Evidence::new(format!("{}: {what}", service.name), kind, result, summary)
}

/// What is known about a start besides.
pub(super) async fn of_start(evidence: Evidence, service: &Service, ground: &Ground<'_>) -> Evidence {
    Evidence {
        command: Some(service.command.clone()),
        artefacts: excerpt::artefacts(&service.command, &service.cwd, ground.root).await,
        ..evidence
    }
}

pub(super) fn not_ready(service: &Service, not: &NotReady, said: &str, waited: Duration) -> Evidence {
    let failed = |summary: &str, failure: Failure| {
        let evidence = evidence(service, "start", EvidenceKind::Start, CheckResult::Failed, summary);
        Evidence { card: Some(candor_cards::card(&failure)), ..evidence }
    };
    match not {
        NotReady::Ended(how) => {
            let ended = ended(service, *how, "before it was ready", said);
            Evidence { check: format!("{}: start", service.name), kind: EvidenceKind::Start, ..ended }
        }
        NotReady::Taken(address) => {
            let failure = Failure::new(Code::VerifyPortTaken)
                .with("service", &service.name)
                .with("address", address.to_string());
            failed(&format!("{address} is taken by another program"), failure)
        }
        NotReady::Late(missing) => {
            let failure = Failure::new(Code::VerifyNotReady)
                .with("service", &service.name)
                .with("command", &service.command)
                .with("waited", excerpt::time(waited))
                .with("reason", missing)
                .with("said", or_nothing(said));
            failed(&format!("not ready after {}: {missing}", excerpt::time(waited)), failure)
        }
        NotReady::Stopped => {
            evidence(service, "start", EvidenceKind::Start, CheckResult::Skipped, "it was stopped")
        }
    }
}

/// It could not be tried, for want of something that is not its own fault.
pub(super) fn lacked(service: &Service, missing: &str, said: String) -> Evidence {
    Evidence {
        excerpt: Some(said),
        card: Some(lacks(&service.name, missing)),
        ..evidence(service, "start", EvidenceKind::Start, CheckResult::Unverifiable, missing)
    }
}

/// It ended by itself.
pub(super) fn ended(service: &Service, how: How, when: &str, said: &str) -> Evidence {
    let (code, words) = match how {
        How::Exited(0) => (Code::VerifyServiceBackground, "ended with exit code 0".to_owned()),
        How::Exited(code) => (Code::VerifyServiceEnded, format!("ended with exit code {code}")),
        How::Signalled(signal) => (Code::VerifyServiceEnded, format!("was ended by signal {signal}")),
        How::TimedOut | How::Cancelled => (Code::VerifyServiceEnded, "was stopped".to_owned()),
    };
    let failure = Failure::new(code)
        .with("service", &service.name)
        .with("command", &service.command)
        .with("how", &words)
        .with("when", when)
        .with("said", or_nothing(said));
    let summary = format!("it {words} {when}");
    Evidence {
        excerpt: Some(said.to_owned()),
        card: Some(candor_cards::card(&failure)),
        ..evidence(service, "life", EvidenceKind::Stop, CheckResult::Failed, &summary)
    }
}

/// What came of a probe.
pub(super) fn answered(service: &Service, probe: &Probe, answer: &Answer, name: String) -> Evidence {
    let card = (answer.result == CheckResult::Failed).then(|| {
        let failure = Failure::new(Code::VerifyProbeFailed)
            .with("service", &service.name)
            .with("probe", &probe.name)
            .with("reason", &answer.summary)
            .with("sample", or_nothing(answer.sample.as_deref().unwrap_or_default()));
        candor_cards::card(&failure)
    });
    Evidence {
        duration_ms: excerpt::millis(answer.duration),
        excerpt: answer.sample.clone(),
        card,
        ..Evidence::new(name, EvidenceKind::Probe, answer.result, &answer.summary)
    }
}

/// Nobody declared what it is to be asked, and it answered nothing of what could be guessed.
pub(super) fn refused(service: &Service, refused: &[String]) -> Evidence {
    let tried = refused.join(", ");
    let reason = format!(
        "it answered nothing of what it was asked ({tried}), so that it was not seen to work; declare a probe for it"
    );
    Evidence {
        card: Some(lacks(&service.name, &reason)),
        ..evidence(service, "answers", EvidenceKind::Probe, CheckResult::Unverifiable, &reason)
    }
}

/// What its logs say. Where all that failed is a network that is off here, nothing is known.
pub(super) fn of_logs(service: &Service, watched: &Watched, ground: &Ground<'_>) -> Evidence {
    let findings = &watched.findings;
    let count: u64 = findings.iter().map(|findings| findings.count).sum();
    let ranges: Vec<LogRange> = findings.iter().map(|findings| findings.range.clone()).collect();
    let entries: Vec<_> = findings.iter().flat_map(|findings| &findings.entries).collect();
    let Some(first) = entries.first() else {
        let bytes: u64 = ranges.iter().map(|range| range.to - range.from).sum();
        if watched.left_out > 0 {
            let missing = format!(
                "no error in the {bytes} bytes that were read, but {} of its log files were not read: there are too many",
                watched.left_out
            );
            let evidence = evidence(service, "log", EvidenceKind::Log, CheckResult::Unverifiable, &missing);
            return Evidence { ranges, card: Some(lacks(&service.name, &missing)), ..evidence };
        }
        let summary = format!("no error in the {bytes} bytes that it wrote");
        let evidence = evidence(service, "log", EvidenceKind::Log, CheckResult::Passed, &summary);
        return Evidence { ranges, ..evidence };
    };
    let network = |entry: &&&LogEntry| {
        let cwd = ground.root.join(&service.cwd);
        matches!(lack(&entry.message, ground.root, &cwd), Some(Lack::Network(_)))
    };
    if entries.len() as u64 == count && entries.iter().filter(network).count() == entries.len() {
        let missing = format!(
            "it needs the network, which is off here: {}",
            excerpt::short(excerpt::first_line(&first.message))
        );
        return Evidence { ranges, ..lacked(service, &missing, first.message.clone()) };
    }
    let failure = Failure::new(Code::VerifyLogErrors)
        .with("service", &service.name)
        .with("count", count.to_string())
        .with("file", &first.file)
        .with("entry", &first.message);
    let told = excerpt::short(&decisive(&first.message));
    let summary = format!("runtime log errors detected: {count}, the first in {}: {told}", first.file);
    let shown: Vec<String> = entries
        .iter()
        .take(ENTRIES_SHOWN)
        .map(|entry| format!("{}: {}", entry.file, entry.message))
        .collect();
    Evidence {
        ranges,
        excerpt: Some(shown.join("\n")),
        card: Some(candor_cards::card(&failure)),
        ..evidence(service, "log", EvidenceKind::Log, CheckResult::Failed, &summary)
    }
}

/// The part of an entry that says what went wrong: in Python it comes last, elsewhere first.
fn decisive(entry: &str) -> String {
    let mut lines = entry.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    match lines.next() {
        Some(second) if first.starts_with("Traceback") => lines.next_back().unwrap_or(second).to_owned(),
        Some(second) if first.contains("panicked at") || first.starts_with("terminate called") => {
            format!("{first} {second}")
        }
        _ => first.to_owned(),
    }
}

fn or_nothing(said: &str) -> &str {
    if said.trim().is_empty() { "(nothing)" } else { said }
}
