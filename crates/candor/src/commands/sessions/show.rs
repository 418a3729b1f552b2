//! `candor sessions show`

use candor_protocol::{Event, EventBody, Origin, Part, ToolCall, plain_text};
use serde_json::Value;

use super::Desk;
use crate::fail::{Exit, Fail};
use crate::printer::{brief, called, tame, verdict};
use crate::screen::counted;
use crate::which;

/// How many events are read at a time.
pub(super) const PAGE: u32 = 500;

pub(super) async fn run(session: &str, json: bool, desk: &Desk<'_>) -> Result<Exit, Fail> {
    let session = desk.find(session).await?;
    let name = which::name(session, &desk.runtime).await?;
    let (screen, mut after) = (desk.context.screen, 0);
    loop {
        let events = desk.runtime.query().events(session, after, PAGE).await;
        let events = events.map_err(|error| error.failure())?;
        for event in &events {
            if json {
                screen.say_event(event)?;
            } else if let Some(words) = head(event, &name).or_else(|| words(event)) {
                screen.say(format_args!("{}", tame(&words)))?;
            }
            after = event.seq;
        }
        if events.len() < PAGE as usize {
            return Ok(Exit::Good);
        }
    }
}

/// How a session began, with the name it has now: the one it began with is often none yet.
fn head(event: &Event, name: &str) -> Option<String> {
    let EventBody::SessionCreated { workspace, source, forked_from, parent, .. } = &event.body else {
        return None;
    };
    let forked = forked_from
        .map(|fork| format!("\nforked  from {} at event {}", fork.session_id, fork.seq))
        .unwrap_or_default();
    let parent = parent.as_ref().map(|parent| format!("\nfor     {}", parent.session_id)).unwrap_or_default();
    let (id, at) = (event.session_id, event.at);
    Some(format!("session {id}\nname    {name}\nfolder  {workspace}\nfrom    {source}, {at}{forked}{parent}"))
}

/// One event in words; nothing for those that only programs need.
pub(crate) fn words(event: &Event) -> Option<String> {
    Some(match &event.body {
        EventBody::SessionRenamed { name, .. } => format!("\n[now called {name}]"),
        EventBody::MessageAccepted { origin: Origin::Verifier, content } => {
            format!("\nverifier> {}", plain_text(content))
        }
        EventBody::MessageAccepted { origin: Origin::Children, content } => {
            format!("\nhelpers> {}", plain_text(content))
        }
        EventBody::MessageAccepted { origin: Origin::Hook, content } => {
            format!("\nhook> {}", plain_text(content))
        }
        EventBody::Verification { check, result, evidence } => {
            format!("  {:<12} {check}: {}", result.as_str(), evidence.summary)
        }
        EventBody::MessageAccepted { content, .. } => format!("\nyou> {}", plain_text(content)),
        EventBody::MessageComplete { content, model, .. } => return said(content, model),
        // The model's own calls stand in its answer.
        EventBody::ToolStart { call_id, tool_name, args } if ToolCall::is_recovery_id(call_id) => {
            format!("\n> {} {}", called(tool_name, call_id), brief(args))
        }
        EventBody::ToolResult { tool_name, result, .. } => indented(&readable(tool_name, result)),
        EventBody::ApprovalRequest { question, .. } => format!("\n? {question}"),
        EventBody::ApprovalAnswer { choice, reason, .. } => match reason {
            Some(reason) => format!("  answer: {choice}: {reason}"),
            None => format!("  answer: {choice}"),
        },
        EventBody::Compacted { removed_images, .. } if *removed_images > 0 => {
            format!("\n[{} no longer shown]", counted(*removed_images, "picture"))
        }
        EventBody::Compacted { removed_messages, .. } => {
            format!("\n[{removed_messages} earlier messages were replaced by a summary]")
        }
        EventBody::Error { message, .. } => format!("\nerror: {message}"),
        EventBody::RunEnd(outcome) => match verdict(&outcome.verdict) {
            Some(verdict) => format!("\n[{}, {verdict}]", outcome.status),
            None => format!("\n[{}]", outcome.status),
        },
        _ => return None,
    })
}

fn said(content: &[Part], model: &str) -> Option<String> {
    let part = |part: &Part| match part {
        Part::Text { text } => Some(format!("\n{model}> {}", text.trim())),
        Part::ToolCall(call) => Some(format!("\n> {} {}", call.tool_name, brief(&call.args))),
        _ => None,
    };
    let parts: Vec<String> = content.iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// What came of a call, as its own program would have printed it.
fn readable(tool: &str, result: &str) -> String {
    let fields = serde_json::from_str::<Value>(result).unwrap_or_default();
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::trim_end).unwrap_or_default();
    if let (Some(code), "shell_exec") = (fields.get("exit_code"), tool) {
        let end = if code.is_null() { "killed".to_owned() } else { format!("exit {code}") };
        let parts = [end.as_str(), text("stdout"), text("stderr")];
        return parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    }
    match (fields.get("written_bytes"), fields.get("error")) {
        (Some(bytes), _) => format!("wrote {bytes} bytes"),
        (None, Some(Value::String(error))) => error.clone(),
        _ => result.to_owned(),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
