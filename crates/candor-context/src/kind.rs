//! What kind of thing a file is.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What kind of thing a chunk is from; the first part of its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The reading list.
    Prime,
    /// What an agent can learn.
    Skill,
    /// What an agent is told.
    Agent,
    /// A log that people or agents keep beside the reading list.
    Session,
    /// Text for people.
    Doc,
    /// A program.
    Code,
    /// Settings and data.
    Config,
    /// Any other text.
    Text,
}

const AGENT_FILES: &[&str] =
    &["agents.md", "claude.md", "gemini.md", "system_prompt.md", "copilot-instructions.md"];
const DOC_ENDS: &[&str] = &["md", "markdown", "mdx", "rst", "adoc", "org", "tex"];
const CONFIG_ENDS: &[&str] = &[
    "toml",
    "yaml",
    "yml",
    "json",
    "jsonc",
    "json5",
    "ini",
    "cfg",
    "conf",
    "properties",
    "xml",
    "gradle",
    "tf",
    "nix",
    "cmake",
    "mk",
];
const CONFIG_FILES: &[&str] =
    &["makefile", "dockerfile", "justfile", "cmakelists.txt", "procfile", "jenkinsfile"];
/// Programs in languages of which only that is known.
const CODE_ENDS: &[&str] =
    &["hs", "ml", "clj", "r", "pl", "pm", "vue", "svelte", "css", "scss", "html", "erl", "asm", "s"];

impl Kind {
    /// The kind of the file at a path from the segment's folder.
    pub(crate) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let end = Path::new(&name).extension().and_then(|end| end.to_str()).unwrap_or_default();
        if let Some(own) = path.strip_prefix("_ctx/") {
            return match own.split('_').next() {
                Some("prime") => Self::Prime,
                Some("agent") => Self::Agent,
                Some("session") => Self::Session,
                _ => Self::Text,
            };
        }
        match () {
            () if name == "skill.md" => Self::Skill,
            () if AGENT_FILES.contains(&name.as_str()) => Self::Agent,
            () if DOC_ENDS.contains(&end) => Self::Doc,
            () if CONFIG_ENDS.contains(&end) || CONFIG_FILES.contains(&name.as_str()) => Self::Config,
            () if crate::section::is_code(path) || CODE_ENDS.contains(&end) => Self::Code,
            () => Self::Text,
        }
    }

    /// The kind as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prime => "prime",
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Session => "session",
            Self::Doc => "doc",
            Self::Code => "code",
            Self::Config => "config",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
