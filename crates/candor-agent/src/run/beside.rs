//! What was changed for a run without a call of its model.

use candor_protocol::{Change, EventBody};
use serde_json::Value;

use super::Run;

/// Something that was done beside the calls of the model.
pub(super) struct Beside {
    /// No call of the model has this name.
    pub(super) call_id: String,
    pub(super) tool_name: String,
    pub(super) args: Value,
    pub(super) result: String,
    pub(super) for_people: String,
    pub(super) changes: Vec<Change>,
}

impl Run<'_, '_> {
    /// Tells it like a call: whoever takes changes back, and whoever asks what is still to be checked, reads those.
    pub(super) fn tell_beside(&self, done: Beside) {
        let Beside { call_id, tool_name, args, result, for_people, changes } = done;
        let mut all = self.deps.context.changed();
        all.any |= !changes.is_empty();
        all.paths.extend(changes.iter().map(|change| change.path.clone().into()));
        drop(all);
        self.sink.emit(EventBody::ToolStart { call_id: call_id.clone(), tool_name: tool_name.clone(), args });
        self.sink.emit(EventBody::ToolResult {
            call_id,
            tool_name,
            result,
            for_people,
            is_error: false,
            card: None,
            duration_ms: 0,
            changes,
            recovered: Vec::new(),
            images: Vec::new(),
        });
    }
}
