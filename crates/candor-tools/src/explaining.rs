//! The card of a command that failed.

use std::time::Duration;

use candor_cards::{Command, Explained, Failed, How, card, explain};
use candor_protocol::{Code, Failure};
use tokio::task::spawn_blocking;

use crate::command::{self, Line};
use crate::{Linked, Surroundings, ToolContext};

/// The signal that asks a process to end; it has this number on every system.
const SIGTERM: i32 = 15;

/// What programs say when something cannot be written, and the code that rules give for it.
const READ_ONLY: &str = "Read-only file system";
const READ_ONLY_CODE: &str = "SYS_READ_ONLY";

/// What a command said before it failed.
pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// How a process ended, in the words of its card. One that we ended because nobody waits for it any more was asked to end.
pub fn how(ended: candor_sandbox::How, limit: Duration) -> How {
    match ended {
        candor_sandbox::How::Exited(code) => How::Exited(code),
        candor_sandbox::How::Signalled(signal) => How::Signalled(signal),
        candor_sandbox::How::TimedOut => How::TimedOut(limit),
        candor_sandbox::How::Cancelled => How::Signalled(SIGTERM),
    }
}

/// How a process failed, for whoever explains it; nothing when it did not fail by itself.
pub(crate) fn failed(ended: candor_sandbox::How, limit: Duration) -> Option<How> {
    let is_ours = ended == candor_sandbox::How::Cancelled;
    Some(how(ended, limit)).filter(|how| !is_ours && *how != How::Exited(0))
}

/// The card of the command that a call named. Rules look at files, so this is done where it may wait for the disk.
pub(crate) async fn explained(line: &Line<'_>, how: How, said: Said, context: &ToolContext) -> Explained {
    let world = Surroundings::new(context, &command::cwd(line, context));
    let line = line.command.to_owned();
    let walls = refusal(&said, context);
    let recipes = context.rules.recipes.clone();
    let (again, again_how) = (line.clone(), how.clone());
    let looked = spawn_blocking(move || {
        let command = Command::line(&line);
        let failed = Failed { command: &command, how, stdout: &said.stdout, stderr: &said.stderr };
        let explained = explain(&failed, &recipes.rules(), &world);
        match walls {
            // The disk is well: it is our own walls that did not let it.
            Some(refusal) if explained.card.code == READ_ONLY_CODE => {
                Explained { card: card(&refusal), ..explained }
            }
            _ => explained,
        }
    });
    // It fails only when the program is about to end, or over a defect of a rule: then how it ended has to do.
    looked.await.unwrap_or_else(|_| {
        let command = Command::line(&again);
        let failed = Failed { command: &command, how: again_how, stdout: "", stderr: "" };
        explain(&failed, &candor_cards::RuleBase::only([]), &candor_cards::Given::default())
    })
}

/// What our walls refused, where they did: behind them everything is read-only but what a policy lets commands write.
fn refusal(said: &Said, context: &ToolContext) -> Option<Failure> {
    let policy = context.walls.plan().policy.as_ref()?;
    let mut lines = said.stderr.lines().chain(said.stdout.lines());
    let line = lines.find(|line| line.contains(READ_ONLY))?.trim();
    if makes_a_repository(line, context) {
        let workspace = context.workspace.display();
        return Some(Failure::new(Code::SandboxNoRepository).with("workspace", workspace).with("said", line));
    }
    let places = if policy.writable.is_empty() {
        "below /tmp alone"
    } else {
        "below the workspace (but for .git/config, .git/hooks and .candor) and below /tmp"
    };
    let refused = Failure::new(Code::SandboxReadOnly).with("places", places).with("said", line);
    // Without a place to add, the card does not advise to add one: where nothing is to be written, it would not help.
    if policy.writable.is_empty() {
        return Some(refused);
    }
    let place = match Linked::of(&context.workspace).map(|linked| linked.repository()) {
        Some(repository) if line.contains(".git/") => repository.display().to_string(),
        _ => "it".to_owned(),
    };
    Some(refused.with("place", place))
}

/// Whether a command that said this was stopped at the configuration of a repository that is not there. A linked worktree
/// has one, elsewhere.
pub(crate) fn makes_a_repository(said: &str, context: &ToolContext) -> bool {
    let git = context.workspace.join(".git");
    said.contains(".git/") && !git.is_file() && !git.join("HEAD").exists()
}
