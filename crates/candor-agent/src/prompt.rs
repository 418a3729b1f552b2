//! The system prompt: layers, assembled anew for each request from values that somebody else read.

use std::fmt::Write as _;

use candor_protocol::ToolSpec;

/// Who the agent is when nobody says otherwise.
pub const IDENTITY: &str = "\
You are an AI agent running on a dedicated virtual machine.

You have access to the tools listed below to accomplish tasks. Use them proactively.

Rules:

- Always explain what you are about to do before executing a tool.
- If a tool fails, analyze the error and try an alternative approach.
- Never execute destructive operations without confirming the intent is clear.
- When you are done, provide a concise summary of what was accomplished.";

/// What stands between the harness's words and those of the workspace.
const SEPARATOR: &str = "---";

/// The layers, as values. Each may be missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layers {
    /// Who the agent is: the empty text means that no system message is sent at all; `None` means [`IDENTITY`].
    pub identity: Option<Sourced>,
    /// Where it works, and under which rules.
    pub harness: Option<Harness>,
    /// What it can call.
    pub tools: Vec<ToolSpec>,
    /// The workflows there are.
    pub workflows: Vec<Catalogue>,
    /// The skills there are.
    pub skills: Vec<Catalogue>,
    /// The names of the notes there are, in one line.
    pub notes: Option<String>,
    /// The workspace's `SYSTEM_PROMPT.md`.
    pub workspace: Option<Sourced>,
    /// The nearest `AGENTS.md`.
    pub agents: Option<Sourced>,
    /// What holds for this session alone.
    pub session: Option<String>,
    /// The user's own instructions, last.
    pub custom: Option<Sourced>,
}

/// A text and where it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced {
    /// The text.
    pub text: String,
    /// Where it was read: a path, or the name of a setting.
    pub source: String,
}

/// Where the agent works, and under which rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harness {
    /// The model.
    pub model: String,
    /// The folder worked in.
    pub workspace: String,
    /// Today, as a date: a time would change the prefix with every request and no provider's cache would hit.
    pub date: String,
    /// The system, such as `linux x86_64`.
    pub platform: String,
    /// The rules in force, one sentence each.
    pub constraints: Vec<String>,
}

/// One line of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// What it is called.
    pub name: String,
    /// What it does.
    pub description: String,
}

/// The name of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the field of Layers it comes from")]
pub enum LayerName {
    Identity,
    Harness,
    Tools,
    Workflows,
    Skills,
    Notes,
    Separator,
    Workspace,
    Agents,
    Session,
    Custom,
}

impl LayerName {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Harness => "harness",
            Self::Tools => "tools",
            Self::Workflows => "workflows",
            Self::Skills => "skills",
            Self::Notes => "notes",
            Self::Separator => "separator",
            Self::Workspace => "workspace",
            Self::Agents => "agents",
            Self::Session => "session",
            Self::Custom => "custom",
        }
    }
}

/// One layer as it will be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Which.
    pub name: LayerName,
    /// Where its text came from.
    pub source: String,
    /// Its text.
    pub text: String,
}

impl Layers {
    /// The layers that have something to say, in the order they are sent.
    pub fn list(&self) -> Vec<Layer> {
        if self.identity.as_ref().is_some_and(|identity| identity.text.trim().is_empty()) {
            return Vec::new();
        }
        let layer = |name, source: &str, text: String| Layer { name, source: source.to_owned(), text };
        let sourced = |name, sourced: &Option<Sourced>| {
            sourced.as_ref().map(|sourced| layer(name, &sourced.source, sourced.text.trim().to_owned()))
        };
        let identity = sourced(LayerName::Identity, &self.identity)
            .unwrap_or_else(|| layer(LayerName::Identity, "built in", IDENTITY.to_owned()));
        let separator = (self.workspace.is_some() || self.agents.is_some())
            .then(|| layer(LayerName::Separator, "built in", SEPARATOR.to_owned()));
        let tools = self.tools.iter().map(|tool| (tool.name.as_str(), tool.description.as_str()));
        let layers = [
            Some(identity),
            self.harness.as_ref().map(|harness| layer(LayerName::Harness, "built in", harness.text())),
            catalogue("Available Tools", tools).map(|text| layer(LayerName::Tools, "registered tools", text)),
            catalogue("Available Workflows", entries(&self.workflows))
                .map(|text| layer(LayerName::Workflows, "loaded workflows", text)),
            catalogue("Available Skills", entries(&self.skills))
                .map(|text| layer(LayerName::Skills, "loaded skills", text)),
            self.notes.as_ref().map(|names| {
                layer(
                    LayerName::Notes,
                    "notes",
                    format!("## Notes\nFrom earlier work, to read with `notes`: {names}"),
                )
            }),
            separator,
            sourced(LayerName::Workspace, &self.workspace),
            sourced(LayerName::Agents, &self.agents),
            self.session.as_ref().map(|text| {
                layer(LayerName::Session, "session", format!("## Session Instructions\n{}", text.trim()))
            }),
            sourced(LayerName::Custom, &self.custom),
        ];
        layers.into_iter().flatten().filter(|layer| !layer.text.is_empty()).collect()
    }

    /// The system prompt; none when the identity is empty.
    pub fn assemble(&self) -> Option<String> {
        let texts: Vec<String> = self.list().into_iter().map(|layer| layer.text).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }
}

impl Harness {
    fn text(&self) -> String {
        let mut text = format!(
            "## Environment\n- Model: {}\n- Workspace: {}\n- Date: {}\n- Platform: {}",
            self.model, self.workspace, self.date, self.platform
        );
        if !self.constraints.is_empty() {
            text.push_str("\n\n## Constraints");
            for constraint in &self.constraints {
                let _ = write!(text, "\n- {constraint}");
            }
        }
        text
    }
}

fn entries(catalogue: &[Catalogue]) -> impl Iterator<Item = (&str, &str)> {
    catalogue.iter().map(|entry| (entry.name.as_str(), entry.description.as_str()))
}

/// One line for each: its name and the first line of what it does. Schemas travel in the request's own field.
fn catalogue<'a>(title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) -> Option<String> {
    let mut text = String::new();
    for (name, description) in entries {
        let _ = write!(text, "\n- **{name}**: {}", description.lines().next().unwrap_or_default());
    }
    (!text.is_empty()).then(|| format!("## {title}\n{text}"))
}
