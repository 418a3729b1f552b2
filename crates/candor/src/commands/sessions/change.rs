//! `candor sessions rename`, `delete` and `fork`.

use std::io::{self, IsTerminal};

use candor_protocol::{Body, Code, Failure, Origin, SessionId, Submission};

use super::{Desk, list};
use crate::fail::{Exit, Fail};
use crate::printer::tame;
use crate::which;

/// The longest answer to a question that is read: a word is meant, and whatever is piped in has an end here.
const ANSWER_BYTES_MAX: u64 = 1024;

pub(super) async fn rename(session: &str, name: &str, desk: &Desk<'_>) -> Result<Exit, Fail> {
    let session = desk.find(session).await?;
    if name.trim().is_empty() {
        return Err(Failure::new(Code::UsageInvalidValue)
            .with("argument", "NAME")
            .with("value", format!("{name:?}"))
            .with("detail", "A name has at least one letter.")
            .with("help", "candor sessions rename --help")
            .into());
    }
    let name = name.trim();
    let body = Body::Rename(name.to_owned());
    desk.runtime.submit(Submission { session, origin: Origin::Cli, body }).await?;
    // A long name is cut, and a secret in it is masked: whoever gave it should know.
    let kept = which::name(session, &desk.runtime).await?;
    if kept != name {
        desk.context.screen.note(format_args!("it is called: {}", tame(&kept)));
    }
    Ok(Exit::Good)
}

/// Without a terminal nobody can be asked: the decision has to be in the command.
pub(super) fn check_terminal() -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return Ok(());
    }
    Err(Failure::new(Code::UsageNeedsTerminal).with("command", "sessions delete").with("flags", "--yes"))
}

pub(super) async fn delete(texts: &[String], yes: bool, desk: &Desk<'_>) -> Result<Exit, Fail> {
    // All are found before any is removed: a mistake in the last name must not cost the others.
    let mut sessions: Vec<SessionId> = Vec::new();
    for text in texts {
        let session = desk.find(text).await?;
        if !sessions.contains(&session) {
            sessions.push(session);
        }
    }
    if !yes && !is_confirmed(&sessions, desk).await? {
        desk.context.screen.note(format_args!("nothing was deleted"));
        return Ok(Exit::Bad);
    }
    for session in &sessions {
        desk.runtime.delete(*session).await?;
    }
    let what = if sessions.len() == 1 { "session" } else { "sessions" };
    desk.context.screen.note(format_args!("deleted {} {what}", sessions.len()));
    Ok(Exit::Good)
}

async fn is_confirmed(sessions: &[SessionId], desk: &Desk<'_>) -> Result<bool, Fail> {
    let screen = desk.context.screen;
    for session in sessions {
        let summary = desk.runtime.query().session(*session).await.map_err(|error| error.failure())?;
        let line = summary.map(|summary| list::line(&summary)).unwrap_or_default();
        screen.note(format_args!("{session}  {line}"));
    }
    let what = if sessions.len() == 1 { "this session" } else { "these sessions" };
    screen.note(format_args!("Delete {what} for good? [y/N]"));
    let mut answer = String::new();
    let read = io::BufRead::read_line(&mut io::Read::take(io::stdin().lock(), ANSWER_BYTES_MAX), &mut answer);
    // An answer that cannot be read is none.
    Ok(read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

pub(super) async fn fork(session: &str, at: Option<u64>, desk: &Desk<'_>) -> Result<Exit, Fail> {
    let session = desk.find(session).await?;
    let last = which::last_seq(session, &desk.runtime).await?;
    if let Some(at) = at.filter(|at| *at > last) {
        return Err(Failure::new(Code::UsageInvalidValue)
            .with("argument", "--at")
            .with("value", at)
            .with("detail", format!("The last event of session {session} has the number {last}."))
            .with("help", "candor sessions fork --help")
            .into());
    }
    let fork = desk.runtime.fork(session, at).await?;
    desk.context.screen.say(format_args!("{fork}"))?;
    Ok(Exit::Good)
}
