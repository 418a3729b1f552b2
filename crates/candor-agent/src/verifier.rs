//! Looks whether work is done: what the verifier needs of a session, and nothing that decides.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use candor_protocol::{ErrorCard, Failure};
use candor_tools::{ToolContext, read_plain};
use candor_verify::diagnostics::Ledger;
use candor_verify::ground::{Ground, Host, Progress, Ran};
use candor_verify::plan::Plan;
use candor_verify::probe::Sql;
use candor_verify::run::{Order, Verified};
use candor_verify::{BoxFuture, classify, declare, detect};
use tokio::task::spawn_blocking;

/// No more is read of one of the files that decide.
const DECIDING_BYTES_MAX: u64 = 2 << 20;

/// Looks whether work is done.
#[derive(Default)]
pub struct Verifier {
    /// Whoever can ask databases.
    sql: Option<Arc<dyn Sql>>,
    /// Logs of the project besides those of its services, with what they are called.
    project_logs: Vec<(PathBuf, String)>,
    /// What compilers and test runners complained about before. A plain lock: it is held for a copy.
    ledger: Mutex<Ledger>,
}

/// How a verification tells how far it is.
pub type Tell<'a> = &'a (dyn Fn(Progress<'_>) + Send + Sync);
/// How it keeps secrets.
pub type Hide<'a> = &'a (dyn Fn(&str) -> String + Send + Sync);

impl Verifier {
    /// One that can ask databases, reads these logs of the project (with what they are called), and knows what was complained
    /// about before.
    pub fn new(sql: Arc<dyn Sql>, project_logs: Vec<(PathBuf, String)>, ledger: Ledger) -> Self {
        Self { sql: Some(sql), project_logs, ledger: Mutex::new(ledger) }
    }

    /// The files of the workspace that decide how it runs and that git may ignore, so that nobody notices a change: those
    /// whose declarations win, and those that give the environment.
    pub(crate) const DECIDING: &'static [&'static str] = &[
        ".candor/verify.yaml",
        ".candor/verify.yml",
        ".env",
        ".env.local",
        ".env.development",
        ".env.production",
        ".env.test",
    ];

    /// What tells whether these files have changed.
    pub(crate) fn deciding(workspace: &Path) -> u64 {
        let read = |name: &&str| read_plain(&workspace.join(name), DECIDING_BYTES_MAX).ok();
        let texts: Vec<Option<Vec<u8>>> = Self::DECIDING.iter().map(read).collect();
        let mut hasher = std::hash::DefaultHasher::new();
        texts.hash(&mut hasher);
        hasher.finish()
    }

    /// What is complained about now.
    pub fn ledger(&self) -> Ledger {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What can be checked in a workspace. Declarations in `doubted` files, which the work itself has changed, add to what is
    /// found and do not replace it: otherwise a model could declare its own work good.
    pub async fn plan(&self, workspace: &Path, doubted: &BTreeSet<PathBuf>) -> Plan {
        let root = workspace.to_owned();
        let relative = |path: &PathBuf| path.strip_prefix(workspace).unwrap_or(path).to_owned();
        let doubted: BTreeSet<PathBuf> = doubted.iter().map(relative).collect();
        let made = spawn_blocking(move || {
            classify::unwrap(declare::merge_doubting(declare::read(&root), detect::detect(&root), &doubted))
        });
        // It fails only when the program is about to end.
        made.await.unwrap_or_default()
    }

    /// Carries out of a plan what the order asks for, behind the walls of the session.
    pub async fn verify(
        &self,
        plan: &Plan,
        order: Order<'_>,
        context: &ToolContext,
        hide: Hide<'_>,
        tell: Tell<'_>,
    ) -> Result<Verified, Failure> {
        let sandbox = context.walls.sandbox().map_err(|error| error.failure())?;
        let (host, shell) = (Surface { context, hide, tell }, context.shell());
        let ground = Ground {
            root: &context.workspace,
            sandbox,
            env: &context.rules.env,
            shell: &shell,
            cancel: &context.cancel,
            host: &host,
            sql: self.sql.as_deref(),
            project_logs: &self.project_logs,
            may_leave: plan.remote_probes && sandbox.may_leave(),
        };
        let mut ledger = self.ledger();
        let verified = candor_verify::run::run(plan, order, &mut ledger, &ground).await;
        *self.ledger.lock().unwrap_or_else(PoisonError::into_inner) = ledger;
        Ok(verified)
    }

    /// The same in a session that goes on. What it still runs of the services is ended first: it holds their ports, and is
    /// not what is on the disk now. A service that is to be kept is the session's from then on.
    pub(crate) async fn verify_in_session(
        &self,
        plan: &Plan,
        order: Order<'_>,
        context: &ToolContext,
        hide: Hide<'_>,
        tell: Tell<'_>,
    ) -> Result<Verified, Failure> {
        let is_wanted = |name: &str| order.service.is_none_or(|wanted| wanted == name);
        for service in plan.services.iter().filter(|service| is_wanted(&service.name)) {
            context.processes.end_all(&service.command).await;
        }
        let mut verified = self.verify(plan, order, context, hide, tell).await?;
        for kept in std::mem::take(&mut verified.kept) {
            context.processes.adopt(kept.command, kept.running, Arc::clone(&context.walls));
        }
        Ok(verified)
    }
}

/// The session that a verification works for.
struct Surface<'a> {
    context: &'a ToolContext,
    hide: Hide<'a>,
    tell: Tell<'a>,
}

impl Host for Surface<'_> {
    fn permit<'a>(&'a self, command: &'a str, cwd: &'a Path) -> BoxFuture<'a, Result<(), ErrorCard>> {
        Box::pin(async move {
            let permitted = self.context.permit(command, cwd).await;
            permitted.map_err(|error| candor_cards::card(&error.failure()))
        })
    }

    fn explain<'a>(&'a self, ran: Ran<'a>) -> BoxFuture<'a, ErrorCard> {
        Box::pin(async move {
            let said = (ran.stdout, ran.stderr);
            self.context.explain(ran.command, ran.cwd, ran.how, said).await.card
        })
    }

    fn mask(&self, text: &str) -> String {
        (self.hide)(text)
    }

    fn tell(&self, progress: Progress<'_>) {
        (self.tell)(progress);
    }
}

#[cfg(test)]
#[path = "verifier_tests.rs"]
mod tests;
