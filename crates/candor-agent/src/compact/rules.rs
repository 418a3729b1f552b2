//! The summary that needs no model: fixed rules, and every word of the user.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use candor_protocol::{Message, Part, Role, ToolCall, ToolResult};

use super::excerpt::{json, longest_for, middle, one_line};
use super::files::{Bounds, FILES_MAX};
use super::sections::{HEADINGS, split, without_tags};
use super::{Old, tokens};

/// What the user said takes at most one part in so many of the window. Beyond that the longest messages lose their middle:
/// an instruction stays whole, a pasted file does not.
const USER_SHARE: u64 = 4;
/// A message of the user that is no longer than this is never cut: what says so would stand in place of an instruction.
const WORDS_BYTES_MIN: usize = 200;
/// What an earlier summary of the model says that the user wants takes at most one part in so many.
const CONSTRAINTS_SHARE: u64 = 8;
/// What was done takes at most one part in so many of the window; the newest is kept.
const DONE_SHARE: u64 = 16;
/// Each list of files takes at most one part in so many.
const FILES_SHARE: u64 = 32;
/// Every other section takes at most one part in so many.
const SECTION_SHARE: u64 = 64;
/// How many of the last failures are named.
const FAILURES_MAX: usize = 5;
/// How much longer than others the excerpt of the assistant's last words is.
const LAST_WORDS: usize = 5;

pub(super) const USER_WORDS: &str = "What the user said, word for word, the oldest first:";
const USER: &str = "[User]: ";
const NEXT_USER: &str = "\n\n[User]: ";
const NOTHING: &str = "- (none)";
const NEXT: &str = "- Go on with what the user asked for last, unless it is done.";

/// How much is kept. Each level keeps less than the one before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// Every share of the window is halved so many times.
    halvings: u32,
    /// How much of one answer or of one call's arguments.
    excerpt_chars: usize,
    /// How much of the newest result.
    result_bytes: usize,
    files_max: usize,
}

pub(super) const LEVELS: [Level; 4] = [
    Level { halvings: 0, excerpt_chars: 200, result_bytes: 4_000, files_max: FILES_MAX },
    Level { halvings: 2, excerpt_chars: 80, result_bytes: 1_000, files_max: 50 },
    Level { halvings: 4, excerpt_chars: 40, result_bytes: 200, files_max: 10 },
    Level { halvings: 6, excerpt_chars: 0, result_bytes: 0, files_max: 0 },
];

impl Level {
    fn bytes(self, window: u64, share: u64) -> usize {
        tokens::bytes(window / share) >> self.halvings
    }

    pub(super) fn of_files(self, window: u64) -> Bounds {
        Bounds { count_max: self.files_max, bytes_max: self.bytes(window, FILES_SHARE) }
    }
}

/// The sections of a summary.
pub(super) fn write(old: Old<'_>, window: u64, level: Level) -> String {
    let earlier = old.previous();
    let parsed = earlier.and_then(split);
    // A summary that cannot be taken apart is carried like a message.
    let unparsed = earlier.filter(|_| parsed.is_none());
    let earlier = parsed.unwrap_or_default();
    let mut summary = String::new();
    for (at, heading) in HEADINGS.iter().enumerate() {
        let _ = writeln!(summary, "{heading}");
        let before = if earlier[at] == NOTHING { "" } else { earlier[at] };
        let section = section(at, before, unparsed, old, window, level);
        // What is divided has no text of its own.
        if !section.is_empty() || *heading != "## Progress" {
            let _ = writeln!(summary, "{}\n", if section.is_empty() { NOTHING } else { &section });
        }
    }
    summary
}

fn section(
    at: usize,
    before: &str,
    unparsed: Option<&str>,
    old: Old<'_>,
    window: u64,
    level: Level,
) -> String {
    let messages = old.unsummarised();
    let share =
        if HEADINGS[at] == "## Constraints & Preferences" { CONSTRAINTS_SHARE } else { SECTION_SHARE };
    let bytes_max = level.bytes(window, share);
    let joined = |new: String| {
        let texts = [before, new.as_str()];
        let text = texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        without_tags(&middle(&text, bytes_max)).into_owned()
    };
    match HEADINGS[at] {
        "## Goal" => {
            let bytes_max = level.bytes(window, USER_SHARE);
            let words = user_words(before, unparsed, messages, bytes_max);
            // More short messages than the window has room for: before the run ends, those in the middle go.
            if level.halvings > 0 { middle(&words, bytes_max).into_owned() } else { words }
        }
        "### Done" => done(before, messages, level.bytes(window, DONE_SHARE), level.excerpt_chars),
        "### In Progress" => joined(last_words(messages, level.excerpt_chars)),
        "### Blocked" => joined(failures(messages, level.excerpt_chars)),
        "## Next Steps" if !before.contains(NEXT) => joined(NEXT.to_owned()),
        "## Critical Context" => joined(newest_result(messages, level.result_bytes)),
        _ => joined(String::new()),
    }
}

/// All that the user said, below what an earlier summary of the model makes of it.
fn user_words(before: &str, unparsed: Option<&str>, messages: &[Message], bytes_max: usize) -> String {
    let (goal, before) = before.split_once(USER_WORDS).unwrap_or((before, ""));
    let goals = [goal.trim(), unparsed.unwrap_or_default()].map(Cow::from);
    let before = before.trim();
    // One by one: a short message is not to be cut because a long one stands beside it.
    let (name, before) = before.strip_prefix(USER).map_or(("", before), |before| (USER, before));
    let names = std::iter::once(name).chain(std::iter::repeat(USER));
    let before = names.zip(before.split(NEXT_USER).map(Cow::from));
    let said = messages.iter().filter(|message| message.role == Role::User).map(said);
    let words: Vec<(&str, Cow<'_, str>)> = before.chain(said.map(|text| (USER, text))).collect();
    let lengths = goals.iter().chain(words.iter().map(|(_, text)| text)).map(|text| text.len());
    let longest = longest_for(lengths, bytes_max).max(WORDS_BYTES_MIN);
    let mut section = String::new();
    for goal in goals.iter().filter(|goal| !goal.is_empty()) {
        let _ = write!(section, "{}\n\n", middle(goal, longest));
    }
    section.push_str(USER_WORDS);
    for (name, text) in words.iter().filter(|(_, text)| !text.is_empty()) {
        let _ = write!(section, "\n\n{name}{}", middle(text, longest));
    }
    section
}

/// The words of a message, and what came with them.
pub(super) fn said(message: &Message) -> Cow<'_, str> {
    if let [Part::Text { text }] = message.parts.as_slice() {
        return Cow::Borrowed(text);
    }
    let part = |part: &Part| match part {
        Part::Text { text } => Some(text.clone()),
        Part::Image { media_type, .. } => Some(picture(media_type)),
        Part::File { name, media_type, .. } => Some(format!("[the file {name}, {media_type}]")),
        _ => None,
    };
    Cow::Owned(message.parts.iter().filter_map(part).collect::<Vec<_>>().join("\n"))
}

/// A picture in words.
pub(super) fn picture(media_type: &str) -> String {
    format!("[a picture, {media_type}]")
}

/// What was called and what the assistant said. It is read from the end, as the newest is what has to stay.
fn done(before: &str, messages: &[Message], bytes_max: usize, excerpt_chars: usize) -> String {
    let mut results: HashMap<&str, &ToolResult> = HashMap::new();
    let (mut lines, mut left, mut left_out) = (Vec::new(), bytes_max, 0_usize);
    let parts =
        messages.iter().rev().flat_map(|message| message.parts.iter().rev().map(|part| (message.role, part)));
    for (role, part) in parts {
        let line = match (role, part) {
            (_, Part::ToolCall(_)) if left == 0 => {
                left_out += 1;
                None
            }
            _ if left == 0 => None,
            (_, Part::ToolResult(result)) => {
                results.insert(&result.call_id, result);
                None
            }
            (_, Part::ToolCall(call)) => {
                Some(called(call, results.get(call.call_id.as_str()).copied(), excerpt_chars))
            }
            (Role::Assistant, Part::Text { text }) if !text.trim().is_empty() && excerpt_chars > 0 => {
                Some(format!("- said: {}", one_line(text, excerpt_chars)))
            }
            _ => None,
        };
        left = left.saturating_sub(line.as_ref().map_or(0, String::len));
        lines.extend(line);
    }
    if left_out > 0 {
        lines.push(format!("- ({left_out} earlier calls are left out)"));
    }
    if !before.is_empty() && left > 0 {
        lines.push(middle(before, left).into_owned());
    }
    lines.reverse();
    without_tags(&lines.join("\n")).into_owned()
}

/// One call and how it ended.
fn called(call: &ToolCall, result: Option<&ToolResult>, excerpt_chars: usize) -> String {
    let ended = match result {
        Some(result) if result.is_error => format!("failed, {}", one_line(&result.content, excerpt_chars)),
        Some(_) => "ok".to_owned(),
        None => "no result".to_owned(),
    };
    format!("- {}({}): {ended}", call.tool_name, one_line(&json(&call.args, excerpt_chars), excerpt_chars))
}

fn last_words(messages: &[Message], excerpt_chars: usize) -> String {
    let text = |message: &Message| {
        let text = message.plain_text();
        (message.role == Role::Assistant && !text.trim().is_empty()).then_some(text)
    };
    let words = messages.iter().rev().find_map(text).filter(|_| excerpt_chars > 0);
    words
        .map(|text| format!("- The assistant's last words: {}", one_line(&text, excerpt_chars * LAST_WORDS)))
        .unwrap_or_default()
}

fn failures(messages: &[Message], excerpt_chars: usize) -> String {
    let failed = |part: &Part| match part {
        Part::ToolResult(result) if result.is_error && excerpt_chars > 0 => {
            Some(format!("- {} failed: {}", result.tool_name, one_line(&result.content, excerpt_chars)))
        }
        _ => None,
    };
    let parts = messages.iter().rev().flat_map(|message| message.parts.iter().rev());
    let mut lines: Vec<String> = parts.filter_map(failed).take(FAILURES_MAX).collect();
    lines.reverse();
    lines.join("\n")
}

/// The newest result, indented: no line of it can be taken for a heading.
fn newest_result(messages: &[Message], bytes_max: usize) -> String {
    let result = |part: &Part| match part {
        Part::ToolResult(result) if bytes_max > 0 && !result.content.trim().is_empty() => {
            let content = middle(&result.content, bytes_max);
            let lines: Vec<String> = content.lines().map(|line| format!("    {line}")).collect();
            Some(format!("- The newest result, of {}:\n{}", result.tool_name, lines.join("\n")))
        }
        _ => None,
    };
    messages.iter().rev().flat_map(|message| message.parts.iter().rev()).find_map(result).unwrap_or_default()
}
