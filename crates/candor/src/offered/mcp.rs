//! The MCP servers of a person and of a workspace.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use candor_config::{Env, Loaded};
use candor_mcp::{Entry, Options, Reach, Read, Servers};
use candor_protocol::Failure;
use candor_redact::Redactor;
use candor_tools::trust::{Brought, Kind, Trust};
use candor_tools::{ToolSource, Tools, Walls, read_plain_text};

use crate::assemble;
use crate::context::Context;

/// What a workspace names its servers in.
const WORKSPACE: &[&str] = &[".mcp.json", "mcp.json"];
/// What servers offer, and logins, in the home.
const CACHE: &str = "mcp-cache.jsonl";
const TOKENS: &str = "mcp-tokens.json";
/// The variable that stands for the workspace.
const WORKSPACE_VARIABLE: &str = "CANDOR_WORKSPACE";
/// The largest file of servers.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The file that names the person's own servers.
pub(crate) fn own_file(loaded: &Loaded) -> PathBuf {
    loaded.config.mcp.config_path.resolve(loaded.home.path())
}

/// All servers that are named: the person's own, then the workspace's, which need trust.
pub(crate) fn entries(loaded: &Loaded, workspace: &Path, env: &Env, trust: &Trust) -> Read {
    let mut all = read(&own_file(loaded), workspace, env, candor_mcp::read);
    let home = env.user_home().unwrap_or(loaded.home.path());
    for entry in &mut all.entries {
        start_at(entry, home);
    }
    for path in WORKSPACE.iter().map(|name| workspace.join(name)) {
        let mut brought = read(&path, workspace, env, candor_mcp::read_brought);
        for entry in &mut brought.entries {
            entry.is_untrusted = !trust.has(&what(entry, workspace));
        }
        all.entries.append(&mut brought.entries);
        all.problems.append(&mut brought.problems);
    }
    all
}

/// What a person would trust.
pub(crate) fn what(entry: &Entry, workspace: &Path) -> Brought {
    let file = entry.path.file_name().unwrap_or_default().to_string_lossy();
    let (name, hash) = (format!("{} of {file}", entry.name), entry.hash.clone());
    Brought { kind: Kind::McpServer, folder: workspace.to_owned(), name, hash }
}

/// One of the two ways to read a file of servers.
type Reader = fn(&Path, &str, &dyn Fn(&str) -> Option<String>) -> Read;

/// A server of the person's own does not start in the workspace unless it is told to: many programs run what lies in the folder
/// that they start in.
fn start_at(entry: &mut Entry, home: &Path) {
    if let Reach::Stdio { cwd, .. } = &mut entry.reach {
        cwd.get_or_insert_with(|| home.to_owned());
    }
}

fn read(path: &Path, workspace: &Path, env: &Env, reader: Reader) -> Read {
    if !path.is_file() {
        return Read::default();
    }
    match read_plain_text(path, FILE_BYTES_MAX) {
        Ok(text) => reader(path, &text, &|name| variable(name, workspace, env)),
        Err(why) => Read { problems: vec![unreadable(path, &why.to_string())], ..Read::default() },
    }
}

/// What a file of servers can name: the environment, and where the work is.
pub(crate) fn variable(name: &str, workspace: &Path, env: &Env) -> Option<String> {
    if name == WORKSPACE_VARIABLE {
        return Some(workspace.display().to_string());
    }
    env.get(name).map(str::to_owned)
}

fn unreadable(path: &Path, why: &str) -> Failure {
    candor_mcp::Error::File { path: path.to_owned(), reason: why.to_owned() }.failure()
}

/// What servers are given that nobody else may see.
pub(crate) fn secrets(entries: &[Entry]) -> Vec<String> {
    let redactor = Redactor::new();
    let of = |entry: &Entry| -> Vec<String> {
        match &entry.reach {
            Reach::Stdio { env, .. } => {
                let is_secret = |(name, value): &(&String, &String)| {
                    let told = format!("{name}={value}");
                    redactor.redact_str(&told) != told
                };
                env.iter().filter(is_secret).map(|(_, value)| value.clone()).collect()
            }
            Reach::Http { headers, client, .. } => {
                let bare = headers.values().map(|value| value.rsplit(' ').next().unwrap_or(value).to_owned());
                bare.chain(client.as_ref().and_then(|client| client.secret.clone())).collect()
            }
        }
    };
    entries.iter().flat_map(of).collect()
}

/// The servers, none of them started.
pub(crate) fn servers(
    entries: Vec<Entry>,
    loaded: &Loaded,
    workspace: &Path,
    context: &Context<'_>,
) -> Arc<Servers> {
    let env = context.env();
    let filtered = candor_gate::env::filtered(env.all(), &loaded.config.security.allowed_env);
    let options = Options {
        walls: Arc::new(Walls::new(assemble::offline(None, loaded, context).walls)),
        cache: Some(loaded.home.join(CACHE)),
        tokens: Some(loaded.home.join(TOKENS)),
        ..Options::new(workspace.to_owned(), filtered)
    };
    Servers::new(entries, options)
}

/// The tools of the servers, made again when what they offer has changed.
pub(crate) struct ServerTools {
    servers: Arc<Servers>,
    /// Counts the changes; the tools are those after the last one. A plain lock: it is held for a look.
    made: Mutex<Option<(u64, Tools)>>,
}

impl ServerTools {
    pub(crate) fn new(servers: Arc<Servers>) -> Self {
        Self { servers, made: Mutex::new(None) }
    }
}

impl ToolSource for ServerTools {
    fn tools(&self) -> Tools {
        let now = *self.servers.changes().borrow();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((known, tools)) if *known == now => Arc::clone(tools),
            _ => Arc::clone(&made.insert((now, self.servers.tools().into())).1),
        }
    }
}
