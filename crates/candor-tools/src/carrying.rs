//! Carries out a process for a call: what it changes is noticed, and what it may not change is put right.

use candor_log::event;
use candor_protocol::Change;
use candor_sandbox::{Ended, Output, Spec};
use serde_json::Value;

use crate::output::{json_bytes, json_weight};
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
    let watching = tracking::before(context).await;
    let ended = candor_sandbox::run_after(context.ready.wait(), spec, sandbox, &context.cancel).await;
    let put_right = context.walls.put_right_and_tell();
    let changes = watching.after().await;
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

/// What holds the parts of a result together: commas, and the name of a card.
const JOINTS_BYTES: usize = 16;

/// What a process said, as much of it as there is room for.
pub(crate) struct Streams {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) is_cut: bool,
}

impl Streams {
    /// In what a result may hold besides this, as it is sent: a byte may take six. What one stream does not need is for the
    /// other. Our own words never take all of it.
    pub(crate) fn beside(told: &Value, more_bytes: usize, ended: &Ended, bytes_max: usize) -> Self {
        let taken = told.to_string().len() + more_bytes + JOINTS_BYTES;
        let room = bytes_max.saturating_sub(taken).max(bytes_max / 4);
        let (out, err) = (weight(&ended.stdout), weight(&ended.stderr));
        let stdout = ended.stdout.text_within(room - err.min(room / 2), json_weight);
        let stderr = ended.stderr.text_within(room - out.min(room / 2), json_weight);
        let is_cut = ended.stdout.is_cut() || ended.stderr.is_cut() || out + err > room;
        Self { stdout, stderr, is_cut }
    }

    /// Tells the log that not all of it is told.
    pub(crate) fn log_cuts(&self, tool: &str, ended: &Ended, context: &ToolContext) {
        if self.is_cut {
            event::ToolOutputTruncated {
                session_id: context.session,
                tool,
                original_bytes: ended.stdout.total_bytes() + ended.stderr.total_bytes(),
                // Without the line about the cut.
                truncated_bytes: ended.stdout.kept_bytes().min(self.stdout.len() as u64)
                    + ended.stderr.kept_bytes().min(self.stderr.len() as u64),
            }
            .log();
        }
    }
}

fn weight(output: &Output) -> usize {
    json_bytes(&output.text())
}
