//! `candor sessions`

use candor_protocol::{Event, EventBody, Part, SessionId};
use candor_runtime::Runtime;
use candor_store::{Filter, SessionSummary};
use serde_json::json;

use crate::assemble;
use crate::cli::Sessions;
use crate::commands::ask;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::printer::{brief, tame};
use crate::screen::block_on;

/// How many events are read at a time.
const PAGE: u32 = 500;

pub(crate) fn run(command: &Sessions, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    loaded.home.make()?;
    block_on(async {
        let runtime = Runtime::open_for_questions(&assemble::database(&loaded)).await?;
        match command {
            Sessions::List { all, limit, json } => {
                let here = assemble::offline(None, &loaded, context).workspace.display().to_string();
                let filter = Filter { workspace: (!all).then_some(here), limit: *limit, offset: 0 };
                list(&filter, *json, &runtime, context).await
            }
            Sessions::Show { session, json } => {
                let session = ask::find(session, &runtime).await?;
                show(session, *json, &runtime, context).await
            }
        }
    })
}

async fn list(filter: &Filter, json: bool, runtime: &Runtime, context: &Context<'_>) -> Result<Exit, Fail> {
    let sessions = runtime.query().sessions(filter).await.map_err(|error| error.failure())?;
    if json {
        context.screen.say(format_args!("{}", json!(sessions)))?;
        return Ok(Exit::Good);
    }
    if sessions.is_empty() {
        let hint = if filter.workspace.is_some() { " of this folder; --all shows the others" } else { "" };
        context.screen.note(format_args!("no sessions{hint}"));
    }
    for session in &sessions {
        context.screen.say(format_args!("{}", line(session)))?;
    }
    Ok(Exit::Good)
}

fn line(session: &SessionSummary) -> String {
    let status = session.status.map_or("open", |status| status.as_str());
    let at = session.updated_at.to_string();
    let at = at.get(..16).unwrap_or(&at).replace('T', " ");
    format!(
        "{}  {at}  {:>3} messages  {status:<12} {}",
        session.id,
        session.message_count,
        tame(&session.name)
    )
}

async fn show(
    session: SessionId,
    json: bool,
    runtime: &Runtime,
    context: &Context<'_>,
) -> Result<Exit, Fail> {
    let mut after = 0;
    loop {
        let events = runtime.query().events(session, after, PAGE).await.map_err(|error| error.failure())?;
        for event in &events {
            if json {
                context.screen.say(format_args!("{}", json!(event)))?;
            } else {
                tell(event, context)?;
            }
            after = event.seq;
        }
        if events.len() < PAGE as usize {
            return Ok(Exit::Good);
        }
    }
}

/// One event in words.
fn tell(event: &Event, context: &Context<'_>) -> Result<(), Fail> {
    let say = |text: String| context.screen.say(format_args!("{}", tame(&text)));
    match &event.body {
        EventBody::SessionCreated { name, workspace, source, .. } => say(format!(
            "session {}\nname    {name}\nfolder  {workspace}\nfrom    {source}, {}",
            event.session_id, event.at
        )),
        EventBody::MessageAccepted { content, .. } => {
            say(format!("\nyou> {}", candor_protocol::plain_text(content)))
        }
        EventBody::MessageComplete { content, model, .. } => {
            for part in content {
                match part {
                    Part::Text { text } => say(format!("\n{model}> {}", text.trim()))?,
                    Part::ToolCall(call) => say(format!("\n> {} {}", call.tool_name, brief(&call.args)))?,
                    _ => {}
                }
            }
            Ok(())
        }
        EventBody::ToolResult { result, .. } => {
            let lines: Vec<String> = result.lines().map(|line| format!("  {line}")).collect();
            say(lines.join("\n"))
        }
        EventBody::Compacted { removed_messages, .. } => {
            say(format!("\n[{removed_messages} earlier messages were replaced by a summary]"))
        }
        EventBody::Error { message, .. } => say(format!("\nerror: {message}")),
        EventBody::RunEnd(outcome) => say(format!("\n[{}]", outcome.status)),
        _ => Ok(()),
    }
}
