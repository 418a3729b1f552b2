//! A conversation as one flat text, for the model that summarises it. Messages in their own form would invite it to answer
//! them.

use std::borrow::Cow;

use candor_protocol::{Message, Part, Role, ToolCall};

use super::excerpt::{json, longest_for, middle};
use super::rules::said;

/// How much of one result the summariser reads: the beginning and the end tell how it went.
const RESULT_BYTES_MAX: usize = 4_000;
/// How much of the arguments of one call.
const ARGS_BYTES_MAX: usize = 2_000;
/// To what answers and results are cut, at most, before the user's words are.
const OTHERS_BYTES_MIN: usize = 80;

const USER: &str = "[User]: ";
const SEPARATOR: &str = "\n\n";

struct Line<'a> {
    name: &'static str,
    text: Cow<'a, str>,
}

/// The messages as text of at most about so many bytes. Where that is not enough, long answers and results lose their
/// middle first, and the user's words last.
pub(super) fn flat(messages: &[Message], bytes_max: usize) -> String {
    let lines: Vec<Line<'_>> = messages.iter().flat_map(lines).collect();
    let is_user = |line: &&Line<'_>| line.name == USER;
    let lengths =
        |of_user: bool| lines.iter().filter(move |line| is_user(line) == of_user).map(|line| line.text.len());
    let names: usize = lines.iter().map(|line| line.name.len() + SEPARATOR.len()).sum();
    let bytes_left = bytes_max.saturating_sub(names);
    let others = longest_for(lengths(false), bytes_left.saturating_sub(lengths(true).sum()));
    let others = others.max(OTHERS_BYTES_MIN);
    let taken: usize = lengths(false).map(|length| length.min(others)).sum();
    let users = longest_for(lengths(true), bytes_left.saturating_sub(taken));
    let mut text = String::new();
    for line in &lines {
        let longest = if is_user(&line) { users } else { others };
        text.push_str(line.name);
        text.push_str(&middle(&line.text, longest));
        text.push_str(SEPARATOR);
    }
    middle(text.trim_end(), bytes_max).into_owned()
}

fn lines(message: &Message) -> Vec<Line<'_>> {
    match message.role {
        Role::System => Vec::new(),
        Role::User => vec![Line { name: USER, text: said(message) }],
        Role::Assistant => {
            let text = message.plain_text();
            let calls: Vec<String> = message.calls().map(call).collect();
            let said =
                (!text.trim().is_empty()).then_some(Line { name: "[Assistant]: ", text: Cow::Owned(text) });
            let called = (!calls.is_empty())
                .then(|| Line { name: "[Assistant tool calls]: ", text: Cow::Owned(calls.join("; ")) });
            said.into_iter().chain(called).collect()
        }
        Role::Tool => message.parts.iter().filter_map(result).collect(),
    }
}

fn call(call: &ToolCall) -> String {
    format!("{}({})", call.tool_name, json(&call.args, ARGS_BYTES_MAX))
}

fn result(part: &Part) -> Option<Line<'_>> {
    let Part::ToolResult(result) = part else { return None };
    let name = if result.is_error { "[Tool result]: failed: " } else { "[Tool result]: " };
    Some(Line { name, text: middle(&result.content, RESULT_BYTES_MAX) })
}
