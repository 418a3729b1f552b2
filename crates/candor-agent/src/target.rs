//! What a call is about, so that its failures can be told from those of others.

use std::hash::{DefaultHasher, Hash, Hasher};

use candor_cards::Command;
use candor_protocol::ToolCall;
use candor_tools::Registry;
use serde_json::Value;

/// How much of a call a list of calls shows.
const LABEL_CHARS_MAX: usize = 120;

/// What a call is about.
///
/// Two calls have the same target when they are the same tool with, for a command, the same line in the same directory,
/// spaces aside; for a file, the same path; for anything else, the same arguments. They are the same call when what else they
/// were given for a file is the same as well.
///
/// Two calls are of the same kind when one of them working shows that what failed in the other is repaired: for a command
/// it is the same program with the same first word that is no option (`git push origin main` after `git push`); for
/// anything else, the same target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The tool by its own name.
    pub(crate) tool: String,
    /// What tells the call from others of the same target.
    pub(crate) call: u64,
    what: String,
    kind: String,
    /// The programs that a command runs.
    programs: Vec<String>,
}

impl Target {
    pub(crate) fn of(call: &ToolCall, tools: &Registry) -> Self {
        let found = tools.find(&call.tool_name);
        let tool = found.map_or_else(|| call.tool_name.clone(), |tool| tool.spec().name.clone());
        let text = |name: &str| call.args.get(name).and_then(Value::as_str);
        if let Some(line) = text("command") {
            let command = Command::line(line);
            let squeezed = squeezed(line);
            let what = match text("cwd") {
                Some(cwd) => format!("{squeezed} (in {cwd})"),
                None => squeezed,
            };
            let programs = command.programs().map(str::to_owned).collect();
            return Self { tool, call: hashed(&what), what, kind: command.kind(), programs };
        }
        let path = text("path").filter(|_| tool.starts_with("file_"));
        let whole = call.args.to_string();
        let id = hashed(&whole);
        let what = path.map_or(whole, str::to_owned);
        Self { tool, call: id, kind: what.clone(), what, programs: Vec::new() }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.tool, &self.what) == (&other.tool, &other.what)
    }

    pub(crate) fn is_kin(&self, other: &Self) -> bool {
        (&self.tool, &self.kind) == (&other.tool, &other.kind)
    }

    /// The programs of a command; none of a call that is no command.
    pub(crate) fn programs(&self) -> &[String] {
        &self.programs
    }

    /// The call in one short line: the command itself, or the tool and what it was given.
    pub(crate) fn label(&self) -> String {
        let whole =
            if self.programs.is_empty() { format!("{} {}", self.tool, self.what) } else { self.what.clone() };
        let cut: String = whole.chars().take(LABEL_CHARS_MAX).collect();
        if cut.len() < whole.len() { format!("{cut} ...") } else { cut }
    }
}

/// Arguments can be a whole file; what tells them from others is short.
fn hashed(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A command line without the spaces that mean nothing in most of them.
pub(crate) fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
