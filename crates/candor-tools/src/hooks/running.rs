//! Runs hooks: side by side, each told the same, none for longer than its time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_log::event;
use candor_sandbox::{Sandbox, Spec, Stdin};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::answer::Answer;
use super::file::Hook;
use crate::error::COMMAND_CHARS_MAX;
use crate::{ToolContext, command};

/// How many run at once.
const AT_ONCE_MAX: usize = 8;
/// How much of what one says is read: a changed input may hold a whole file.
const OUTPUT_BYTES_MAX: usize = 1 << 20;
/// How long those of a session that ends may take: whoever ends the program waits for them.
const LAST_TIME_MAX: Duration = Duration::from_secs(2);
/// Where scripts find the workspace, by the name of the ecosystem and by ours.
const PROJECT: &[&str] = &["CLAUDE_PROJECT_DIR", "CANDOR_PROJECT_DIR"];

/// What is run once.
pub(super) struct Job {
    pub(super) hook: Arc<Hook>,
    /// What it is told.
    pub(super) told: Arc<str>,
}

/// Runs all of them; the answers are in the order of the jobs.
pub(super) async fn run(jobs: Vec<Job>, context: &ToolContext) -> Vec<(Arc<Hook>, Answer)> {
    let hooks: Vec<Arc<Hook>> = jobs.iter().map(|job| Arc::clone(&job.hook)).collect();
    let mut answers: Vec<Option<Answer>> = jobs.iter().map(|_| None).collect();
    let mut waiting = jobs.into_iter().enumerate();
    // Dropping it ends what still runs.
    let mut running = JoinSet::new();
    loop {
        while running.len() < AT_ONCE_MAX
            && let Some((at, job)) = waiting.next()
        {
            running.spawn(one(at, job, context.clone()));
        }
        match running.join_next().await {
            Some(Ok((at, answer))) => answers[at] = Some(answer),
            Some(Err(_)) => {}
            None => break,
        }
    }
    let defect = || Answer::failed("it met a defect of ours".to_owned());
    hooks.into_iter().zip(answers).map(|(hook, answer)| (hook, answer.unwrap_or_else(defect))).collect()
}

async fn one(at: usize, job: Job, context: ToolContext) -> (usize, Answer) {
    let started = Instant::now();
    let Job { hook, told } = job;
    let answer = match process(&hook, &told, &context).await {
        Ok(ended) => Answer::of(&ended, hook.occasion, &|text| context.hooks.hide(text)),
        Err(why) => Answer::failed(why),
    };
    let command: String = hook.command.chars().take(COMMAND_CHARS_MAX).collect();
    event::HookRun {
        session_id: context.session,
        event: hook.occasion.as_str(),
        hook: &command,
        duration: started.elapsed(),
        outcome: answer.word_for_it(),
    }
    .log();
    (at, answer)
}

async fn process(hook: &Hook, told: &str, context: &ToolContext) -> Result<candor_sandbox::Ended, String> {
    let is_last = hook.occasion == super::Occasion::SessionEnd;
    let mut env = context.rules.env.clone();
    env.retain(|(name, _)| !PROJECT.contains(&name.as_str()));
    env.extend(PROJECT.iter().map(|name| ((*name).to_owned(), context.workspace.display().to_string())));
    let cwd = if hook.is_walled {
        context.workspace.clone()
    } else {
        // With a person's rights nothing starts where a program runs what lies around it.
        env.iter().find(|(name, _)| name == "HOME").map_or("/".into(), |(_, home)| home.into())
    };
    let spec = Spec {
        program: command::shell(context),
        args: ["-c", &hook.command].map(Into::into).to_vec(),
        cwd,
        env,
        timeout: if is_last { hook.timeout.min(LAST_TIME_MAX) } else { hook.timeout },
        output_bytes_max: OUTPUT_BYTES_MAX,
        spill: None,
        stdin: Stdin::Piped,
        pty: None,
    };
    let sandbox = if hook.is_walled {
        context.walls.sandbox().map_err(|error| error.to_string())?.clone()
    } else {
        Sandbox::bare()
    };
    // What a session says at its end is said after everything was stopped.
    let cancel = if is_last { CancellationToken::new() } else { context.cancel.clone() };
    let ended = candor_sandbox::run_told(&spec, told.as_bytes(), &sandbox, &cancel).await;
    ended.map_err(|error| error.to_string())
}
