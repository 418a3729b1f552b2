//! `mcp_resources`: what servers let be read. One tool for all of them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use candor_protocol::ToolSpec;
use candor_tools::{BoxFuture, Effect, Reach, Tool, ToolContext, ToolOutput};
use serde_json::{Value, json};

use crate::Error;
use crate::connection::{Bounds, Connection};
use crate::result;
use crate::server::Server;
use crate::servers::Servers;

const NAME: &str = "mcp_resources";

/// Lists and reads resources.
pub(crate) struct Resources {
    /// The tool may outlive the servers, which must not outlive their owner for its sake.
    servers: Weak<Servers>,
    spec: ToolSpec,
}

impl Resources {
    pub(crate) fn new(servers: &Arc<Servers>) -> Self {
        let spec = ToolSpec {
            name: NAME.to_owned(),
            description: "List or read resources of MCP servers.\nWithout a uri the resources are listed."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "server": { "type": "string" },
                    "uri": { "type": "string", "description": "read this one; needs server" },
                },
            })
            .into(),
        };
        Self { servers: Arc::downgrade(servers), spec }
    }

    async fn answer(&self, args: &Value, context: &ToolContext) -> ToolOutput {
        let (server, uri) = (args["server"].as_str(), args["uri"].as_str());
        let Some(servers) = self.servers.upgrade() else {
            return result::of_error("", &Error::Interrupted { tool: NAME.to_owned() });
        };
        let answered = match (server, uri) {
            (Some(name), Some(uri)) => read(&servers, name, uri, context).await,
            (Some(name), None) => match servers.find(name) {
                Ok(server) => {
                    listed(server, context).await.map(|list| (vec![list], name.to_owned())).map(told(context))
                }
                Err(error) => Err(error),
            },
            (None, _) => Ok(told(context)(all(&servers, context).await)),
        };
        answered.unwrap_or_else(|error| result::of_error(server.unwrap_or_default(), &error))
    }
}

fn told(context: &ToolContext) -> impl FnOnce((Vec<Value>, String)) -> ToolOutput {
    move |(list, whose)| result::of_list(list, format!("resources of {whose}"), context)
}

async fn read(servers: &Servers, name: &str, uri: &str, context: &ToolContext) -> Result<ToolOutput, Error> {
    let ask = async |connection: &Connection, bounds: Bounds<'_>| connection.read(uri, bounds).await;
    let server = servers.find(name)?;
    let _caller = server.enter(context);
    let read = server.ask("resources/read", &context.cancel, ask).await?;
    Ok(result::of_resource(name, uri, read, context))
}

/// Of all servers that say that they have any. One that fails says so in its place.
async fn all(servers: &Servers, context: &ToolContext) -> (Vec<Value>, String) {
    let mut lists = Vec::new();
    for server in servers.usable() {
        if server.has_resources() {
            let failed = |error: Error| json!({ "server": server.entry.name, "error": error.to_string() });
            lists.push(listed(server, context).await.unwrap_or_else(failed));
        }
    }
    let whose = format!("{} servers", lists.len());
    (lists, whose)
}

async fn listed(server: &Arc<Server>, context: &ToolContext) -> Result<Value, Error> {
    let ask = async |connection: &Connection, bounds: Bounds<'_>| connection.resources(bounds).await;
    let resources = server.ask("resources/list", &context.cancel, ask).await?;
    Ok(json!({ "server": server.entry.name, "resources": resources }))
}

impl Tool for Resources {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        let is_text = |name: &str| args[name].is_null() || args[name].is_string();
        if !args.is_object() {
            return Some("the arguments are no object".to_owned());
        }
        if let Some(name) = ["server", "uri"].into_iter().find(|name| !is_text(name)) {
            return Some(format!("`{name}` is no text"));
        }
        let needs_server = args["uri"].is_string() && !args["server"].is_string();
        needs_server.then(|| "`uri` needs `server` beside it".to_owned())
    }

    fn reach(&self) -> Reach {
        Reach::Exec
    }

    /// A server may do anything when it is asked to read something.
    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Acts
    }

    fn time_max(&self, _args: &Value, context: &ToolContext) -> Duration {
        let servers = self.servers.upgrade();
        let longest =
            servers.and_then(|servers| servers.usable().map(|server| server.whole_time_max()).max());
        longest.unwrap_or(context.rules.timeout)
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(self.answer(args, context))
    }
}
