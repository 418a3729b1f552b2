//! How a run ended.

use candor_protocol::{CheckResult, ErrorCard, EventBody, Evidence, Outcome, Status, Verdict, VerdictStatus};

use super::{End, Run};
use crate::owed::WAIVED;
use crate::{Children, Verify};

impl Run<'_, '_> {
    pub(super) fn outcome(self, end: End) -> Outcome {
        let mut verdict = self.verdict(&end);
        let (status, failure) = match end {
            // The model went on without what nobody could approve: whatever it says, that is not done.
            End::Finished if self.unapproved => (Status::NeedsApproval, None),
            End::Finished | End::Compacted => (finished(&verdict), None),
            End::Unchecked => (Status::AbortedConstraint, None),
            End::Cancelled => match self.budget.out_of_time() {
                Some(failure) => (Status::AbortedConstraint, Some(failure)),
                None => (Status::Stopped, None),
            },
            End::Constraint(failure) => (Status::AbortedConstraint, Some(failure)),
            End::Stuck(failure) => (Status::AbortedStuck, Some(failure)),
            End::Failed(failure) => (Status::Failed, Some(failure)),
        };
        let card = match failure {
            Some(failure) => Some(candor_cards::card(&failure)),
            None if matches!(status, Status::Stopped | Status::Done) => None,
            None => not_done(&verdict),
        };
        // It is the run's, and so is its exit code.
        let card = card.map(|card| ErrorCard { exit_code: status.exit_code(), ..card });
        if let Some(card) = &card {
            let message = format!("{}. {}", card.title, card.cause.replace('\n', " "));
            self.sink.emit(EventBody::Error { message, card: card.clone() });
        }
        // Last, and after everything was decided: what others found decides nothing here.
        verdict.evidence.extend(self.deps.children.map(Children::evidence).unwrap_or_default());
        Outcome {
            status,
            verdict,
            usage: self.usage,
            cost_usd: self.budget.cost(),
            turns: self.budget.turns,
            tool_calls: self.budget.tool_calls,
            duration_ms: u64::try_from(self.budget.elapsed().as_millis()).unwrap_or(u64::MAX),
            card,
            children: self.budget.purse.below(),
        }
    }

    /// What the verifier found; or why it was not asked.
    fn verdict(&self, end: &End) -> Verdict {
        if let Some(verdict) = &self.looked.verdict {
            return verdict.clone();
        }
        let changed = self.deps.context.changed().any;
        let (status, why) = match (end, changed, self.deps.verify) {
            (End::Compacted, ..) => (
                VerdictStatus::NotApplicable,
                "the run was there to shorten the conversation; no tool ran and no file was written",
            ),
            (_, true, Verify::Waived) => {
                (VerdictStatus::NotApplicable, "not verified: files were changed, and --no-verify was given")
            }
            (_, false, Verify::Waived) => {
                (VerdictStatus::NotApplicable, "not verified: --no-verify was given")
            }
            (_, false, Verify::Yes) => {
                (VerdictStatus::NotApplicable, "no change of a file was seen, and no service was asked for")
            }
            (_, true, Verify::Yes) => (
                VerdictStatus::Unverifiable,
                "files were changed, and the run ended before they were checked",
            ),
        };
        let profile = self.deps.context.profile.clone();
        let check = if self.deps.verify == Verify::Waived { WAIVED } else { "verification" };
        Verdict {
            status,
            profile,
            evidence: vec![Evidence { check: check.to_owned(), ..Evidence::note(why) }],
        }
    }
}

/// The status of a run whose model had no more to say. The verdict decides; the model's words do not.
fn finished(verdict: &Verdict) -> Status {
    match (verdict.status, verdict.profile.as_str()) {
        (VerdictStatus::Verified | VerdictStatus::NotApplicable, _) => Status::Done,
        (VerdictStatus::Unverifiable, "strict") => Status::AbortedConstraint,
        (VerdictStatus::Failed, "strict") => Status::Failed,
        (VerdictStatus::Unverifiable | VerdictStatus::Failed, _) => Status::DonePartial,
    }
}

/// The card of the first thing that stands in the way of done.
fn not_done(verdict: &Verdict) -> Option<ErrorCard> {
    let of = |result: CheckResult| {
        let mut of = verdict.evidence.iter().filter(move |evidence| evidence.result == result);
        of.find_map(|evidence| evidence.card.clone())
    };
    of(CheckResult::Failed).or_else(|| of(CheckResult::Unverifiable))
}
