//! What a session's tools have changed, and taking it back.

use candor_protocol::{Change, EventBody, Failure, RunId, SessionId};
use candor_store::Store;
use candor_tools::{ChangedSince, Permission, Rules, Snapshots, ToolContext, Undone};
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

impl Runtime {
    /// Takes back what tools changed, the last first. The rules hold as for a tool that writes; a file that somebody else
    /// has changed since stays as it is, unless it is to be overwritten. Nothing is taken away under a run that goes on.
    pub async fn undo(
        &self,
        session: SessionId,
        which: Which,
        since: ChangedSince,
    ) -> Result<Vec<Undone>, Failure> {
        // Held until all is done: no run can begin meanwhile.
        let _lease = lease(self.query(), session).await?;
        self.with_changes(session, which, move |changes, snapshots, context| {
            candor_tools::undo(changes, snapshots, context, since)
        })
        .await
    }

    /// What tools changed, as one unified diff: how files were before against how they are now.
    pub async fn diff(&self, session: SessionId, which: Which) -> Result<String, Failure> {
        self.with_changes(session, which, candor_tools::diff).await
    }

    /// Does something with the changes of a session where it may wait for the disk.
    async fn with_changes<T: Default + Send + 'static>(
        &self,
        session: SessionId,
        which: Which,
        act: impl FnOnce(&[Change], &Snapshots, &ToolContext) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let changed = self.changed(session, which).await?;
        // A person takes back what was done; whether the model may write now is another question.
        let rules = Rules { permission: Permission::Workspace, ..self.rules()? };
        let Some(snapshots) = rules.snapshots.clone().map(Snapshots::new) else { return Ok(T::default()) };
        let acted = spawn_blocking(move || {
            let context = ToolContext::alone(session, changed.workspace.into(), rules);
            act(&changed.changes, &snapshots, &context)
        });
        // It fails only when the program is about to end.
        Ok(acted.await.unwrap_or_default())
    }

    async fn changed(&self, session: SessionId, which: Which) -> Result<Changed, Failure> {
        let store = self.query();
        let summary = store.session(session).await.map_err(|error| error.failure())?;
        let workspace = summary.ok_or_else(|| unknown(session))?.workspace;
        let mut changes = changes(store, session).await?;
        match which {
            Which::All => {}
            Which::Run(run) => changes.retain(|(of, _)| *of == Some(run)),
            Which::LastRun => {
                let last = changes.last().and_then(|(of, _)| *of);
                changes.retain(|(of, _)| *of == last);
            }
        }
        Ok(Changed { workspace, changes: changes.into_iter().map(|(_, change)| change).collect() })
    }
}

/// The changes of a session, and where it worked.
struct Changed {
    workspace: String,
    changes: Vec<Change>,
}

/// The changes in the order in which they happened, each with its run.
async fn changes(store: &Store, session: SessionId) -> Result<Vec<(Option<RunId>, Change)>, Failure> {
    let (mut found, mut after) = (Vec::new(), 0);
    loop {
        let events = store.page(session, after, PAGE_BYTES_MAX).await.map_err(|error| error.failure())?;
        let Some(last) = events.last() else { return Ok(found) };
        after = last.seq;
        for event in events {
            if let EventBody::ToolResult { changes, .. } = event.body {
                found.extend(changes.into_iter().map(|change| (event.run_id, change)));
            }
        }
    }
}
