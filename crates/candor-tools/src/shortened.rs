//! Tells the log and people that a tool had more to say than the model gets.

use candor_log::event;

use crate::{ToolContext, ToolOutput};

/// How much there was to say, and how much of it is said. Who stops looking when the output is full knows only that there
/// was at least so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortened {
    pub(crate) original_bytes: u64,
    pub(crate) kept_bytes: u64,
}

impl Shortened {
    /// Of lengths in memory.
    pub(crate) fn new(original: usize, kept: usize) -> Self {
        Self { original_bytes: original as u64, kept_bytes: kept as u64 }
    }

    pub(crate) fn log(self, tool: &str, context: &ToolContext) {
        event::ToolOutputTruncated {
            session_id: context.session,
            tool,
            original_bytes: self.original_bytes,
            truncated_bytes: self.kept_bytes,
        }
        .log();
    }
}

/// The output of a tool that may have had more to say.
pub(crate) fn told(
    (mut output, shortened): (ToolOutput, Option<Shortened>),
    tool: &str,
    context: &ToolContext,
) -> ToolOutput {
    if let Some(shortened) = shortened {
        shortened.log(tool, context);
        output.for_people.push_str(CUT);
    }
    output
}

/// How people see that.
pub(crate) const CUT: &str = " (cut)";
