//! A tool of a server, as one of ours.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use candor_protocol::ToolSpec;
use candor_tools::{BoxFuture, Effect, Tool, ToolContext, ToolOutput};
use serde_json::Value;

use crate::known::Known;
use crate::result;
use crate::schema::Schema;
use crate::server::Server;

/// A tool of a server.
pub(crate) struct ServerTool {
    server: Arc<Server>,
    name: String,
    known: Arc<Known>,
    /// Which of the tools that are known it is.
    index: usize,
    /// Made when somebody looks: most tools of most servers are in the way of nobody.
    spec: OnceLock<Box<ToolSpec>>,
    schema: Schema,
}

impl ServerTool {
    pub(crate) fn new(server: Arc<Server>, name: String, known: Arc<Known>, index: usize) -> Self {
        Self { server, name, known, index, spec: OnceLock::new(), schema: Schema::default() }
    }

    /// What the server calls it.
    fn own_name(&self) -> &str {
        &self.known.outline.tools[self.index].0
    }

    async fn call(&self, args: &Value, context: &ToolContext) -> ToolOutput {
        let (server, tool) = (&self.server.entry.name, self.own_name());
        // They were looked at before, in the same way.
        let args = self.schema.fitted(&self.spec().parameters, args).unwrap_or_default();
        match self.server.call(tool, args, context).await {
            Ok(answer) => result::of_call(server, tool, &self.name, answer, context),
            Err(error) => result::of_error(server, &error),
        }
    }
}

impl Tool for ServerTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn weight(&self) -> usize {
        self.name.len() + self.known.outline.tools[self.index].1
    }

    fn is_foreign(&self) -> bool {
        true
    }

    fn spec(&self) -> &ToolSpec {
        self.spec.get_or_init(|| {
            let tool = &self.known.offer().tools[self.index];
            let description = if tool.description.trim().is_empty() {
                format!("{} of the MCP server {}", tool.name, self.server.entry.name)
            } else {
                tool.description.clone()
            };
            // It was written by us, from a value.
            let parameters: Value = serde_json::from_str(&tool.schema).unwrap_or_default();
            Box::new(ToolSpec { name: self.name.clone(), description, parameters: parameters.into() })
        })
    }

    fn problem(&self, args: &Value) -> Option<String> {
        self.schema.problem(&self.spec().parameters, args)
    }

    /// A server says itself whether a tool changes anything, and is not believed.
    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Acts
    }

    fn time_max(&self, _args: &Value, _context: &ToolContext) -> Duration {
        self.server.whole_time_max()
    }

    fn shown(&self, args: &Value) -> String {
        format!("{}: {} {args}", self.server.entry.name, self.own_name())
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(self.call(args, context))
    }
}
