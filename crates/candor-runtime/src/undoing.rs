//! What a session's tools have changed, and taking it back.

use candor_protocol::{Change, Code, ErrorCard, EventBody, Failure, RunId, SessionId};
use candor_tools::{ChangedSince, Permission, Reach, Rules, Snapshots, ToolContext, Undone};
use tokio::task::spawn_blocking;

use crate::Runtime;
use crate::hold::lease;
use crate::runtime::unknown;

/// How much of a session is read at a time.
const PAGE_BYTES_MAX: u64 = 1024 * 1024;

/// Which changes are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those of the whole session.
    All,
    /// Those of one run.
    Run(RunId),
    /// Those of the last run that changed something.
    LastRun,
}

/// What came of a look at changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked<T> {
    /// That.
    pub at: T,
    /// Whether something ran besides of which not all is watched: a part must not pass for the whole.
    pub is_part: bool,
}

/// A call that was refused with one of these did not run anything.
const NOT_RUN: &[Code] = &[
    Code::ToolArguments,
    Code::ToolBlocked,
    Code::ToolDenied,
    Code::ToolUnapproved,
    Code::ToolUnknown,
    Code::SandboxTooWeak,
];

impl Runtime {
    /// Takes back what tools changed, the last first. The rules hold as for a tool that writes; a file that somebody else
    /// has changed since stays as it is, unless it is to be overwritten. Nothing is taken away under a run that goes on.
    pub async fn undo(
        &self,
        session: SessionId,
        which: Which,
        since: ChangedSince,
    ) -> Result<Looked<Vec<Undone>>, Failure> {
        // Held until all is done: no run can begin meanwhile.
        let _lease = lease(self.query(), session).await?;
        self.with_changes(session, which, move |changes, snapshots, context| {
            candor_tools::undo(changes, snapshots, context, since)
        })
        .await
    }

    /// What tools changed, as one unified diff: how files were before against how they are now.
    pub async fn diff(&self, session: SessionId, which: Which) -> Result<Looked<String>, Failure> {
        self.with_changes(session, which, candor_tools::diff).await
    }

    /// Does something with the changes of a session where it may wait for the disk.
    async fn with_changes<T: Default + Send + 'static>(
        &self,
        session: SessionId,
        which: Which,
        act: impl FnOnce(&[Change], &Snapshots, &ToolContext) -> T + Send + 'static,
    ) -> Result<Looked<T>, Failure> {
        let changed = self.changed(session, which).await?;
        let is_part = changed.is_part;
        // A person takes back what was done; whether the model may write now is another question.
        let rules = Rules { permission: Permission::Workspace, ..self.rules()? };
        let Some(snapshots) = rules.snapshots.clone().map(Snapshots::new) else {
            return Ok(Looked { at: T::default(), is_part });
        };
        let acted = spawn_blocking(move || {
            let context = ToolContext::alone(session, changed.workspace.into(), rules);
            act(&changed.changes, &snapshots, &context)
        });
        // It fails only when the program is about to end.
        Ok(Looked { at: acted.await.unwrap_or_default(), is_part })
    }

    async fn changed(&self, session: SessionId, which: Which) -> Result<Changed, Failure> {
        let store = self.query();
        let summary = store.session(session).await.map_err(|error| error.failure())?;
        let workspace = summary.ok_or_else(|| unknown(session))?.workspace;
        let mut results = self.results(session).await?;
        match which {
            Which::All => {}
            Which::Run(run) => results.retain(|result| result.run == Some(run)),
            Which::LastRun => {
                let last = results.iter().rfind(|result| !result.changes.is_empty()).map(|result| result.run);
                let first = results.iter().position(|result| Some(result.run) == last).unwrap_or(0);
                results.drain(..first);
                // What only ran since then is left as it is, and told.
                results
                    .iter_mut()
                    .filter(|result| Some(result.run) != last)
                    .for_each(|result| result.changes.clear());
            }
        }
        let is_part = results.iter().any(|result| result.ran);
        Ok(Changed {
            workspace,
            changes: results.into_iter().flat_map(|result| result.changes).collect(),
            is_part,
        })
    }

    /// What came of the calls of a session, in the order in which they happened.
    async fn results(&self, session: SessionId) -> Result<Vec<Called>, Failure> {
        let (mut found, mut after) = (Vec::new(), 0);
        loop {
            let page = self.query().page(session, after, PAGE_BYTES_MAX).await;
            let events = page.map_err(|error| error.failure())?;
            let Some(last) = events.last() else { return Ok(found) };
            after = last.seq;
            for event in events {
                if let EventBody::ToolResult { changes, tool_name, card, .. } = event.body {
                    let ran = self.runs(&tool_name) && !card.as_ref().is_some_and(is_refusal);
                    found.push(Called { run: event.run_id, changes, ran });
                }
            }
        }
    }

    /// Whether a tool runs something. Of one that is not here any more nothing better is known.
    fn runs(&self, tool: &str) -> bool {
        self.tools.find(tool).is_none_or(|tool| tool.reach() == Reach::Exec)
    }
}

fn is_refusal(card: &ErrorCard) -> bool {
    NOT_RUN.iter().any(|code| card.code == code.as_str())
}

/// What came of one call.
struct Called {
    run: Option<RunId>,
    changes: Vec<Change>,
    /// Whether it ran something.
    ran: bool,
}

/// The changes of a session, and where it worked.
struct Changed {
    workspace: String,
    changes: Vec<Change>,
    is_part: bool,
}
