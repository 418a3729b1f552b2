//! What happens when the model has no more to say: the runtime looks for itself.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use candor_log::event::{VerificationCheck, VerificationEnd};
use candor_protocol::{
    CheckResult, Code, EventBody, Evidence, Failure, Message, Origin, Part, Role, Verdict, VerdictStatus,
};
use candor_verify::ground::Progress;
use candor_verify::plan::Plan;
use candor_verify::profile::Profile;
use candor_verify::run::{Order, Verified};
use candor_verify::verdict::signature;
use tokio::time::Instant;

use super::{End, Run};
use crate::{RunDeps, Verifier, Verify};

/// How much the model is told of what failed.
const TOLD_CHARS_MAX: usize = 12_000;
/// How many failures it is told at once.
const TOLD_MAX: usize = 8;

/// What was found when the work was looked at.
#[derive(Default)]
pub(super) struct Looked {
    /// The last verdict.
    pub(super) verdict: Option<Verdict>,
    /// How often the model was told to repair something.
    rounds: u32,
    /// What failed the last time.
    signature: Vec<String>,
    /// What the run was asked for.
    task: String,
    /// What was declared before it.
    declared: u64,
}

impl Looked {
    pub(super) fn new(messages: &[Message], deps: &RunDeps<'_>) -> Self {
        let task = messages.iter().rev().find(|message| message.role == Role::User);
        let declared = Verifier::declared(&deps.context.workspace);
        Self { task: task.map(Message::plain_text).unwrap_or_default(), declared, ..Self::default() }
    }
}

impl Run<'_, '_> {
    /// Looks whether the work is done. Nothing: the model has something to repair, and goes on.
    pub(super) async fn verify(&mut self) -> Option<End> {
        let context = &self.deps.context;
        if self.deps.verify == Verify::Waived {
            return Some(End::Finished);
        }
        let mut changed = self.changed();
        // However it was changed, and whoever did not notice.
        if Verifier::declared(&context.workspace) != self.looked.declared {
            changed.any = true;
            changed.paths.extend(Verifier::DECLARED.iter().map(|name| context.workspace.join(name)));
        }
        let plan = self.deps.verifier.plan(&context.workspace, &changed.paths).await;
        if !changed.any && !self.names_service(&plan) {
            return Some(End::Finished);
        }
        let verified = match self.look(&plan).await {
            Ok(verified) => verified,
            Err(failure) => return Some(End::Failed(failure)),
        };
        if context.cancel.is_cancelled() {
            return Some(End::Cancelled);
        }
        self.decide(verified)
    }

    async fn look(&self, plan: &Plan) -> Result<Verified, Failure> {
        let (context, started) = (&self.deps.context, Instant::now());
        let profile: Profile = context.profile.parse().unwrap_or_default();
        let tell = |progress: Progress<'_>| self.tell(progress);
        let hide = |text: &str| self.deps.mask.hide(text);
        // What still runs of it holds its port, and is not what is on the disk now.
        for service in &plan.services {
            context.processes.end_all(&service.command).await;
        }
        let order = Order { profile, service: None };
        let mut verified = self.deps.verifier.verify(plan, order, context, &hide, &tell).await?;
        for kept in std::mem::take(&mut verified.kept) {
            context.processes.adopt(kept.command, kept.running, std::sync::Arc::clone(&context.walls));
        }
        VerificationEnd {
            session_id: Some(context.session),
            verdict: verified.report.verdict.status.as_str(),
            profile: profile.as_str(),
            round: self.looked.rounds,
            duration: started.elapsed(),
        }
        .log();
        Ok(verified)
    }

    /// What a verdict means: the table of profiles decides, and the model has no say in it.
    fn decide(&mut self, verified: Verified) -> Option<End> {
        let Verified { report, is_budget_spent, .. } = verified;
        let verdict = report.verdict;
        let limits = self.deps.context.profile.parse::<Profile>().unwrap_or_default().limits();
        let signature = signature(&verdict);
        let is_repeated = self.looked.rounds > 0 && signature == self.looked.signature;
        self.looked.signature = signature;
        let status = verdict.status;
        let told = (status == VerdictStatus::Failed).then(|| self.told(&verdict, limits.repairs));
        let told = told.map(|text| self.deps.mask.hide(&text));
        let stuck = stuck(&verdict);
        self.looked.verdict = Some(verdict);
        match told {
            None if is_budget_spent => Some(End::Unchecked),
            None => Some(End::Finished),
            Some(_) if is_repeated => Some(End::Stuck(stuck)),
            Some(_) if self.looked.rounds >= limits.repairs => Some(End::Finished),
            Some(text) => {
                self.looked.rounds += 1;
                let content = vec![Part::text(text)];
                self.sink
                    .emit(EventBody::MessageAccepted { origin: Origin::Verifier, content: content.clone() });
                self.messages.push(Message::new(Role::User, content));
                None
            }
        }
    }

    /// What the model is told: all that failed, with its card and what was seen.
    fn told(&self, verdict: &Verdict, rounds_max: u32) -> String {
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
            "\nRepair the cause, not the check. The runtime looks again when you are finished (repair {} of {rounds_max}).",
            self.looked.rounds + 1
        );
        text
    }

    fn tell(&self, progress: Progress<'_>) {
        match progress {
            Progress::Began { check, command } => {
                let what = if command.is_empty() { String::new() } else { format!(" ({command})") };
                self.status(self.deps.mask.hide(&format!("Verifying {check}{what}")));
            }
            Progress::Ended(evidence) => {
                VerificationCheck {
                    session_id: Some(self.deps.context.session),
                    check: &evidence.check,
                    result: evidence.result.as_str(),
                    summary: &evidence.summary,
                    duration: Duration::from_millis(evidence.duration_ms),
                }
                .log();
                self.sink.emit(EventBody::Verification {
                    check: evidence.check.clone(),
                    result: evidence.result,
                    evidence: Box::new(evidence.clone()),
                });
            }
        }
    }

    /// Whether the task is about a service: one that is declared is named, or a command of ours ran and what starts one is.
    fn names_service(&self, plan: &Plan) -> bool {
        let task = &self.looked.task;
        let words: BTreeSet<&str> = task
            .split(|c: char| c.is_whitespace() || ",;:!?()\"'`".contains(c))
            .map(|word| word.trim_end_matches('.'))
            .filter(|word| !word.is_empty())
            .collect();
        plan.services.iter().any(|service| {
            let is_named = service.source.declared && words.contains(service.name.as_str());
            let acted = self.changed().acted;
            is_named || acted && task.contains(service.command.as_str())
        })
    }
}

/// What a run has changed, as far as that can be told.
#[derive(Default, Clone)]
pub(crate) struct Changed {
    /// Whether it changed a file, or may have.
    pub(crate) any: bool,
    /// Whether it ran a command.
    pub(crate) acted: bool,
    /// The files that are known.
    pub(crate) paths: BTreeSet<PathBuf>,
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

fn stuck(verdict: &Verdict) -> Failure {
    let failed = verdict.evidence.iter().find(|evidence| evidence.result == CheckResult::Failed);
    let cause = failed.map(|evidence| evidence.summary.as_str()).unwrap_or_default();
    Failure::new(Code::VerifyStuck)
        .with("check", failed.map(|evidence| evidence.check.as_str()).unwrap_or_default())
        .with("cause", cause)
}
