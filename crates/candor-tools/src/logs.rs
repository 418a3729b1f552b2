//! What a long-lived process has said, as the model is told it.

use serde_json::json;

use crate::output::ends;
use crate::processes::Kept;
use crate::shortened::Shortened;
use crate::{ToolContext, ToolOutput};

/// What else is in a result may take this much of the output, the line about a cut included.
const FRAME_BYTES_MAX: usize = 256;

/// What it has said: all of it that is kept, or what came after so many bytes. What is missing is told.
pub(crate) fn logs(tool: &str, kept: &Kept, after: Option<u64>, context: &ToolContext) -> ToolOutput {
    let said = kept.running.output();
    let next = said.total_bytes();
    // Whoever asks for what came after nothing wants the beginning, too, which is kept.
    let (text, from, left_out) = match after.filter(|after| *after > 0) {
        Some(after) => {
            let since = said.since(after);
            let left_out = since.from.saturating_sub(after);
            (since.text, after, left_out)
        }
        None => (said.text(), 0, 0),
    };
    let room = context.rules.output_bytes_max.saturating_sub(FRAME_BYTES_MAX);
    let asked = next.saturating_sub(from);
    let ends = ends(&text, room);
    let shown = ends.map_or(text.len(), |(head, tail)| head.len() + tail.len()) as u64;
    if left_out > 0 || ends.is_some() || (from == 0 && said.is_cut()) {
        // Bytes that are no text take more room in a text than they had.
        Shortened { original_bytes: asked, kept_bytes: shown.min(asked) }.log(tool, context);
    }
    let text = match ends {
        // What is shown has no more bytes than the text of it.
        Some((head, tail)) => {
            let left_out = asked.saturating_sub(shown).max(1);
            format!("{head}\n[output truncated: at least {left_out} bytes left out]\n{tail}")
        }
        None if left_out > 0 => format!(
            "[output truncated: {left_out} bytes left out; to keep all, start it with its output in a file]\n{text}"
        ),
        None => text,
    };
    let state = kept.state();
    let for_people = format!("process {}: {state}", kept.number);
    let for_model = json!({ "id": kept.number, "state": state, "output": text, "next": next });
    ToolOutput::success(for_model.to_string(), for_people)
}
