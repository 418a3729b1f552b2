//! How a run ended.

use candor_protocol::{EventBody, Outcome, Status, Verdict, VerdictStatus};

use super::{End, Run};
use crate::Verify;

impl Run<'_, '_> {
    pub(super) fn outcome(self, end: End) -> Outcome {
        let verdict = self.verdict(&end);
        let (status, failure) = match end {
            // The model went on without what nobody could approve: whatever it says, that is not done.
            End::Finished if self.unapproved => (Status::NeedsApproval, None),
            End::Finished | End::Compacted => (finished(&verdict, self.deps.profile), None),
            End::Cancelled => match self.budget.out_of_time() {
                Some(failure) => (Status::AbortedConstraint, Some(failure)),
                None => (Status::Stopped, None),
            },
            End::Constraint(failure) => (Status::AbortedConstraint, Some(failure)),
            End::Stuck(failure) => (Status::AbortedStuck, Some(failure)),
            End::Failed(failure) => (Status::Failed, Some(failure)),
        };
        let card = failure.map(|failure| candor_cards::card(&failure));
        if let Some(card) = &card {
            let message = format!("{}. {}", card.title, card.cause.replace('\n', " "));
            self.sink.emit(EventBody::Error { message, card: card.clone() });
        }
        Outcome {
            status,
            verdict,
            usage: self.usage,
            cost_usd: self.budget.cost(),
            turns: self.budget.turns,
            tool_calls: self.budget.tool_calls,
            duration_ms: u64::try_from(self.budget.elapsed().as_millis()).unwrap_or(u64::MAX),
            card,
        }
    }

    /// What can be said about the work without a verifier: that nothing changed, or that nobody checked what did.
    fn verdict(&self, end: &End) -> Verdict {
        let (status, evidence) = match (end, self.wrote, self.deps.verify) {
            (End::Compacted, ..) => (
                VerdictStatus::NotApplicable,
                "the run was there to shorten the conversation; no tool ran and no file was written",
            ),
            (_, false, _) => (
                VerdictStatus::NotApplicable,
                "no file was written by a file tool; what commands changed is not checked yet",
            ),
            (_, true, Verify::Waived) => {
                (VerdictStatus::NotApplicable, "files were written; the check was waived")
            }
            (_, true, Verify::Yes) => {
                (VerdictStatus::Unverifiable, "files were written; this version cannot check them yet")
            }
        };
        Verdict { status, profile: self.deps.profile.to_owned(), evidence: vec![evidence.to_owned()] }
    }
}

/// The status of a run whose model had no more to say. The verdict decides; the model's words do not.
fn finished(verdict: &Verdict, profile: &str) -> Status {
    match (verdict.status, profile) {
        (VerdictStatus::Verified | VerdictStatus::NotApplicable, _) => Status::Done,
        (VerdictStatus::Unverifiable, "strict") => Status::AbortedConstraint,
        (VerdictStatus::Failed, "strict") => Status::Failed,
        (VerdictStatus::Unverifiable | VerdictStatus::Failed, _) => Status::DonePartial,
    }
}
