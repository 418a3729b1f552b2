//! The card of a command that failed.

use std::time::Duration;

use candor_cards::{Command, Explained, Failed, How, explain};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::{Surroundings, ToolContext, arguments, command};

/// What a command said before it failed.
pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// How a process failed, for whoever explains it; nothing when it did not fail by itself.
pub(crate) fn how(ended: candor_sandbox::How, limit: Duration) -> Option<How> {
    match ended {
        candor_sandbox::How::Exited(0) | candor_sandbox::How::Cancelled => None,
        candor_sandbox::How::Exited(code) => Some(How::Exited(code)),
        candor_sandbox::How::Signalled(signal) => Some(How::Signalled(signal)),
        candor_sandbox::How::TimedOut => Some(How::TimedOut(limit)),
    }
}

/// The card of the command that a call named. Rules look at files, so this is done where it may wait for the disk.
pub(crate) async fn explained(args: &Value, how: How, said: Said, context: &ToolContext) -> Explained {
    let line = arguments::text(args, "command").unwrap_or_default().to_owned();
    let world = Surroundings::new(context, &command::cwd(args, context));
    let recipes = context.rules.recipes.clone();
    let (again, again_how) = (line.clone(), how.clone());
    let looked = spawn_blocking(move || {
        let command = Command::line(&line);
        let failed = Failed { command: &command, how, stdout: &said.stdout, stderr: &said.stderr };
        explain(&failed, &recipes.rules(), &world)
    });
    // It fails only when the program is about to end, or over a defect of a rule: then how it ended has to do.
    looked.await.unwrap_or_else(|_| {
        let command = Command::line(&again);
        let failed = Failed { command: &command, how: again_how, stdout: "", stderr: "" };
        explain(&failed, &candor_cards::RuleBase::only([]), &candor_cards::Given::default())
    })
}
