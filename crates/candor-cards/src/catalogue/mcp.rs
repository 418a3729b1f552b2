//! A tool server that speaks MCP cannot be had, or did not do what it was asked.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED, EXIT_USAGE};
use crate::Entry;
use crate::entry::{by_hand, check, run};

pub(super) const CONFIG: Entry = Entry {
    code: Code::McpConfig,
    class: Class::Precondition,
    title: "Entry for an MCP server cannot be used",
    cause: "{path}, line {line}: `{key}`: {reason}. Left out because of it: {server}; the others are used.",
    steps: &[
        by_hand("Correct that line, or remove the entry"),
        check("See what is understood of it", "candor mcp list"),
    ],
    verify: Some("candor mcp list"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const UNKNOWN: Entry = Entry {
    code: Code::McpUnknown,
    class: Class::Usage,
    title: "No such MCP server",
    cause: "No MCP server called {server} is set up; there are: {servers}.",
    steps: &[
        check("See which servers there are", "candor mcp list"),
        by_hand("Add it to mcp.json under mcpServers, or with candor mcp add"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const UNTRUSTED: Entry = Entry {
    code: Code::McpUntrusted,
    class: Class::Precondition,
    title: "MCP server of the workspace is not trusted",
    cause: "The server {server} is named by {path}, which came with the workspace. It would run with your rights, and nobody \
            has agreed to that yet, or it has changed since.",
    steps: &[
        check("Look at what it would run", "candor mcp list"),
        check("If that is right, trust it on a terminal", "candor trust"),
    ],
    verify: Some("candor mcp probe {server}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const START: Entry = Entry {
    code: Code::McpStart,
    class: Class::Precondition,
    title: "MCP server did not start",
    cause: "The server {server} could not be had: {reason}",
    steps: &[
        by_hand("Repair what that names; its command or address is in mcp.json under mcpServers"),
        run("candor mcp probe {server}"),
        by_hand("Work without its tools meanwhile, or set \"disabled\": true in its entry"),
    ],
    verify: Some("candor mcp probe {server}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const GIVEN_UP: Entry = Entry {
    code: Code::McpGivenUp,
    class: Class::Precondition,
    title: "MCP server is left alone",
    cause: "The server {server} failed {count} times in a row and is not started again by itself. The last time: {reason}",
    steps: &[
        run("candor mcp probe {server}"),
        by_hand("Correct its entry: a changed entry is tried again"),
        by_hand("Work without its tools meanwhile"),
    ],
    verify: Some("candor mcp probe {server}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const DIED: Entry = Entry {
    code: Code::McpDied,
    class: Class::Tool,
    title: "MCP server ended during a call",
    cause: "What was asked of the server {server} may have been done, in part or as a whole: while {tool} was under way, it {how}",
    steps: &[
        by_hand("Look whether it was done before asking again; nothing was repeated"),
        by_hand("The next call starts the server again"),
        check("See whether it answers", "candor mcp probe {server}"),
    ],
    verify: Some("candor mcp probe {server}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const TIMEOUT: Entry = Entry {
    code: Code::McpTimeout,
    class: Class::Tool,
    title: "MCP server did not answer in time",
    cause: "The server {server} had not answered {tool} after {limit} and was told to stop. What was asked of it may have been \
            done nevertheless.",
    steps: &[
        by_hand("Ask for less at once, or in another way"),
        by_hand("If it needs longer, say so in its entry: \"timeout\": 600"),
        check("See whether it answers at all", "candor mcp probe {server}"),
    ],
    verify: Some("candor mcp probe {server}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const PROTOCOL: Entry = Entry {
    code: Code::McpProtocol,
    class: Class::Tool,
    title: "MCP server breaks the protocol",
    cause: "The server {server} answered something that is not MCP: {reason}",
    steps: &[
        by_hand("Update the server, or use another one for this"),
        check("See what it offers", "candor mcp probe {server}"),
    ],
    verify: Some("candor mcp probe {server}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const CALL: Entry = Entry {
    code: Code::McpCall,
    class: Class::Tool,
    title: "Tool of an MCP server failed",
    cause: "{tool} of the server {server} failed: {reason}",
    steps: &[
        by_hand("Read what it says, and correct the arguments or what it needs"),
        by_hand("If the same call fails again, do it in another way"),
        check("See what the server offers", "candor mcp probe {server}"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const LOGIN: Entry = Entry {
    code: Code::McpLogin,
    class: Class::Precondition,
    title: "MCP server wants a login",
    cause: "The server {server} lets in only those who have logged in: {reason}",
    steps: &[
        run("candor mcp login {server}"),
        check("Then see whether it answers", "candor mcp probe {server}"),
    ],
    verify: Some("candor mcp probe {server}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};
