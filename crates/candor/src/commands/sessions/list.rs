//! `candor sessions list`

use std::io::{self, IsTerminal};

use candor_protocol::{Code, Failure, Origin, SessionId};
use candor_runtime::Runtime;
use candor_store::{Filter, SessionSummary};
use serde_json::json;

use super::Desk;
use crate::fail::{Exit, Fail};
use crate::printer::tame;

/// How many summaries are read at a time.
const PAGE: u32 = 500;

/// Every surface that a session can come from.
const SOURCES: [Origin; 9] = [
    Origin::Cli,
    Origin::Repl,
    Origin::Websocket,
    Origin::Http,
    Origin::Telegram,
    Origin::Cron,
    Origin::Workflow,
    Origin::Acp,
    Origin::Subagent,
];

/// Which sessions are to be listed.
pub(crate) struct Wanted {
    pub(crate) workspace: Option<String>,
    pub(crate) source: Option<String>,
    /// Whether those that work for another one are, too.
    pub(crate) children: bool,
    pub(crate) limit: u32,
}

pub(super) async fn run(wanted: &Wanted, json: bool, desk: &Desk<'_>) -> Result<Exit, Fail> {
    check_source(wanted)?;
    let screen = desk.context.screen;
    let sessions = sessions(wanted, &desk.runtime).await?;
    if json {
        screen.say(format_args!("{}", json!(sessions)))?;
        return Ok(Exit::Good);
    }
    if sessions.is_empty() {
        tell_none(wanted, desk);
    }
    // A person gets lines that fit the terminal, a program whole ids and nothing else.
    let is_terminal = io::stdout().is_terminal();
    if is_terminal && !sessions.is_empty() {
        screen.say(format_args!("{:<8}  {}", "ID", head()))?;
    }
    for session in &sessions {
        let id = if is_terminal { short(session.id) } else { session.id.to_string() };
        screen.say(format_args!("{id}  {}", line(session)))?;
    }
    Ok(Exit::Good)
}

/// The end of an id, which tells it apart: those of one day begin alike.
pub(crate) fn short(session: SessionId) -> String {
    let id = session.to_string();
    id.get(id.len().saturating_sub(8)..).unwrap_or_default().to_owned()
}

/// Says that there is nothing to list.
pub(super) fn tell_none(wanted: &Wanted, desk: &Desk<'_>) {
    let from = wanted.source.as_ref().map(|source| format!(" from {source}")).unwrap_or_default();
    let hint = if wanted.workspace.is_some() { " of this folder; --all shows the others" } else { "" };
    desk.context.screen.note(format_args!("no sessions{from}{hint}"));
}

/// A source that there is none of would look as if there were no sessions.
pub(super) fn check_source(wanted: &Wanted) -> Result<(), Failure> {
    let Some(source) = &wanted.source else { return Ok(()) };
    if SOURCES.iter().any(|known| known.as_str() == source) {
        return Ok(());
    }
    let known = SOURCES.map(Origin::as_str).join(", ");
    Err(Failure::new(Code::UsageInvalidValue)
        .with("argument", "--source")
        .with("value", source)
        .with("detail", format!("It is one of: {known}"))
        .with("help", "candor sessions list --help"))
}

/// The sessions that are wanted, the latest first.
pub(crate) async fn sessions(wanted: &Wanted, runtime: &Runtime) -> Result<Vec<SessionSummary>, Failure> {
    let limit = wanted.limit as usize;
    let Some(source) = &wanted.source else {
        let filter = filter(wanted, wanted.limit, 0);
        return runtime.query().sessions(&filter).await.map_err(|error| error.failure());
    };
    let (mut found, mut offset) = (Vec::new(), 0);
    loop {
        let filter = filter(wanted, PAGE, offset);
        let page = runtime.query().sessions(&filter).await.map_err(|error| error.failure())?;
        let is_last = page.len() < PAGE as usize;
        found.extend(page.into_iter().filter(|session| &session.source == source));
        if is_last || found.len() >= limit {
            found.truncate(limit);
            return Ok(found);
        }
        offset = offset.saturating_add(PAGE);
    }
}

fn filter(wanted: &Wanted, limit: u32, offset: u32) -> Filter {
    Filter { workspace: wanted.workspace.clone(), children: wanted.children, limit, offset }
}

/// What the columns of [`line()`] are.
pub(crate) fn head() -> String {
    format!("{:<16}  {:>12}  {:<18} NAME", "LAST USED (UTC)", "", "STATUS")
}

/// One session, but for its id.
pub(crate) fn line(session: &SessionSummary) -> String {
    let status = session.status.map_or("open", |status| status.as_str());
    let messages = if session.message_count == 1 { "message " } else { "messages" };
    format!(
        "{}  {:>3} {messages}  {status:<18} {}",
        minute(session.updated_at),
        session.message_count,
        tame(&session.name)
    )
}

/// A moment to the minute.
pub(crate) fn minute(at: candor_protocol::Moment) -> String {
    let at = at.to_string();
    at.get(..16).unwrap_or(&at).replace('T', " ")
}
