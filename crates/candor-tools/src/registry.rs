//! The tools that there are.

use std::sync::Arc;

use candor_protocol::{ToolCall, ToolSpec};

use crate::file_read::FileRead;
use crate::file_write::FileWrite;
use crate::shell_exec::ShellExec;
use crate::{Effect, Error, Tool, ToolContext};

/// The tools that there are, in the order the model is told about them.
#[derive(Clone, Default)]
pub struct Registry {
    tools: Vec<Arc<dyn Tool>>,
}

impl Registry {
    /// The tools that come with Candor.
    pub fn built_in() -> Self {
        Self::new(vec![Arc::new(ShellExec::new()), Arc::new(FileRead::new()), Arc::new(FileWrite::new())])
    }

    /// These tools. Of two with the same name, the first is found.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { tools }
    }

    /// What the model is told.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec().clone()).collect()
    }

    /// The tool of this name, or the one that is also known by it.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let by_name = self.tools.iter().find(|tool| tool.spec().name == name);
        by_name.or_else(|| self.tools.iter().find(|tool| tool.aliases().contains(&name)))
    }

    /// Whether a call writes a file.
    pub fn writes(&self, call: &ToolCall, context: &ToolContext) -> bool {
        let effect = self.find(&call.tool_name).map(|tool| tool.effect(&call.args, context));
        matches!(effect, Some(Effect::Writes(_)))
    }

    /// The tool of this name, or the reason why there is none.
    pub(crate) fn require(&self, name: &str) -> Result<&Arc<dyn Tool>, Error> {
        let names = || self.tools.iter().map(|tool| tool.spec().name.as_str()).collect::<Vec<_>>().join(", ");
        self.find(name).ok_or_else(|| Error::Unknown { tool: name.to_owned(), tools: names() })
    }
}
