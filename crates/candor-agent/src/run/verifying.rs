//! What happens when the model has no more to say: the runtime looks for itself.

use std::time::Duration;

use candor_log::event::{VerificationCheck, VerificationEnd};
use candor_protocol::{
    CheckResult, EventBody, Evidence, EvidenceKind, Failure, Message, Origin, Part, Role, Verdict,
    VerdictStatus,
};
use candor_tools::Changed;
use candor_verify::ground::Progress;
use candor_verify::plan::Plan;
use candor_verify::profile::Profile;
use candor_verify::run::{Order, Verified};
use candor_verify::verdict::signature;
use tokio::time::Instant;

use super::steady::{UNSTEADY, contents, leave_open};
use super::{End, Run, repair};
use crate::owed::{NOTHING_RAN, Owed};
use crate::{RunDeps, Verifier, Verify};

/// What was found when the work was looked at.
#[derive(Default)]
pub(super) struct Looked {
    /// The last verdict.
    pub(super) verdict: Option<Verdict>,
    /// How often the model was told to repair something.
    rounds: u32,
    /// What failed the last time, in so many words, and by name.
    signature: Vec<String>,
    failed: Vec<String>,
    /// What the run was asked for.
    task: String,
    /// What its deciding files held before it.
    deciding: u64,
    /// What earlier runs have left to be shown.
    owed: Owed,
}

impl Looked {
    pub(super) fn new(messages: &[Message], owed: Owed, deps: &RunDeps<'_>) -> Self {
        let task = messages.iter().rev().find(|message| message.role == Role::User);
        let task = task.map(Message::plain_text).unwrap_or_default();
        let deciding = Verifier::deciding(&deps.context.workspace);
        Self { task, deciding, owed, ..Self::default() }
    }
}

impl Run<'_, '_> {
    /// Looks whether the work is done. Nothing: the model has something to repair, and goes on.
    pub(super) async fn verify(&mut self) -> Option<End> {
        let context = &self.deps.context;
        if self.deps.verify == Verify::Waived {
            return Some(End::Finished);
        }
        let changed = self.changed();
        let plan = self.deps.verifier.plan(&context.workspace, &changed.paths).await;
        if !changed.any && self.looked.owed == Owed::Nothing && !self.names_service(&plan) {
            return Some(End::Finished);
        }
        let mut verified = match self.look_until_steady(&plan, &changed).await {
            Ok(verified) => verified,
            Err(failure) => return Some(self.nothing_could_run(&failure)),
        };
        if context.cancel.is_cancelled() {
            return Some(End::Cancelled);
        }
        if let Err(end) = self.ask_about(&mut verified.report.verdict).await {
            return Some(end);
        }
        self.decide(verified, self.rounds_max(&changed))
    }

    /// Without the walls that are demanded no check runs. That says nothing about the work, good or bad.
    fn nothing_could_run(&mut self, failure: &Failure) -> End {
        let card = candor_cards::card(failure);
        let why = format!("nothing could be run: {}", card.title.to_lowercase());
        let evidence = Evidence {
            card: Some(card),
            ..Evidence::new(NOTHING_RAN, EvidenceKind::Note, CheckResult::Unverifiable, why)
        };
        self.tell(Progress::Ended(&evidence));
        self.looked.verdict = Some(Verdict {
            status: VerdictStatus::Unverifiable,
            profile: self.deps.context.profile.clone(),
            evidence: vec![evidence],
        });
        End::Finished
    }

    /// What the run has changed, however that was done and whoever did not notice.
    fn changed(&self) -> Changed {
        let context = &self.deps.context;
        let mut changed = context.changed().clone();
        if Verifier::deciding(&context.workspace) != self.looked.deciding {
            changed.any = true;
            changed.paths.extend(Verifier::DECIDING.iter().map(|name| context.workspace.join(name)));
        }
        changed
    }

    /// How often the model may repair what fails. Where it changed nothing and earlier work was found to fail before, the
    /// user is told that it still does; nobody asked for a repair.
    fn rounds_max(&self, changed: &Changed) -> u32 {
        let was_told = self.looked.owed == Owed::Failed && !changed.any;
        if was_told { 0 } else { self.profile().limits().repairs }
    }

    fn profile(&self) -> Profile {
        self.deps.context.profile.parse().unwrap_or_default()
    }

    /// Looks, and looks once more when the work has changed meanwhile: something that was left running may write, and a check
    /// may format. What never comes to rest was not seen.
    async fn look_until_steady(&self, plan: &Plan, changed: &Changed) -> Result<Verified, Failure> {
        let before = contents(&changed.paths).await;
        let first = self.look(plan).await?;
        let between = contents(&changed.paths).await;
        if between == before || self.deps.context.cancel.is_cancelled() {
            return Ok(first);
        }
        let mut second = self.look(plan).await?;
        if contents(&changed.paths).await != between {
            leave_open(&mut second.report.verdict, UNSTEADY);
        }
        Ok(second)
    }

    async fn look(&self, plan: &Plan) -> Result<Verified, Failure> {
        let (context, started, profile) = (&self.deps.context, Instant::now(), self.profile());
        let tell = |progress: Progress<'_>| self.tell(progress);
        let hide = |text: &str| self.deps.mask.hide(text);
        let order = Order { profile, service: None };
        let verified = self.deps.verifier.verify_in_session(plan, order, context, &hide, &tell).await?;
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
    fn decide(&mut self, verified: Verified, rounds_max: u32) -> Option<End> {
        let Verified { report, is_budget_spent, .. } = verified;
        let mut verdict = report.verdict;
        if verdict.status == VerdictStatus::Unverifiable {
            repair::hold_vanished(&mut verdict, &self.looked.failed);
        }
        self.looked.failed = repair::failed(&verdict);
        let signature = signature(&verdict);
        let is_repeated = self.looked.rounds > 0 && signature == self.looked.signature;
        self.looked.signature = signature;
        let status = verdict.status;
        let round = self.looked.rounds + 1;
        let told = (status == VerdictStatus::Failed).then(|| repair::told(&verdict, round, rounds_max));
        let told = told.map(|text| self.deps.mask.hide(&text));
        let stuck = repair::stuck(&verdict);
        self.looked.verdict = Some(verdict);
        match told {
            None if is_budget_spent => Some(End::Unchecked),
            None => Some(End::Finished),
            Some(_) if is_repeated => Some(End::Stuck(stuck)),
            Some(_) if self.looked.rounds >= rounds_max => Some(End::Finished),
            Some(text) => {
                self.looked.rounds = round;
                let content = vec![Part::text(text)];
                self.sink
                    .emit(EventBody::MessageAccepted { origin: Origin::Verifier, content: content.clone() });
                self.messages.push(Message::new(Role::User, content));
                None
            }
        }
    }

    pub(super) fn tell(&self, progress: Progress<'_>) {
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
        let acted = self.deps.context.changed().acted;
        plan.services.iter().any(|service| {
            let is_named = service.source.declared && names(task, &service.name);
            is_named || acted && task.contains(service.command.as_str())
        })
    }
}

/// Whether a name stands in a text by itself, and not as a part of another: `api` is not named by `api-docs` or `rapid`.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '/';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            let after = after.strip_prefix('.').filter(|rest| rest.starts_with(is_part)).unwrap_or(after);
            !before.ends_with(is_part) && !before.ends_with('.') && !after.starts_with(is_part)
        })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_name_counts_only_when_it_stands_by_itself() {
        for text in ["Is api up?", "api", "Restart `api`.", "(api)", "look at api: it hangs", "api, web"] {
            assert!(names(text, "api"), "{text}");
        }
        for text in ["rapid", "api-docs", "read api.md", "my_api", "src/api", "web.api", "API"] {
            assert!(!names(text, "api"), "{text}");
        }
        assert!(names("Is the web front:8080 up?", "web front:8080"));
        assert!(!names("anything", ""));
    }
}
