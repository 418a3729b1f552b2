//! What a call may use.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_gate::Gate;
use candor_protocol::SessionId;
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;
use crate::approval::{Approval, Approver, Grants, Question, Reply};
use crate::changed::Changed;
use crate::guides::Guides;
use crate::hooks::Hooks;
use crate::processes::Processes;
use crate::ready::Ready;
use crate::recipes::Recipes;
use crate::sought::Sought;
use crate::tracking::Tracking;
use crate::walls::{Plan, Walls};

/// What a call may use, as it was decided outside.
#[derive(Clone)]
pub struct ToolContext {
    /// Whose call it is.
    pub session: SessionId,
    /// Which call it is; empty before there is one.
    pub call_id: String,
    /// Where relative paths begin, where commands start, and the only place where files are written.
    pub workspace: PathBuf,
    /// What it may do.
    pub rules: Rules,
    /// How strictly work is checked before it is called done, by name.
    pub profile: String,
    /// Ends the call early.
    pub cancel: CancellationToken,
    /// Who asks people.
    pub approver: Arc<dyn Approver>,
    /// What people have allowed in this session.
    pub grants: Arc<Grants>,
    /// The walls around commands.
    pub walls: Arc<Walls>,
    /// The long-lived processes of the session.
    pub processes: Arc<Processes>,
    /// What is known of the workspace's files, to see what commands change.
    pub tracking: Arc<Tracking>,
    /// Which folders have told the session how to work in them.
    pub guides: Arc<Guides>,
    /// Which of the tools that can wait the session has looked for.
    pub sought: Arc<Sought>,
    /// What has to be over before it does anything.
    pub ready: Ready,
    /// What is run when something happens.
    pub hooks: Arc<Hooks>,
    /// What the run has changed so far. A plain lock: it is held for a look.
    pub changed: Arc<Mutex<Changed>>,
}

/// What calls may do.
#[derive(Debug, Clone)]
pub struct Rules {
    /// What may be changed.
    pub permission: Permission,
    /// When a person is asked first.
    pub approval: Approval,
    /// What commands are doubtful, and which are refused.
    pub gate: Arc<Gate>,
    /// The whole environment of commands.
    pub env: Vec<(String, String)>,
    /// How long a call may take.
    pub timeout: Duration,
    /// How much of its output the model gets.
    pub output_bytes_max: usize,
    /// Where no file tool may read or write.
    pub hidden: Vec<PathBuf>,
    /// Where file tools may read and write. Empty: anywhere else.
    pub allowed: Vec<PathBuf>,
    /// Candor's home, where notes are kept that hold everywhere. Nothing: there are none.
    pub home: Option<PathBuf>,
    /// Where files may be written besides the workspace.
    pub writable: Vec<PathBuf>,
    /// What no file tool may write, be it there or not. A relative path begins in the workspace.
    pub protected: Vec<PathBuf>,
    /// The directory that keeps what was in files before they were changed. Nothing: changes cannot be undone.
    pub snapshots: Option<PathBuf>,
    /// What is known about commands that fail.
    pub recipes: Arc<Recipes>,
}

impl Default for Rules {
    /// Those of a call that may change its workspace, and has the time and the room that most need.
    fn default() -> Self {
        Self {
            permission: Permission::Workspace,
            approval: Approval::Doubtful,
            gate: Arc::default(),
            env: Vec::new(),
            timeout: Duration::from_secs(120),
            output_bytes_max: 200_000,
            hidden: Vec::new(),
            allowed: Vec::new(),
            home: None,
            writable: Vec::new(),
            protected: Vec::new(),
            snapshots: None,
            recipes: Arc::default(),
        }
    }
}

/// What may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Nothing.
    ReadOnly,
    /// The workspace.
    Workspace,
    /// Anything that the user may change.
    Full,
}

impl ToolContext {
    /// What the run has changed so far.
    pub fn changed(&self) -> MutexGuard<'_, Changed> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where on the host a path is that the model wrote; a command may see another directory under the same name.
    pub fn host_path(&self, asked: &Path) -> PathBuf {
        self.walls.host_path(asked)
    }

    /// A call with nobody around who could be asked.
    pub fn alone(session: SessionId, workspace: PathBuf, rules: Rules) -> Self {
        Self {
            session,
            call_id: String::new(),
            workspace,
            rules,
            profile: "fast".to_owned(),
            cancel: CancellationToken::new(),
            approver: Arc::new(Nobody),
            grants: Arc::default(),
            walls: Arc::new(Walls::new(Plan::default())),
            processes: Arc::default(),
            tracking: Arc::default(),
            guides: Arc::default(),
            sought: Arc::default(),
            ready: Ready::default(),
            hooks: Arc::default(),
            changed: Arc::default(),
        }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("session", &self.session)
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}

/// Nobody is there.
struct Nobody;

impl Approver for Nobody {
    fn ask(&self, _question: Question) -> BoxFuture<'_, Option<Reply>> {
        Box::pin(std::future::ready(None))
    }
}
