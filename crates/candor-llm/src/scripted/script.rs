//! What a script may hold, and the reading of it. `docs/scripted.md` tells the same to its writers.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use candor_protocol::StopReason;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The most bytes of a script. It is read whole; the longest stories need a fraction.
const SCRIPT_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// How many letters come at once where the script does not say.
const DELTA_CHARS: usize = 8;
/// The longest wait between two pieces: a test that waits longer has hung.
const DELTA_DELAY_MAX: Duration = Duration::from_secs(60);
/// The longest wait that an error may ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A whole script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    pub(super) replies: Vec<Reply>,
    #[serde(default, rename = "loop")]
    pub(super) repeats: bool,
}

/// One answer, or one failure in place of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Reply {
    #[serde(default)]
    pub(super) reasoning: String,
    #[serde(default)]
    pub(super) text: String,
    #[serde(default)]
    pub(super) calls: Vec<Call>,
    pub(super) usage: Option<Tokens>,
    pub(super) stop: Option<StopReason>,
    pub(super) error: Option<Fault>,
    pub(super) expect: Option<Expect>,
    #[serde(default = "delta_chars")]
    pub(super) delta_chars: usize,
    #[serde(default)]
    delta_delay_ms: u64,
}

fn delta_chars() -> usize {
    DELTA_CHARS
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) name: String,
    /// An object, or a text that stands for arguments that cannot be read.
    #[serde(default = "no_args")]
    pub(super) args: Value,
    pub(super) id: Option<String>,
}

fn no_args() -> Value {
    Value::Object(Map::new())
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names that usage has everywhere")]
pub(super) struct Tokens {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cache_read_tokens: u64,
    pub(super) cache_write_tokens: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Fault {
    pub(super) kind: Kind,
    pub(super) message: Option<String>,
    retry_after_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Overloaded,
    RateLimited,
    Cut,
    Unauthorized,
    Overflow,
    BadRequest,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Expect {
    pub(super) last_user_contains: Option<String>,
    pub(super) last_tool_contains: Option<String>,
}

impl Reply {
    /// The wait before each piece but the first.
    pub(super) fn delta_delay(&self) -> Duration {
        Duration::from_millis(self.delta_delay_ms)
    }

    /// Why it cannot be played, if it cannot.
    fn problem(&self) -> Option<&'static str> {
        let fault = self.error.as_ref();
        if self.delta_chars == 0 {
            return Some("deltaChars must be at least 1");
        }
        if self.delta_delay() > DELTA_DELAY_MAX {
            return Some("deltaDelayMs must be at most 60000");
        }
        if self.stop == Some(StopReason::Stopped) {
            return Some("stop cannot be \"stopped\": only the user stops an answer");
        }
        if fault.is_some() && (!self.calls.is_empty() || self.usage.is_some() || self.stop.is_some()) {
            return Some("a reply with an error has no calls, usage or stop: the answer never ends");
        }
        if self.calls.iter().any(|call| !call.args.is_object() && !call.args.is_string()) {
            return Some("args must be an object, or a text to stand for arguments that cannot be read");
        }
        let wait = fault.and_then(Fault::retry_after)?;
        if !fault.is_some_and(|fault| matches!(fault.kind, Kind::Overloaded | Kind::RateLimited)) {
            return Some("retryAfterMs goes with overloaded and rate_limited only");
        }
        (wait > RETRY_AFTER_MAX).then_some("retryAfterMs must be at most 86400000, one day")
    }
}

impl Fault {
    /// How long the provider is to ask us to wait.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        self.retry_after_ms.map(Duration::from_millis)
    }
}

/// The text of a script's file, or why there is none.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    // A pipe would be waited for without an end.
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(SCRIPT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// A script that can be played, or why this is none.
pub(super) fn parse(text: &str) -> Result<Script, String> {
    if text.len() as u64 > SCRIPT_BYTES_MAX {
        return Err(format!("it is larger than {} MiB", SCRIPT_BYTES_MAX >> 20));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let script: Script = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for (at, reply) in script.replies.iter().enumerate() {
        if let Some(problem) = reply.problem() {
            return Err(format!("reply {}: {problem}", at + 1));
        }
    }
    if script.replies.is_empty() {
        return Err("it has no replies".to_owned());
    }
    if script.repeats && script.replies.iter().all(|reply| reply.error.is_some()) {
        return Err("a script that loops needs a reply without an error".to_owned());
    }
    Ok(script)
}
