//! Conversations to try things on.

use candor_protocol::{Message, Part, Role, ToolCall, ToolResult};
use serde_json::{Value, json};

pub(crate) fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

pub(crate) fn said(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

pub(crate) fn called(id: &str, tool: &str, args: Value) -> Message {
    let call =
        ToolCall { call_id: id.to_owned(), tool_name: tool.to_owned(), args, malformed: None, opaque: None };
    Message::new(Role::Assistant, vec![Part::ToolCall(call)])
}

pub(crate) fn came(id: &str, tool: &str, content: &str) -> Message {
    result(id, tool, content, false)
}

pub(crate) fn failed(id: &str, tool: &str, content: &str) -> Message {
    result(id, tool, content, true)
}

fn result(id: &str, tool: &str, content: &str, is_error: bool) -> Message {
    let result = ToolResult {
        call_id: id.to_owned(),
        tool_name: tool.to_owned(),
        content: content.to_owned(),
        is_error,
        card: None,
        images: Vec::new(),
    };
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}

/// A file that was read, with so many bytes in it, and the same for one that was written.
pub(crate) fn read(id: &str, path: &str, bytes: usize) -> [Message; 2] {
    [called(id, "file_read", json!({ "path": path })), came(id, "file_read", &"x ".repeat(bytes / 2))]
}

pub(crate) fn wrote(id: &str, path: &str) -> [Message; 2] {
    [called(id, "file_write", json!({ "path": path, "content": "new" })), came(id, "file_write", "written")]
}

/// A long conversation: three questions, of which the first two have been worked on.
pub(crate) fn long() -> Vec<Message> {
    let mut messages = vec![user("Always use tabs. Look at the parser.")];
    messages.extend(read("a", "./src/parser.rs", 8_000));
    messages.push(said("The parser is fine."));
    messages.push(user("Then repair the lexer."));
    messages.extend(wrote("b", "src/lexer.rs"));
    messages.push(said("The lexer is repaired."));
    messages.push(user("And now the tests."));
    messages
}

/// A summary as a model writes it, with a goal of its own.
pub(crate) fn summary(goal: &str) -> String {
    format!(
        "## Goal\n{goal}\n\n## Constraints & Preferences\n- tabs\n\n## Progress\n### Done\n- looked at the parser\n\n\
         ### In Progress\n- (none)\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n- the tests\n\n\
         ## Critical Context\n- (none)"
    )
}
