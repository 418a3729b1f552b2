//! Carries out a process for a call: what it changes is noticed, and what it may not change is put right.

use candor_log::event;
use candor_protocol::Change;
use candor_sandbox::{Ended, Spec};

use crate::{Error, ToolContext, ToolOutput, tracking};

/// What came of a process.
pub(crate) struct Carried {
    pub(crate) ended: Ended,
    /// What it changed, however it ended.
    pub(crate) changes: Vec<Change>,
    /// What of the repository was put right after it.
    pub(crate) put_right: Vec<String>,
}

/// Runs it behind the walls of the session.
pub(crate) async fn carry_out(spec: &Spec, context: &ToolContext) -> Result<Carried, Error> {
    let sandbox = context.walls.sandbox()?;
    context.walls.look_again();
    tracking::before(context).await;
    let ended = candor_sandbox::run(spec, sandbox, &context.cancel).await;
    let put_right = context.walls.put_right_and_tell();
    let changes = tracking::after(context).await;
    Ok(Carried { ended: ended?, changes, put_right })
}

impl Carried {
    /// Tells beside what a command came to what it changed, and what had to be put right.
    pub(crate) fn told(self, mut output: ToolOutput) -> ToolOutput {
        if !self.put_right.is_empty() {
            let put_right = self.put_right.join("; ");
            output.for_people = format!("{}; {put_right}", output.for_people);
            output.add("note", put_right.into());
        }
        ToolOutput { changes: self.changes, ..output }
    }
}

/// Tells the log that not all of an output was kept.
pub(crate) fn log_cuts(tool: &str, ended: &Ended, context: &ToolContext) {
    let streams = [&ended.stdout, &ended.stderr];
    if streams.iter().any(|stream| stream.is_cut()) {
        event::ToolOutputTruncated {
            session_id: context.session,
            tool,
            original_bytes: streams.iter().map(|stream| stream.total_bytes()).sum(),
            truncated_bytes: streams.iter().map(|stream| stream.kept_bytes()).sum(),
        }
        .log();
    }
}
