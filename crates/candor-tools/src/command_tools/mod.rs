//! Tools that a person describes in a file: a program, its arguments, and what a model may fill in.
//!
//! There is no shell in between. Each argument of the program is one item of the file with values put in, so that no value
//! can become a second argument or a second command. `entry.rs` is what can be written, `filling.rs` puts values in,
//! `tool.rs` runs it. The file is read again when it changes; an entry with a mistake is left out, and the others work.

mod entry;
mod filling;
mod tool;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use candor_log::event;
use candor_protocol::{Code, Failure};
use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::Spanned;

use self::entry::Entry;
use self::tool::CommandTool;
use crate::plain::read_plain_text;
use crate::{Registry, Tool, ToolSource, Tools};

/// The largest file.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The most tools of a file: every one is paid for with every request.
const TOOLS_MAX: usize = 128;
/// The names of our tools that other crates bring, or that are not always there. One of a person's own would be hidden by them.
const BROUGHT: &[&str] = &[
    "context_get",
    "context_search",
    "delegate",
    "mcp_resources",
    "notes",
    "skill",
    "tool_search",
    "verify",
    "web_fetch",
    "web_search",
];

/// The tools of a file, read again when it changes.
pub struct CommandTools {
    path: PathBuf,
    /// The environment that `${NAME}` is looked up in.
    env: Vec<(String, String)>,
    /// A plain lock: it is held for a look, or while one small file is read.
    read: Mutex<Option<Read>>,
}

/// What was read, and of which state of the file.
struct Read {
    stamp: Stamp,
    tools: Tools,
    broken: Vec<Failure>,
    asked_for: Vec<String>,
}

type Stamp = Option<(SystemTime, u64)>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    tools: Vec<Spanned<Value>>,
}

impl CommandTools {
    /// Those in this file, which need not be there. `${NAME}` in their environments is looked up in `env`.
    pub fn new(path: PathBuf, env: Vec<(String, String)>) -> Self {
        Self { path, env, read: Mutex::new(None) }
    }

    /// The variables that the environments of the tools ask for.
    pub fn asked_for(&self) -> Vec<String> {
        self.with(|read| read.asked_for.clone())
    }

    /// The entries that are left out, and why.
    pub fn broken(&self) -> Vec<Failure> {
        self.with(|read| read.broken.clone())
    }

    fn with<T>(&self, of: impl FnOnce(&Read) -> T) -> T {
        let stamp = stamp(&self.path);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match &*read {
            Some(known) if known.stamp == stamp => of(known),
            _ => of(read.insert(self.read_anew(stamp))),
        }
    }

    fn read_anew(&self, stamp: Stamp) -> Read {
        let (mut tools, mut broken): (Vec<Arc<dyn Tool>>, Vec<Failure>) = (Vec::new(), Vec::new());
        let mut asked_for = Vec::new();
        let entries = match stamp.map(|(_, bytes)| entries(&self.path, bytes)) {
            None => Vec::new(),
            Some(Ok(entries)) => entries,
            Some(Err(failure)) => {
                broken.push(failure);
                Vec::new()
            }
        };
        for (place, written) in entries.into_iter().zip(0..) {
            let line = place.referenced.line();
            let unusable = |what: &str, why: String| left_out(&self.path, line, what, &why);
            match Entry::read(&place.value) {
                _ if written >= TOOLS_MAX => {
                    broken.push(unusable("the rest", format!("there are more than {TOOLS_MAX} tools")));
                    break;
                }
                Ok(entry) if is_taken(&entry.name, &tools) => {
                    broken.push(unusable(&entry.name, "there is another tool of this name".to_owned()));
                }
                Ok(entry) => {
                    asked_for.extend(entry.asked_for().map(str::to_owned));
                    tools.push(Arc::new(CommandTool::new(entry, &self.env)));
                }
                Err(why) => {
                    let name = place.value.get("name").and_then(Value::as_str).unwrap_or("an entry");
                    broken.push(unusable(name, why));
                }
            }
        }
        broken.iter().for_each(log);
        Read { stamp, tools: tools.into(), broken, asked_for }
    }
}

impl ToolSource for CommandTools {
    fn tools(&self) -> Tools {
        self.with(|read| Arc::clone(&read.tools))
    }
}

/// Whether there is a tool of this name that comes first: one of ours under any of its names, or another entry.
fn is_taken(name: &str, before: &[Arc<dyn Tool>]) -> bool {
    Registry::built_in().find(name).is_some()
        || BROUGHT.contains(&name)
        || before.iter().any(|tool| tool.spec().name == name)
}

fn stamp(path: &Path) -> Stamp {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn entries(path: &Path, bytes: u64) -> Result<Vec<Spanned<Value>>, Failure> {
    let all = |line: u64, why: &str| left_out(path, line, "the whole file", why);
    if bytes > FILE_BYTES_MAX {
        return Err(all(1, &format!("it is larger than {FILE_BYTES_MAX} bytes")));
    }
    let text = read_plain_text(path, FILE_BYTES_MAX).map_err(|error| all(1, &error.to_string()))?;
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    // `yes` and `no` are words here.
    let options = serde_saphyr::options! { strict_booleans: true };
    let file: File = serde_saphyr::from_str_with_options(&text, options).map_err(|error| {
        let line = error.location().map_or(1, |place| place.line());
        all(line, candor_cards::without_place(error.to_string().lines().next().unwrap_or_default()))
    })?;
    Ok(file.tools)
}

fn left_out(path: &Path, line: u64, what: &str, why: &str) -> Failure {
    Failure::new(Code::ToolFileInvalid)
        .with("path", path.display())
        .with("line", line)
        .with("tool", what)
        .with("reason", why)
}

fn log(failure: &Failure) {
    let fact = |name| failure.fact(name).unwrap_or_default();
    let error = format!("line {}, {}: {}", fact("line"), fact("tool"), fact("reason"));
    event::ToolFileInvalid { code: failure.code.as_str(), path: fact("path"), error: &error }.log();
}
