//! One file of hooks, as the ecosystem writes it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Code, Failure};
use serde_json::{Map, Value};

use super::matcher::Matcher;
use super::occasion::Occasion;
use crate::plain::read_plain_text;
use crate::trust::content_hash;

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 256 << 10;
/// The most hooks of a file.
const HOOKS_MAX: usize = 128;
/// How long a hook may take that does not say.
const TIME: Duration = Duration::from_secs(60);
/// How long any hook may take.
const TIME_MAX: Duration = Duration::from_secs(600);

/// A command that is run when something happens.
#[derive(Debug, Clone)]
pub struct Hook {
    /// When.
    pub occasion: Occasion,
    /// What it is for, as it is written.
    pub matcher: String,
    pub(super) matches: Matcher,
    /// What is run, by a shell.
    pub command: String,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether it stands in the person's own file.
    pub is_own: bool,
    /// Whether it runs behind the walls of the session.
    pub is_walled: bool,
}

/// A file as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    pub(super) hooks: Vec<Arc<Hook>>,
    /// What is left out, and why.
    pub(super) problems: Vec<Failure>,
    /// What tells its hooks from any others; nothing, where there are none.
    pub(super) hash: Option<String>,
}

/// Reads a file. What cannot be used is left out, and the rest counts.
pub(super) fn read(path: &Path, is_own: bool) -> Content {
    let mut reading = Reading { path, is_own, content: Content::default() };
    match read_plain_text(path, FILE_BYTES_MAX)
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()))
    {
        Ok(Value::Object(mut file)) => reading.file(file.remove("hooks")),
        Ok(_) => reading.left_out("the whole file", "it holds no object"),
        Err(why) => reading.left_out("the whole file", &why),
    }
    reading.content
}

struct Reading<'a> {
    path: &'a Path,
    is_own: bool,
    content: Content,
}

impl Reading<'_> {
    fn file(&mut self, hooks: Option<Value>) {
        let Some(hooks) = hooks else { return };
        self.content.hash = Some(content_hash([hooks.to_string().as_bytes()]));
        let Value::Object(hooks) = hooks else {
            return self.left_out("hooks", "it is no object with the names of events");
        };
        for (name, groups) in &hooks {
            match (Occasion::find(name), groups) {
                (None, _) => self.left_out(name, &format!("there is no such event: {}", names())),
                (Some(occasion), Value::Array(groups)) => {
                    for (at, group) in groups.iter().enumerate() {
                        self.group(occasion, &format!("{name}[{at}]"), group);
                    }
                }
                (Some(_), _) => self.left_out(name, "it is no list"),
            }
        }
    }

    fn group(&mut self, occasion: Occasion, place: &str, group: &Value) {
        let wanted = match group.get("matcher") {
            None | Some(Value::Null) => "",
            Some(Value::String(wanted)) => wanted,
            Some(_) => return self.left_out(place, "`matcher` is no text"),
        };
        let matches = match Matcher::read(wanted) {
            Ok(matches) if occasion.has_subject() => matches,
            Ok(_) => Matcher::All,
            Err(why) => return self.left_out(place, &why),
        };
        let Some(hooks) = group.get("hooks").and_then(Value::as_array) else {
            return self.left_out(place, "it has no list `hooks`");
        };
        for (at, written) in hooks.iter().enumerate() {
            let place = format!("{place}.hooks[{at}]");
            if self.content.hooks.len() >= HOOKS_MAX {
                return self.left_out(&place, &format!("there are more than {HOOKS_MAX} hooks"));
            }
            match self.hook(written) {
                Ok((command, timeout, is_walled)) => self.content.hooks.push(Arc::new(Hook {
                    occasion,
                    matcher: wanted.to_owned(),
                    matches: matches.clone(),
                    command,
                    timeout,
                    is_own: self.is_own,
                    is_walled,
                })),
                Err(why) => self.left_out(&place, &why),
            }
        }
    }

    fn hook(&self, written: &Value) -> Result<(String, Duration, bool), String> {
        let Value::Object(written) = written else { return Err("it is no object".to_owned()) };
        match written.get("type").and_then(Value::as_str) {
            Some("command") => {}
            Some(other) => return Err(format!("the type `{other}` is not known, only `command`")),
            None => return Err("it has no `type`".to_owned()),
        }
        let command = written.get("command").and_then(Value::as_str).unwrap_or_default();
        if command.trim().is_empty() || command.contains('\0') {
            return Err("it has no `command`".to_owned());
        }
        Ok((command.to_owned(), timeout(written)?, self.is_walled(written)?))
    }

    /// Only the person's own may run with the person's rights.
    fn is_walled(&self, written: &Map<String, Value>) -> Result<bool, String> {
        match written.get("walls") {
            None | Some(Value::Null | Value::Bool(true)) => Ok(true),
            Some(Value::Bool(false)) if self.is_own => Ok(false),
            Some(Value::Bool(false)) => {
                Err("hooks of a folder run behind the walls; only your own may say `walls`: false".to_owned())
            }
            Some(_) => Err("`walls` is neither true nor false".to_owned()),
        }
    }

    fn left_out(&mut self, entry: &str, why: &str) {
        let failure = Failure::new(Code::HookFileInvalid).with("path", self.path.display());
        self.content.problems.push(failure.with("entry", entry).with("reason", why));
    }
}

fn timeout(written: &Map<String, Value>) -> Result<Duration, String> {
    let seconds = match written.get("timeout") {
        None | Some(Value::Null) => return Ok(TIME),
        Some(given) => given.as_f64().filter(|seconds| *seconds > 0.0),
    };
    let seconds = seconds.ok_or_else(|| "`timeout` is no number of seconds".to_owned())?;
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(TIME_MAX).min(TIME_MAX))
}

fn names() -> String {
    Occasion::ALL.iter().map(|occasion| occasion.as_str()).collect::<Vec<_>>().join(", ")
}

/// Where a file is, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The folder that brings it along; nothing, where it is the person's own.
    pub folder: Option<PathBuf>,
}
