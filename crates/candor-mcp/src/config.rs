//! Reads `mcpServers`, as other clients of MCP write it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_protocol::{Code, Failure};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::expand::expand;
use crate::lines::{Place, place_of};

/// The key of the file that holds the servers.
const SERVERS: &str = "mcpServers";
/// What is left out where nothing of a file can be used.
const ALL: &str = "all servers of this file";
/// The longest name of a server.
const NAME_CHARS_MAX: usize = 64;
/// The longest time that can be asked for.
const TIMEOUT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// What a file says.
#[derive(Debug, Default)]
pub struct Read {
    /// The servers, in the order of the file.
    pub entries: Vec<Entry>,
    /// What cannot be used, each for itself.
    pub problems: Vec<Failure>,
}

/// One server, as it is set up.
#[derive(Clone)]
pub struct Entry {
    /// What it is called.
    pub name: String,
    /// The file that names it.
    pub path: PathBuf,
    /// How it is reached.
    pub reach: Reach,
    /// Whether it is not to be used.
    pub is_disabled: bool,
    /// Whether nobody has agreed to it yet. Whoever reads the file decides that.
    pub is_untrusted: bool,
    /// How long one of its calls may take.
    pub timeout: Option<Duration>,
    /// Which of its tools are offered; nothing: all.
    pub allow: Option<GlobSet>,
    /// What it may touch.
    pub rights: Rights,
    /// The entry as it stands in the file, for a person who is to agree to it. It may hold secrets.
    pub written: String,
    /// Names what would run: two entries with the same hash run the same.
    pub hash: String,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Reach {
    /// A process that is spoken to over its standard input and output.
    Stdio {
        /// The program, by its path or to be found in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// What its environment has besides.
        env: BTreeMap<String, String>,
        /// Where it starts; nothing: in the workspace.
        cwd: Option<PathBuf>,
    },
    /// An address that is spoken to over HTTP.
    Http {
        /// The address.
        url: String,
        /// What every request carries: secrets, mostly.
        headers: BTreeMap<String, String>,
        /// Who we are to its login server, where that was agreed on before.
        client: Option<Client>,
    },
}

/// Who we are to a login server.
#[derive(Clone, PartialEq, Eq)]
pub struct Client {
    /// The name it knows us by.
    pub id: String,
    /// What proves it.
    pub secret: Option<String>,
}

/// What a process may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rights {
    /// What the user may.
    #[default]
    Full,
    /// What the commands of a session may.
    Workspace,
}

// Arguments, variables and headers hold secrets; none of them is ever shown.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Reach {
    /// What a person is shown: the program or the host, and nothing that may be secret.
    pub fn shown(&self) -> String {
        match self {
            Self::Stdio { command, .. } => command.clone(),
            Self::Http { url, .. } => match url::Url::parse(url) {
                Ok(url) => format!("{}{}", url.origin().ascii_serialization(), url.path()),
                Err(_) => "an address".to_owned(),
            },
        }
    }
}

impl Entry {
    /// Whether a tool is offered.
    pub fn allows(&self, tool: &str) -> bool {
        self.allow.as_ref().is_none_or(|allow| allow.is_match(tool))
    }
}

/// Reads the text of a person's own file. `variable` gives the value of a variable that the file names.
pub fn read(path: &Path, text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Read {
    read_with(path, text, variable, Rights::Full)
}

/// The same of a file that comes with a folder: its servers stay behind the walls unless it asks for more. What they run lies
/// where a model can write, and is not what a person has looked at any more.
pub fn read_brought(path: &Path, text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Read {
    read_with(path, text, variable, Rights::Workspace)
}

fn read_with(path: &Path, text: &str, variable: &dyn Fn(&str) -> Option<String>, rights: Rights) -> Read {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut read = Read::default();
    let file: Value = match serde_json::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            let problem = error.to_string();
            let problem = problem.split(" at line ").next().unwrap_or_default();
            let failure = Failure::new(Code::McpConfig)
                .with("path", path.display())
                .with("line", error.line())
                .with("server", ALL)
                .with("key", format!("column {}", error.column()))
                .with("reason", format!("this is no JSON: {problem}"));
            read.problems.push(failure);
            return read;
        }
    };
    let reader = Reader { path, text, variable, rights };
    match file.get(SERVERS) {
        Some(Value::Object(servers)) => {
            for (name, raw) in servers {
                match reader.entry(name, raw) {
                    Ok(entry) => read.entries.push(entry),
                    Err(problem) => read.problems.push(reader.failure(name, &problem)),
                }
            }
        }
        None if file.as_object().is_some_and(Map::is_empty) => {}
        _ => {
            let problem =
                Problem::new(SERVERS, "the servers stand in an object of this name, each under its own");
            read.problems.push(reader.failure(ALL, &problem));
        }
    }
    read
}

/// What is wrong with an entry.
struct Problem {
    key: String,
    reason: String,
}

impl Problem {
    fn new(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { key: key.into(), reason: reason.into() }
    }
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    variable: &'a dyn Fn(&str) -> Option<String>,
    /// What a process may touch that asks for nothing.
    rights: Rights,
}

impl Reader<'_> {
    fn failure(&self, server: &str, problem: &Problem) -> Failure {
        // The nearest thing that stands in the file: the key, else the entry, else all of them.
        let key = problem.key.split(['.', '[']).next().unwrap_or_default();
        let place = place_of(self.text, &[SERVERS, server, key])
            .or_else(|| place_of(self.text, &[SERVERS, server]))
            .or_else(|| place_of(self.text, &[SERVERS]))
            .unwrap_or(Place { line: 1 });
        Failure::new(Code::McpConfig)
            .with("path", self.path.display())
            .with("line", place.line)
            .with("server", server)
            .with("key", &problem.key)
            .with("reason", &problem.reason)
    }

    fn entry(&self, name: &str, raw: &Value) -> Result<Entry, Problem> {
        check_name(name)?;
        let Some(raw) = raw.as_object() else { return Err(Problem::new(name, "it has to be an object")) };
        let rights = match raw.get("sandbox").map(|value| value.as_str().unwrap_or_default()) {
            None => self.rights,
            Some("full") => Rights::Full,
            Some("workspace") => Rights::Workspace,
            Some(_) => return Err(Problem::new("sandbox", "it is \"full\" or \"workspace\"")),
        };
        let reach = self.reach(raw)?;
        Ok(Entry {
            name: name.to_owned(),
            path: self.path.to_owned(),
            reach,
            is_disabled: flag(raw, "disabled")?,
            is_untrusted: false,
            timeout: timeout(raw)?,
            allow: allow(raw)?,
            rights,
            // It was read as JSON.
            written: serde_json::to_string(raw).unwrap_or_default(),
            hash: hash(name, raw, rights),
        })
    }

    fn reach(&self, raw: &Map<String, Value>) -> Result<Reach, Problem> {
        let kind = match raw.get("type") {
            None => None,
            Some(Value::String(kind)) => Some(kind.as_str()),
            Some(_) => return Err(Problem::new("type", "it is no text")),
        };
        match kind {
            None if raw.contains_key("command") => self.stdio(raw),
            None if raw.contains_key("url") => self.http(raw),
            None => Err(Problem::new("command", "neither `command` nor `url` is there")),
            Some("stdio") => self.stdio(raw),
            Some("http" | "streamable-http" | "streamableHttp") => self.http(raw),
            Some("sse") => {
                let reason = "the old transport over SSE is not spoken; if the server has the newer one, write \"http\" and its address";
                Err(Problem::new("type", reason))
            }
            Some(other) => {
                Err(Problem::new("type", format!("{other} is none of stdio, http, streamable-http")))
            }
        }
    }

    fn stdio(&self, raw: &Map<String, Value>) -> Result<Reach, Problem> {
        let command = self.text("command", raw.get("command").unwrap_or(&Value::Null))?;
        if command.trim().is_empty() {
            return Err(Problem::new("command", "it is empty"));
        }
        let mut args = Vec::new();
        match raw.get("args") {
            None | Some(Value::Null) => {}
            Some(Value::Array(given)) => {
                for (index, arg) in given.iter().enumerate() {
                    args.push(self.text(&format!("args[{index}]"), arg)?);
                }
            }
            Some(_) => return Err(Problem::new("args", "it has to be a list of texts")),
        }
        let env = self.texts("env", raw)?;
        let bad =
            |name: &&String| name.is_empty() || name.contains('=') || candor_gate::env::is_hijacking(name);
        if let Some(name) = env.keys().find(bad) {
            let reason = "a variable that makes programs run or load something else may not be set";
            return Err(Problem::new(format!("env.{name}"), reason));
        }
        let cwd = match raw.get("cwd") {
            None | Some(Value::Null) => None,
            Some(cwd) => Some(PathBuf::from(self.text("cwd", cwd)?)),
        };
        Ok(Reach::Stdio { command, args, env, cwd })
    }

    fn http(&self, raw: &Map<String, Value>) -> Result<Reach, Problem> {
        let url = self.text("url", raw.get("url").unwrap_or(&Value::Null))?;
        let parsed = url::Url::parse(&url).map_err(|error| Problem::new("url", error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
            return Err(Problem::new("url", "it has to begin with https:// or http:// and name a host"));
        }
        let headers = self.texts("headers", raw)?;
        for (name, value) in &headers {
            let is_name = reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_ok();
            if !is_name || reqwest::header::HeaderValue::from_str(value).is_err() {
                // The value may be secret, and is not repeated.
                return Err(Problem::new(format!("headers.{name}"), "it is no header of HTTP"));
            }
        }
        Ok(Reach::Http { url, headers, client: self.client(raw)? })
    }

    /// `oauth`, as other clients write it.
    fn client(&self, raw: &Map<String, Value>) -> Result<Option<Client>, Problem> {
        let Some(oauth) = raw.get("oauth").filter(|oauth| !oauth.is_null()) else { return Ok(None) };
        let Some(oauth) = oauth.as_object() else {
            return Err(Problem::new("oauth", "it has to be an object"));
        };
        let text = |key: &str| {
            let given = oauth.get(key).filter(|given| !given.is_null());
            given.map(|given| self.text(&format!("oauth.{key}"), given)).transpose()
        };
        let secret = text("clientSecret")?;
        Ok(text("clientId")?.map(|id| Client { id, secret }))
    }

    /// A text, with what its variables stand for.
    fn text(&self, key: &str, value: &Value) -> Result<String, Problem> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null => return Err(Problem::new(key, "it is missing")),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return Err(Problem::new(key, "it is no text")),
        };
        let text = expand(&text, self.variable).map_err(|reason| Problem::new(key, reason))?;
        if text.contains('\0') {
            return Err(Problem::new(key, "it holds a NUL byte"));
        }
        Ok(text)
    }

    fn texts(&self, key: &str, raw: &Map<String, Value>) -> Result<BTreeMap<String, String>, Problem> {
        match raw.get(key) {
            None | Some(Value::Null) => Ok(BTreeMap::new()),
            Some(Value::Object(given)) => given
                .iter()
                .map(|(name, value)| Ok((name.clone(), self.text(&format!("{key}.{name}"), value)?)))
                .collect(),
            Some(_) => Err(Problem::new(key, "it has to be an object of texts")),
        }
    }
}

fn check_name(name: &str) -> Result<(), Problem> {
    let is_plain = |c: char| !c.is_control() && !matches!(c, '/' | '\\' | '"');
    if name.trim().is_empty() || name.trim() != name || name.starts_with('-') {
        return Err(Problem::new(name, "a name is not empty, and begins with no space and no dash"));
    }
    if name.chars().count() > NAME_CHARS_MAX || !name.chars().all(is_plain) {
        let reason = format!("a name has at most {NAME_CHARS_MAX} characters and no slash");
        return Err(Problem::new(name, reason));
    }
    Ok(())
}

fn flag(raw: &Map<String, Value>, key: &str) -> Result<bool, Problem> {
    match raw.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(Problem::new(key, "it is true or false")),
    }
}

fn timeout(raw: &Map<String, Value>) -> Result<Option<Duration>, Problem> {
    let Some(given) = raw.get("timeout").filter(|value| !value.is_null()) else { return Ok(None) };
    let seconds = given.as_f64().filter(|seconds| *seconds > 0.0);
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let wrong = || Problem::new("timeout", "it is a number of seconds above nought");
    Ok(Some(timeout.ok_or_else(wrong)?.min(TIMEOUT_MAX)))
}

fn allow(raw: &Map<String, Value>) -> Result<Option<GlobSet>, Problem> {
    let wrong = || Problem::new("allow", "it is a list of names of tools, or of globs");
    let Some(given) = raw.get("allow").filter(|value| !value.is_null()) else { return Ok(None) };
    let mut globs = GlobSetBuilder::new();
    for glob in given.as_array().ok_or_else(wrong)? {
        let glob = Glob::new(glob.as_str().ok_or_else(wrong)?);
        globs.add(glob.map_err(|error| Problem::new("allow", error.to_string()))?);
    }
    globs.build().map(Some).map_err(|error| Problem::new("allow", error.to_string()))
}

/// A name for what an entry runs. It is made of what the file says and not of what its variables stand for now: whoever
/// agreed to a server agreed to that, and a new token is no new server.
fn hash(name: &str, raw: &Map<String, Value>, rights: Rights) -> String {
    const DECISIVE: &[&str] =
        &["type", "command", "args", "env", "cwd", "url", "headers", "oauth", "allow", "disabled"];
    let decisive: Vec<_> = DECISIVE.iter().map(|key| (*key, raw.get(*key).map(Sorted))).collect();
    // A tuple of these is always JSON.
    let content = serde_json::to_vec(&(name, decisive, format!("{rights:?}"))).unwrap_or_default();
    hex::encode(Sha256::digest(content))
}

/// A value, written with the keys of objects in order, which means nothing in them.
struct Sorted<'v>(&'v Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(object) => {
                let ordered: BTreeMap<_, _> = object.iter().collect();
                serializer.collect_map(ordered.into_iter().map(|(key, value)| (key, Sorted(value))))
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(Sorted)),
            other => other.serialize(serializer),
        }
    }
}
