//! Notices a run that goes in circles.

use candor_protocol::{Code, Failure, ToolCall, ToolResult};

/// How often the same call may fail the same way before the run is given up.
const SAME_FAILURES_MAX: u32 = 3;
/// How much of a result a card shows.
const RESULT_CHARS_MAX: usize = 300;

/// The failed calls since something last worked.
///
/// A call that works may change what the next one meets, so it wipes the slate; a model that alternates between a call
/// that works and one that does not is ended by its turns.
#[derive(Debug, Default)]
pub(crate) struct Stuck {
    failures: Vec<(String, u32)>,
}

impl Stuck {
    /// Counts one result. The failure, once the same one has come too often.
    pub(crate) fn count(&mut self, call: &ToolCall, result: &ToolResult) -> Option<Failure> {
        if !result.is_error {
            self.failures.clear();
            return None;
        }
        let signature = format!("{}\0{}\0{}", call.tool_name, call.args, result.content);
        let count = if let Some((_, count)) = self.failures.iter_mut().find(|(known, _)| *known == signature)
        {
            *count += 1;
            *count
        } else {
            self.failures.push((signature, 1));
            1
        };
        (count >= SAME_FAILURES_MAX).then(|| {
            let shown: String = result.content.chars().take(RESULT_CHARS_MAX).collect();
            Failure::new(Code::RunStuck)
                .with("tool", &call.tool_name)
                .with("count", count)
                .with("result", shown)
        })
    }
}
