//! What a line of the REPL means: a message, or a command that begins with a slash.

use crate::offered::prompts::is_meant;

/// The commands: name, what stands behind it, and what it does.
pub(crate) const COMMANDS: &[(&str, &str, &str)] = &[
    ("/new", "", "the next message begins a new session"),
    ("/sessions", "[TEXT]", "the last sessions of this folder, or those that say TEXT"),
    ("/resume", "[N|ID]", "go on: N of the last list, or an id; without, the one before"),
    ("/model", "[NAME]", "let another model answer; without a name, which there are"),
    ("/compact", "", "replace the older part of this session by a summary"),
    ("/diff", "", "what tools changed in files in this session"),
    ("/undo", "", "take back what the last run changed in files"),
    ("/usage", "", "turns, tokens and cost of this session"),
    ("/rename", "NAME", "give this session a name"),
    ("/help", "", "this list"),
    ("/quit", "", "leave; so do /exit and Ctrl-D"),
];

/// Another word for `/quit`, which nobody needs to see in the list.
const EXIT: &str = "/exit";

/// What a line means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// Nothing: an empty line.
    Nothing,
    /// Something to be said.
    Message(String),
    /// Something to be done.
    Order(Order),
    /// Neither; this is why. Nothing is sent.
    Mistake(String),
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Order {
    New,
    Sessions(Option<String>),
    Resume(Option<String>),
    Model(Option<String>),
    Compact,
    Diff,
    Undo,
    Usage,
    Rename(String),
    Help,
    Quit,
}

/// Reads one line, or several that belong together. What has several lines is always a message: a command fits in one, and
/// a pasted text may well begin with a path.
pub(crate) fn read(text: &str) -> Input {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Input::Nothing;
    }
    if !text.starts_with('/') || trimmed.contains('\n') {
        return Input::Message(trimmed.to_owned());
    }
    // The runtime takes up the skill that a message names, and a prompt of a server is filled in before it is sent.
    if trimmed.starts_with("/skill:") || is_meant(trimmed) {
        return Input::Message(trimmed.to_owned());
    }
    if let Some(rest) = trimmed.strip_prefix("//") {
        return Input::Message(format!("/{rest}"));
    }
    let (word, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
    let rest = Some(rest.trim()).filter(|rest| !rest.is_empty()).map(str::to_owned);
    let order = match (word, rest) {
        ("/new", None) => Order::New,
        ("/sessions", text) => Order::Sessions(text),
        ("/resume", which) => Order::Resume(which),
        ("/model", name) => Order::Model(name),
        ("/compact", None) => Order::Compact,
        ("/diff", None) => Order::Diff,
        ("/undo", None) => Order::Undo,
        ("/usage", None) => Order::Usage,
        ("/rename", Some(name)) => Order::Rename(name),
        ("/help", None) => Order::Help,
        ("/quit" | EXIT, None) => Order::Quit,
        ("/rename", None) => return Input::Mistake("/rename needs a name after it.".to_owned()),
        (word, rest) => return Input::Mistake(mistake(word, rest.is_some())),
    };
    Input::Order(order)
}

/// Why a line that begins with a slash is no command.
fn mistake(word: &str, has_more: bool) -> String {
    let names = || COMMANDS.iter().map(|(name, ..)| *name).chain([EXIT]);
    let as_message = "To send this as a message, put a space before it.";
    if has_more && names().any(|name| name == word) {
        return format!("{word} takes nothing after it. {as_message}");
    }
    let near = candor_config::nearest(word, names());
    let near = near.map_or_else(|| "/help lists them.".to_owned(), |near| format!("Did you mean {near}?"));
    format!("There is no command {word}. {near} {as_message}")
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;
