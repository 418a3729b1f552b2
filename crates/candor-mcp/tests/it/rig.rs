//! A folder, a fake server in it, and calls the way a model makes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_mcp::{Entry, Options, Servers, read};
use candor_protocol::{SessionId, ToolCall};
use candor_tools::{Registry, Rules, ToolContext, ToolOutput, dispatch};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes, so that what does not happen is seen.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) struct Rig {
    directory: TempDir,
    pub(crate) options: Options,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("fake.py"), include_str!("fake.py")).unwrap();
        let env = vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())];
        let options = Options::new(directory.path().to_owned(), env);
        Self { directory, options }
    }

    /// With a file that remembers what servers offer.
    pub(crate) fn remembering() -> Self {
        let mut rig = Self::new();
        rig.options.cache = Some(rig.path("cache.jsonl"));
        rig
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// An entry for the fake server in this mode.
    pub(crate) fn fake(&self, mode: &str) -> Value {
        json!({ "command": "python3", "args": ["fake.py", mode], "env": { "FAKE_DIR": self.directory() } })
    }

    /// The servers of a file that says this.
    pub(crate) fn servers(&self, servers: &Value) -> Arc<Servers> {
        Servers::new(entries(servers), self.options.clone())
    }

    /// One server called `fake`, of which everything is known.
    pub(crate) async fn known(&self, mode: &str) -> Arc<Servers> {
        let servers = self.servers(&json!({ "fake": self.fake(mode) }));
        servers.probe("fake").await.unwrap();
        servers
    }

    /// What the server noted.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// How often it was started.
    pub(crate) fn starts(&self) -> usize {
        self.log().lines().filter(|line| line.starts_with("start")).count()
    }

    /// Waits until it has noted something.
    pub(crate) async fn noted(&self, what: &str) {
        until(|| self.log().lines().any(|line| line.starts_with(what))).await;
    }
}

pub(crate) fn entries(servers: &Value) -> Vec<Entry> {
    let read = read(Path::new("mcp.json"), &json!({ "mcpServers": servers }).to_string(), &|_| None);
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    read.entries
}

/// Waits for something that somebody else does.
pub(crate) async fn until(is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LONG, "it never came to be");
        tokio::task::yield_now().await;
    }
}

/// What the tools of servers are called; ours, which reads resources, is no server's.
pub(crate) fn offered(servers: &Arc<Servers>) -> Vec<String> {
    let names = servers.tools().into_iter().map(|tool| tool.name().to_owned());
    names.filter(|name| name != "mcp_resources").collect()
}

/// A call that may do everything.
pub(crate) fn context(directory: &Path) -> ToolContext {
    let rules = Rules { permission: candor_tools::Permission::Full, ..Rules::default() };
    ToolContext::alone(SessionId::now(), directory.to_owned(), rules)
}

/// Calls a tool by its name, as a model does.
pub(crate) async fn call(servers: &Arc<Servers>, name: &str, args: Value) -> ToolOutput {
    call_until(servers, name, args, &CancellationToken::new()).await
}

/// The same, until it is cancelled.
pub(crate) async fn call_until(
    servers: &Arc<Servers>,
    name: &str,
    args: Value,
    cancel: &CancellationToken,
) -> ToolOutput {
    let context = ToolContext { cancel: cancel.clone(), ..context(Path::new("/")) };
    call_in(servers, name, args, &context).await
}

/// The same, in a session.
pub(crate) async fn call_in(
    servers: &Arc<Servers>,
    name: &str,
    args: Value,
    context: &ToolContext,
) -> ToolOutput {
    let registry = Registry::new(servers.tools());
    let call = ToolCall {
        call_id: "1".to_owned(),
        tool_name: name.to_owned(),
        args: args.clone(),
        malformed: None,
        opaque: None,
    };
    dispatch(&registry, &call, &args, context).await
}

/// What the model reads.
#[track_caller]
pub(crate) fn told(output: &ToolOutput) -> Value {
    serde_json::from_str(&output.for_model).unwrap()
}

/// The code of the card.
#[track_caller]
pub(crate) fn code(output: &ToolOutput) -> String {
    output.card.as_ref().unwrap_or_else(|| panic!("no card: {}", output.for_model)).code.clone()
}
