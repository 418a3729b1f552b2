//! Where hooks have a say in a run.

use candor_protocol::{
    Change, CheckResult, EventBody, Evidence, EvidenceKind, Message, Origin, Part, Role, Verdict,
    VerdictStatus,
};
use candor_tools::hooks::{Occasion, Trigger};
use candor_verify::ground::Progress;
use serde_json::json;

use super::beside::Beside;
use super::steady::leave_open;
use super::{End, Run};

/// How often hooks may send the model on in one run: one that is never content must not keep it for ever.
const SENT_ON_MAX: u32 = 8;
/// What is said of work that a hook changed after it was looked at.
const CHANGED_AFTERWARDS: &str = "a Verified hook changed files after they were checked";
/// What the changes of hooks are told as that belong to no call.
const TOOL: &str = "hook";

impl Run<'_, '_> {
    /// The model has no more to say: the hooks may send it on, and then the work is looked at. Nothing: it goes on.
    pub(super) async fn finish(&mut self) -> Option<End> {
        match self.may_stop().await {
            Ok(true) => self.verify().await,
            Ok(false) => None,
            Err(end) => Some(end),
        }
    }

    /// Ends the run if a hook wants that.
    pub(super) fn go_on_unless_halted(&self) -> Result<(), End> {
        self.deps.context.hooks.halted().map_or(Ok(()), |block| Err(End::Constraint(block.failure())))
    }

    async fn may_stop(&mut self) -> Result<bool, End> {
        if self.sent_on >= SENT_ON_MAX {
            return Ok(true);
        }
        let context = &self.deps.context;
        let last = self.messages.last().map(Message::plain_text).unwrap_or_default();
        let response = context.hooks.stop(self.sent_on > 0, &last, context).await;
        self.tell_changes(Occasion::Stop, response.changes);
        self.go_on_unless_halted()?;
        if context.cancel.is_cancelled() {
            return Err(End::Cancelled);
        }
        let Some(block) = response.block else { return Ok(true) };
        self.sent_on += 1;
        if self.sent_on == SENT_ON_MAX {
            self.status(format!("Hooks have sent the model on {SENT_ON_MAX} times; this is the last time."));
        }
        let occasion = block.occasion.as_str();
        let text = format!("A {occasion} hook does not let the run end yet:\n{}", block.reason);
        let said = vec![Part::text(self.deps.mask.hide(&text))];
        self.sink.emit(EventBody::MessageAccepted { origin: Origin::Hook, content: said.clone() });
        self.messages.push(Message::new(Role::User, said));
        Ok(false)
    }

    /// Has the hooks look at a verdict. They can find fault with it, and nothing else.
    pub(super) async fn ask_about(&self, verdict: &mut Verdict) -> Result<(), End> {
        let context = &self.deps.context;
        let response = context.hooks.verified(verdict, context).await;
        if !response.changes.is_empty() {
            leave_open(verdict, CHANGED_AFTERWARDS);
        }
        self.tell_changes(Occasion::Verified, response.changes);
        self.go_on_unless_halted()?;
        let Some(block) = response.block else { return Ok(()) };
        let says = self.deps.mask.hide(&block.reason);
        let first = says.lines().next().unwrap_or_default().to_owned();
        let evidence = Evidence {
            command: Some(block.hook.clone()),
            excerpt: Some(says),
            card: Some(candor_cards::card(&block.failure())),
            ..Evidence::new("hook", EvidenceKind::Custom, CheckResult::Failed, &first)
        };
        self.tell(Progress::Ended(&evidence));
        verdict.evidence.push(evidence);
        verdict.status = VerdictStatus::Failed;
        Ok(())
    }

    /// Asks whether the conversation may be shortened. What has to be, to fit, is.
    pub(super) async fn ask_to_compact(&self, trigger: Trigger) -> Result<(), End> {
        let context = &self.deps.context;
        let response = context.hooks.before_compaction(trigger, context).await;
        self.go_on_unless_halted()?;
        match response.block {
            Some(block) if trigger == Trigger::Manual => Err(End::Constraint(block.failure())),
            Some(block) => {
                self.status(format!(
                    "{block}. The conversation would not fit: it is shortened all the same."
                ));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Tells that it was.
    pub(super) async fn tell_compacted(&self, trigger: Trigger) -> Result<(), End> {
        let context = &self.deps.context;
        let summary = self.summary.as_ref().map(|summary| summary.text.as_str()).unwrap_or_default();
        context.hooks.after_compaction(trigger, summary, context).await;
        self.go_on_unless_halted()
    }

    /// Tells what hooks have changed that ran beside no call, as if it had been one: so it can be taken back, and is verified.
    fn tell_changes(&self, occasion: Occasion, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        let event = occasion.as_str();
        self.tell_beside(Beside {
            call_id: format!("hook.{event}.{}", candor_protocol::RunId::now()),
            tool_name: TOOL.to_owned(),
            args: json!({ "event": event }),
            result: json!({ "changed": changes.len() }).to_string(),
            for_people: format!("{} changed", changes.len()),
            changes,
        });
    }
}
