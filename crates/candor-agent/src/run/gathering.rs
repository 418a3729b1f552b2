//! What happens when the model has no more to say and others still work for it.

use candor_protocol::{EventBody, Message, Origin, Part, Role};

use super::beside::Beside;
use super::{End, Run};
use crate::Handed;

/// How what came of children begins.
const TOLD: &str = "Your helpers are done. What each says is its claim; what was seen is in its verdict.";

impl Run<'_, '_> {
    /// Waits for the children that are still at work, and hands the model what came of them; whether there was anything.
    pub(super) async fn gather(&mut self) -> Result<bool, End> {
        let Some(children) = self.deps.children else { return Ok(false) };
        let handed = tokio::select! {
            biased;
            () = self.deps.context.cancel.cancelled() => return Err(End::Cancelled),
            handed = children.gather() => handed,
        };
        if handed.is_empty() {
            return Ok(false);
        }
        let mut text = TOLD.to_owned();
        for one in handed {
            let told = self.deps.mask.hide(&one.told);
            text.push_str("\n\n");
            text.push_str(&told);
            let for_people = self.deps.mask.hide(&one.for_people);
            let Handed { call_id, tool_name, args, changes, .. } = one;
            self.tell_beside(Beside { call_id, tool_name, args, result: told, for_people, changes });
        }
        let content = vec![Part::text(text)];
        self.sink.emit(EventBody::MessageAccepted { origin: Origin::Children, content: content.clone() });
        self.messages.push(Message::new(Role::User, content));
        Ok(true)
    }
}
