//! What happens when the model has no more to say and others still work for it.

use candor_protocol::{EventBody, Message, Origin, Part, Role};

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
            self.hand_over(one, told);
        }
        let content = vec![Part::text(text)];
        self.sink.emit(EventBody::MessageAccepted { origin: Origin::Children, content: content.clone() });
        self.messages.push(Message::new(Role::User, content));
        Ok(true)
    }

    /// Tells it like a call: whoever takes changes back, and whoever asks what is still to be checked, reads those.
    fn hand_over(&self, one: Handed, result: String) {
        let Handed { call_id, tool_name, args, changes, .. } = one;
        {
            let mut changed = self.deps.context.changed();
            changed.any |= !changes.is_empty();
            changed.paths.extend(changes.iter().map(|change| change.path.clone().into()));
        }
        self.sink.emit(EventBody::ToolStart { call_id: call_id.clone(), tool_name: tool_name.clone(), args });
        self.sink.emit(EventBody::ToolResult {
            call_id,
            tool_name,
            result,
            is_error: false,
            card: None,
            duration_ms: 0,
            changes,
            recovered: Vec::new(),
            images: Vec::new(),
        });
    }
}
