//! A check that ends by itself.

use std::path::Path;
use std::time::Duration;

use candor_cards::How as Failed;
use candor_protocol::{CheckResult, Code, ErrorCard, Evidence, EvidenceKind, Failure};
use candor_sandbox::{Ended, How, Stdin};

use crate::detect::lack::{Lack, lack};
use crate::diagnostics;
use crate::excerpt::{self, EXCERPT_CHARS_MAX};
use crate::found::Diagnostic;
use crate::ground::{Ground, Progress, Ran};
use crate::plan::{Check, CheckKind};
use crate::runners;

/// What came of a check.
pub(crate) struct Done {
    pub(crate) evidence: Evidence,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether it was ended because its time was over.
    pub(crate) is_cut: bool,
}

impl From<Evidence> for Done {
    fn from(evidence: Evidence) -> Self {
        Self { evidence, diagnostics: Vec::new(), is_cut: false }
    }
}

/// Carries out a check within this time.
pub(crate) async fn carry_out(check: &Check, time: Duration, ground: &Ground<'_>) -> Done {
    ground.host.tell(Progress::Began { check: &check.name, command: &check.run });
    let mut done = tried(check, time, ground).await;
    done.evidence.command = Some(check.run.clone());
    done.evidence.artefacts = excerpt::artefacts(&check.run, &check.cwd, ground.root).await;
    done.evidence = ground.masked(done.evidence);
    for diagnostic in &mut done.diagnostics {
        diagnostic.message = ground.host.mask(&diagnostic.message);
        diagnostic.file = ground.host.mask(&diagnostic.file);
    }
    done
}

async fn tried(check: &Check, time: Duration, ground: &Ground<'_>) -> Done {
    if let Some(missing) = ground.missing(&check.needs, &check.needs_files, &check.cwd) {
        return unverifiable(check, &missing).into();
    }
    let cwd = ground.root.join(&check.cwd);
    if let Err(card) = ground.host.permit(&check.run, &cwd).await {
        let summary = format!("it may not be run: {}", excerpt::first_line(&card.cause));
        return Evidence { card: Some(card), ..evidence(check, CheckResult::Unverifiable, summary) }.into();
    }
    let spec = ground.spec(&check.run, &check.cwd, &check.env, time, Stdin::Closed);
    match candor_sandbox::run(&spec, ground.sandbox, ground.cancel).await {
        Ok(ended) => judged(check, &ended, time, &cwd, ground).await,
        Err(error) => {
            let card = candor_cards::card(&error.failure());
            let summary = format!("it could not be started: {}", excerpt::first_line(&card.cause));
            Evidence { card: Some(card), ..evidence(check, CheckResult::Unverifiable, summary) }.into()
        }
    }
}

async fn judged(check: &Check, ended: &Ended, time: Duration, cwd: &Path, ground: &Ground<'_>) -> Done {
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    let output = format!("{stdout}\n{stderr}");
    let duration_ms = excerpt::millis(ended.duration);
    let how = match ended.how {
        How::Exited(0) if check.kind == CheckKind::Test && runners::failed(&output).is_some() => {
            Failed::Exited(0)
        }
        How::Exited(0 | runners::NO_TESTS_CODE)
            if check.kind == CheckKind::Test && runners::none_ran(&output) =>
        {
            let excerpt = excerpt::last_line(&output).map(|line| ground.host.mask(&line));
            let skipped = evidence(check, CheckResult::Skipped, "there are no tests");
            return Evidence { duration_ms, excerpt, ..skipped }.into();
        }
        How::Exited(0) => {
            let excerpt = excerpt::last_line(&output).map(|line| ground.host.mask(&line));
            let passed = evidence(check, CheckResult::Passed, "exit code 0");
            return Evidence { duration_ms, excerpt, ..passed }.into();
        }
        How::Cancelled => {
            let stopped = evidence(check, CheckResult::Skipped, "it was stopped");
            return Evidence { duration_ms, ..stopped }.into();
        }
        How::Exited(code) => Failed::Exited(code),
        How::Signalled(signal) => Failed::Signalled(signal),
        How::TimedOut => Failed::TimedOut(time),
    };
    let found = diagnostics::parse(&output);
    // A test that has failed has run, whatever else was missing.
    let has_run = runners::failed(&output).is_some();
    if let Some(missing) = lacking(&output, ground.root, &check.cwd).filter(|_| !has_run) {
        let excerpt = Some(ground.host.mask(&excerpt::end(&output, EXCERPT_CHARS_MAX)));
        return Evidence { duration_ms, excerpt, ..unverifiable(check, &missing) }.into();
    }
    let summary = match &how {
        Failed::Exited(0) => {
            format!("exit code 0, but it says {}", runners::failed(&output).unwrap_or_default())
        }
        Failed::Exited(code) => format!("exit code {code}"),
        Failed::Signalled(signal) => format!("ended by signal {signal}"),
        _ => format!("it did not end within {}", excerpt::time(time)),
    };
    let summary = match found.iter().find(|diagnostic| diagnostic.is_error) {
        Some(first) => format!("{summary}: {}", excerpt::place(first)),
        None => summary,
    };
    let shown = Some(ground.host.mask(&excerpt::end(&output, EXCERPT_CHARS_MAX)));
    let card = ground.host.explain(Ran { command: &check.run, cwd, how, stdout, stderr }).await;
    let evidence = Evidence {
        duration_ms,
        excerpt: shown,
        card: Some(card),
        ..evidence(check, CheckResult::Failed, ground.host.mask(&summary))
    };
    Done { evidence, diagnostics: found, is_cut: ended.how == How::TimedOut }
}

/// What a command that failed lacked, in words, where that is not its own fault.
pub(crate) fn lacking(output: &str, root: &Path, cwd: &Path) -> Option<String> {
    match lack(output, root, &root.join(cwd))? {
        Lack::Program(name) => Some(format!("the program {name} is not here")),
        Lack::Module { name, is_declared: true } => Some(format!("{name} is declared and not installed")),
        Lack::Network(what) => Some(format!("it needs the network, which is off here: {what}")),
        Lack::Module { is_declared: false, .. } => None,
    }
}

fn evidence(check: &Check, result: CheckResult, summary: impl Into<String>) -> Evidence {
    Evidence::new(check.name.clone(), kind(check.kind), result, summary)
}

fn unverifiable(check: &Check, missing: &str) -> Evidence {
    Evidence {
        card: Some(lacks(&check.name, missing)),
        ..evidence(check, CheckResult::Unverifiable, missing)
    }
}

/// The card of something that could not be tried.
pub(crate) fn lacks(check: &str, missing: &str) -> ErrorCard {
    candor_cards::card(&Failure::new(Code::VerifyLacks).with("check", check).with("reason", missing))
}

/// What a check's evidence is.
pub(crate) fn kind(kind: CheckKind) -> EvidenceKind {
    match kind {
        CheckKind::Syntax => EvidenceKind::Syntax,
        CheckKind::Build => EvidenceKind::Build,
        CheckKind::Types => EvidenceKind::Types,
        CheckKind::Lint => EvidenceKind::Lint,
        CheckKind::Test => EvidenceKind::Test,
        CheckKind::Custom => EvidenceKind::Custom,
        CheckKind::Install => EvidenceKind::Install,
    }
}
