//! Prompts of MCP servers: `/mcp__server__prompt` and its arguments, at the beginning of a message.

use candor_mcp::{OfferedPrompt, ServerPrompt, Servers, Standing, Status};
use candor_protocol::{Code, Failure};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// What such a message begins with.
const START: &str = "/mcp__";

/// Whether a message begins with a prompt.
pub(crate) fn is_meant(text: &str) -> bool {
    text.starts_with(START)
}

/// The message, with what the prompt says behind it and where that comes from.
pub(crate) async fn filled(text: String, servers: &Servers) -> Result<String, Failure> {
    if !is_meant(&text) {
        return Ok(text);
    }
    let asked = text.trim_start_matches('/');
    let (word, given) = asked.split_once(char::is_whitespace).unwrap_or((asked, ""));
    let prompt = find(word, servers).await?;
    let args = arguments(word, &prompt.prompt, given)?;
    let never = CancellationToken::new();
    let said = servers.prompt(&prompt.server, &prompt.prompt.name, args, &never).await;
    let said = said.map_err(|error| error.failure())?;
    Ok(format!("{text}\n\nThe prompt {} of the MCP server {}:\n{said}", prompt.prompt.name, prompt.server))
}

/// The prompt of this name. Servers that nobody has asked yet are asked.
async fn find(word: &str, servers: &Servers) -> Result<ServerPrompt, Failure> {
    let known = || servers.prompts().into_iter().find(|prompt| prompt.word == word);
    if let Some(prompt) = known() {
        return Ok(prompt);
    }
    let is_unasked = |status: &Status| {
        status.offer.is_none() && !matches!(status.standing, Standing::Disabled | Standing::Untrusted)
    };
    for status in servers.statuses().into_iter().filter(is_unasked) {
        // One that cannot be had has no prompt; why, is told by whoever needs it.
        let _ = servers.probe(&status.name).await;
    }
    known().ok_or_else(|| {
        let words: Vec<String> =
            servers.prompts().into_iter().map(|prompt| format!("/{}", prompt.word)).collect();
        let there = if words.is_empty() { "no server has one".to_owned() } else { words.join(", ") };
        invalid(word, &format!("No MCP server that can be used has such a prompt; there are: {there}."))
    })
}

/// What is given, by name: `name=value`, or the values in the order of the arguments. The last one takes all the rest.
fn arguments(word: &str, prompt: &OfferedPrompt, given: &str) -> Result<Map<String, Value>, Failure> {
    let mut args: Map<String, Value> = Map::new();
    let mut rest = given.trim();
    while !rest.is_empty() {
        let is_named = |part: &str| {
            let name = part.split_once('=').map(|(name, _)| name);
            name.filter(|name| prompt.arguments.iter().any(|argument| argument.name == *name))
                .map(str::to_owned)
        };
        let open: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
        let open: Vec<&str> = open.into_iter().filter(|name| !args.contains_key(*name)).collect();
        let (name, value) = match (is_named(rest), open.as_slice()) {
            (Some(name), _) => {
                let behind = &rest[name.len() + 1..];
                (name, behind)
            }
            (None, []) => {
                let takes = takes(prompt);
                return Err(invalid(word, &format!("It takes no more than {takes}; `{rest}` is too much.")));
            }
            (None, [last]) => {
                args.insert((*last).to_owned(), unquoted(rest).into());
                break;
            }
            (None, [first, ..]) => ((*first).to_owned(), rest),
        };
        let (value, behind) = first_word(value);
        args.insert(name, value.into());
        rest = behind;
    }
    let is_missing = |name: &str| !args.contains_key(name);
    let missing = prompt.arguments.iter().find(|argument| argument.required && is_missing(&argument.name));
    match missing {
        Some(missing) => {
            Err(invalid(word, &format!("`{}` is missing. It takes {}.", missing.name, takes(prompt))))
        }
        None => Ok(args),
    }
}

/// The first word, which quotes may hold together, and what is behind it.
fn first_word(text: &str) -> (String, &str) {
    if let Some((word, behind)) = text.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
        return (word.to_owned(), behind.trim_start());
    }
    let (word, behind) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word.to_owned(), behind.trim_start())
}

fn unquoted(text: &str) -> String {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.filter(|inside| !inside.contains('"')).unwrap_or(text).to_owned()
}

fn takes(prompt: &OfferedPrompt) -> String {
    let shown = |argument: &candor_mcp::PromptArgument| {
        if argument.required { argument.name.clone() } else { format!("[{}]", argument.name) }
    };
    let all: Vec<String> = prompt.arguments.iter().map(shown).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(" ") }
}

fn invalid(word: &str, detail: &str) -> Failure {
    Failure::new(Code::UsageInvalidValue)
        .with("argument", "the prompt")
        .with("value", format!("/{word}"))
        .with("detail", detail)
        .with("help", "candor mcp probe")
}
