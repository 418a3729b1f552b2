//! Asks a service what it is to be asked.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{CheckResult, Evidence, EvidenceKind};
use candor_sandbox::State;
use tokio::time::{Instant, timeout_at};

use super::ears::Ears;
use super::ready::Ready;
use super::{Life, telling};
use crate::BoxFuture;
use crate::excerpt;
use crate::ground::Progress;
use crate::logs::Answered;
use crate::plan::{Probe, ProbeHow, ReadyWhen, Service};
use crate::probe::{self, Target};

/// How long an answer to a question that nobody declared may take: nobody said that it is to be quick.
const DERIVED_TIMEOUT: Duration = Duration::from_secs(10);

/// Which questions are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    /// All that it can be asked.
    First,
    /// Those that could not be asked before it listened.
    Late,
}

/// What came of a probe.
struct Asked {
    evidence: Evidence,
    /// The question and the status by which it was refused, if it was.
    refusal: Option<String>,
}

impl From<Evidence> for Asked {
    fn from(evidence: Evidence) -> Self {
        Self { evidence, refusal: None }
    }
}

impl Life<'_> {
    /// Asks what it is to be asked.
    pub(super) async fn ask(&mut self, ready: &Ready, deadline: Instant, round: Round) {
        let service = self.service;
        let mut refusals = Vec::new();
        for probe in &service.probes {
            // What was made up for a service that listens means nothing to one that does not.
            let wants_port = probe.derived && matches!(probe.how, ProbeHow::Http(_));
            let is_due = match round {
                Round::First => ready.base.is_some() || !wants_port,
                Round::Late => wants_port,
            };
            if !is_due {
                continue;
            }
            if self.running.state() != State::Running || self.ground.cancel.is_cancelled() {
                break;
            }
            let Ok(asked) = timeout_at(deadline, self.asked(probe, ready)).await else {
                self.is_out_of_time(&probe.name);
                return;
            };
            self.note(asked.evidence);
            refusals.push(asked.refusal);
        }
        // Where something is declared that answers, that tells. What does not speak HTTP has not refused anything.
        let has_answered = matches!(&service.ready, Some(ready) if matches!(ready.when, ReadyWhen::Http(_)));
        let is_guessed = service.probes.iter().all(|probe| probe.derived) && !has_answered;
        let refusals: Option<Vec<String>> = refusals.into_iter().collect();
        if let Some(refusals) = refusals.filter(|all| is_guessed && !all.is_empty()) {
            self.note(telling::refused(service, &refusals));
        }
    }

    async fn asked(&self, probe: &Probe, ready: &Ready) -> Asked {
        let name = format!("{}: {}", self.service.name, probe.name);
        self.ground.host.tell(Progress::Began { check: &name, command: "" });
        let cwd: PathBuf = self.ground.root.join(&self.service.cwd);
        if let ProbeHow::Exec { command, .. } = &probe.how
            && let Err(card) = self.ground.host.permit(command, &cwd).await
        {
            let summary = format!("it may not be run: {}", excerpt::first_line(&card.cause));
            let evidence = Evidence::new(name, EvidenceKind::Probe, CheckResult::Unverifiable, summary);
            return Evidence { card: Some(card), ..evidence }.into();
        }
        let log_files = |pattern: &regex::Regex| -> BoxFuture<'static, Option<String>> {
            let (ears, pattern) = (Arc::clone(&self.ears), pattern.clone());
            Box::pin(async move { Ears::in_files(&ears, &pattern).await })
        };
        let target = Target {
            sandbox: self.ground.sandbox,
            running: &self.running,
            heard: self.ears.heard(),
            root: self.ground.root,
            cwd: &cwd,
            env: &self.env,
            base: ready.base,
            bot: self.bot.as_ref(),
            sql: self.ground.sql,
            may_leave: self.ground.may_leave,
            log_files: &log_files,
            shell: self.ground.shell,
        };
        let mut probe = probe.clone();
        if probe.derived {
            probe.timeout = probe.timeout.max(DERIVED_TIMEOUT);
        }
        let answer = tokio::select! {
            answer = probe::ask(&probe, &target) => answer,
            () = self.ground.cancel.cancelled() => {
                return Evidence::new(name, EvidenceKind::Probe, CheckResult::Skipped, "it was stopped").into();
            }
        };
        let refusal = answer.refused_with.map(|status| format!("{}: {status}", probe.name));
        Asked { evidence: telling::answered(self.service, &probe, &answer, name), refusal }
    }

    /// The time of the profile is over before this was seen.
    pub(super) fn is_out_of_time(&mut self, what: &str) {
        self.lived.is_out_of_time = true;
        let result = CheckResult::Unverifiable;
        let evidence = telling::evidence(
            self.service,
            what,
            EvidenceKind::Probe,
            result,
            "the profile has no time left for it",
        );
        self.note(evidence);
    }
}

/// The answers of 5xx that declared probes ask for: that the access log tells of them is no error.
pub(super) fn expected_failures(service: &Service) -> Vec<Answered> {
    let declared = service.probes.iter().filter(|probe| !probe.derived);
    let asked = declared.filter_map(|probe| match &probe.how {
        ProbeHow::Http(http) => http.status.filter(|status| *status >= 500).map(|status| (http, status)),
        _ => None,
    });
    asked
        .map(|(http, status)| Answered {
            method: http.method.as_deref().unwrap_or("GET").trim().to_ascii_uppercase(),
            path: path_of(&http.url).to_owned(),
            status,
        })
        .collect()
}

/// The path of an address, or of one that is only a path.
fn path_of(url: &str) -> &str {
    let rest = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"),
        None => url,
    };
    rest.split(['?', '#']).next().unwrap_or(rest)
}
