//! A conversation as one flat text, for the model that summarises it. Messages in their own form would invite it to answer
//! them.

use std::borrow::Cow;

use candor_protocol::{Message, Part, Role, ToolCall};

use super::excerpt::{json, longest_for, middle};
use super::rules::{picture, said};

/// How much of one result the summariser reads: the beginning and the end tell how it went.
const RESULT_BYTES_MAX: usize = 4_000;
/// How much of the arguments of one call.
const ARGS_BYTES_MAX: usize = 2_000;
/// To what answers and results are cut, at most, before the user's words are.
const OTHERS_BYTES_MIN: usize = 80;
/// To what the user's words are cut, at most: whatever is pasted is longer, and most instructions are shorter.
const USERS_BYTES_MIN: usize = 500;
/// What the words take that say what was left out.
const MARKER_BYTES: usize = 50;

const USER: &str = "[User]: ";
const SEPARATOR: &str = "\n\n";

struct Line<'a> {
    name: &'static str,
    text: Cow<'a, str>,
}

/// The messages as text of at most so many bytes. Where that is not enough, long answers and results lose their middle
/// first, and what the user pasted last. None where even that is not enough.
pub(super) fn flat(messages: &[Message], bytes_max: usize) -> Option<String> {
    let lines = lines(messages);
    let is_user = |line: &&Line<'_>| line.name == USER;
    let lengths =
        |of_user: bool| lines.iter().filter(move |line| is_user(line) == of_user).map(|line| line.text.len());
    let names: usize = lines.iter().map(|line| line.name.len() + SEPARATOR.len()).sum();
    let bytes_left = bytes_max.saturating_sub(names);
    let others = longest_for(lengths(false), bytes_left.saturating_sub(lengths(true).sum()));
    let others = others.max(OTHERS_BYTES_MIN);
    let taken: usize = lengths(false).map(|length| length.min(others)).sum();
    let users = longest_for(lengths(true), bytes_left.checked_sub(taken)?);
    if users < USERS_BYTES_MIN {
        return None;
    }
    let mut text = String::with_capacity(bytes_max.min(names + taken + lengths(true).sum::<usize>()));
    for line in &lines {
        let longest = if is_user(&line) { users } else { others };
        text.push_str(line.name);
        match line.text.len() {
            length if length <= longest => text.push_str(&line.text),
            _ => text.push_str(&middle(&line.text, longest - MARKER_BYTES)),
        }
        text.push_str(SEPARATOR);
    }
    text.truncate(text.trim_end().len());
    Some(text)
}

fn lines(messages: &[Message]) -> Vec<Line<'_>> {
    let mut lines = Vec::with_capacity(messages.len());
    for message in messages {
        match message.role {
            Role::System => {}
            Role::User => lines.push(Line { name: USER, text: said(message) }),
            Role::Assistant => {
                let text = said(message);
                if !text.trim().is_empty() {
                    lines.push(Line { name: "[Assistant]: ", text: indented(text) });
                }
                let calls: Vec<String> = message.calls().map(call).collect();
                if !calls.is_empty() {
                    let text = Cow::Owned(calls.join("; "));
                    lines.push(Line { name: "[Assistant tool calls]: ", text });
                }
            }
            Role::Tool => lines.extend(message.parts.iter().filter_map(result)),
        }
    }
    lines
}

fn call(call: &ToolCall) -> String {
    format!("{}({})", call.tool_name, json(&call.args, ARGS_BYTES_MAX))
}

fn result(part: &Part) -> Option<Line<'_>> {
    let Part::ToolResult(result) = part else { return None };
    let name = if result.is_error { "[Tool result]: failed: " } else { "[Tool result]: " };
    let mut text = indented(middle(&result.content, RESULT_BYTES_MAX));
    // The summariser does not see them.
    for image in &result.images {
        text.to_mut().push_str(&picture(&image.media_type));
    }
    Some(Line { name, text })
}

/// No line but the first begins as one of ours would: what a tool gave is not to be taken for words of the user.
fn indented(text: Cow<'_, str>) -> Cow<'_, str> {
    // One sign at a time is what the machine is fast at.
    let text = if text.contains('\r') { Cow::Owned(text.replace('\r', "\n")) } else { text };
    if text.contains('\n') { Cow::Owned(text.replace('\n', "\n  ")) } else { text }
}
