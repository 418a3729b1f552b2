//! What would be checked in a workspace, and why. Detection and declarations make it; the runner carries it out.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// How long a service may take to be ready, where nothing is declared.
pub const READY_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a probe may take, where nothing is declared.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// What can be checked in a workspace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The kinds of project that were found, for people: `node (npm, vite)`.
    pub stacks: Vec<String>,
    /// Commands that end by themselves.
    pub checks: Vec<Check>,
    /// Commands that do not.
    pub services: Vec<Service>,
    /// What was declared and could not be read. The rest of the plan holds nevertheless.
    pub problems: Vec<Problem>,
    /// What was seen and left out on purpose, with the reason.
    pub notes: Vec<String>,
    /// Whether the project declares that nothing counts but what it declares.
    pub only_declared: bool,
    /// Whether the project declares that probes may leave the machine.
    pub remote_probes: bool,
}

/// A command that ends by itself, and whose exit code says whether all is well.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What it is called: unique within the plan.
    pub name: String,
    /// What it looks at.
    pub kind: CheckKind,
    /// The shell line.
    pub run: String,
    /// Where it runs, relative to the workspace; empty: there.
    pub cwd: PathBuf,
    /// Variables it gets besides.
    pub env: Vec<(String, String)>,
    /// How long it may take; nothing: as long as the profile has time.
    pub timeout: Option<Duration>,
    /// Programs without which it cannot run. One that is missing makes it unverifiable, not failed.
    pub needs: Vec<String>,
    /// Files or folders, relative to `cwd`, without which it cannot run: dependencies that only an install would bring.
    pub needs_files: Vec<PathBuf>,
    /// Where it was found.
    pub source: Source,
}

/// What a check looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is the word that people write")]
pub enum CheckKind {
    Syntax,
    Build,
    Types,
    Lint,
    Test,
    Custom,
    /// Brings dependencies. Only where the profile allows installs.
    Install,
}

/// A command that goes on until it is stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// What it is called: unique within the plan.
    pub name: String,
    /// The shell line, without wrappers that would end it (`timeout 3s … || true`).
    pub command: String,
    /// Where it runs, relative to the workspace; empty: there.
    pub cwd: PathBuf,
    /// Variables it gets besides.
    pub env: Vec<(String, String)>,
    /// When it is ready. Nothing: an open port of its own, a line that says so, or staying alive.
    pub ready: Option<Ready>,
    /// How long it must stay alive, and its log clean, after the last probe. Nothing: the default.
    pub settle: Option<Duration>,
    /// What asks it to end. Nothing: SIGTERM.
    pub stop_signal: Option<StopSignal>,
    /// Whether it is left running after a pass.
    pub keep_running: bool,
    /// What it is asked. Empty: what can be derived safely.
    pub probes: Vec<Probe>,
    /// Log files besides its streams: globs relative to the workspace.
    pub logs: Vec<String>,
    /// Regular expressions of log entries that are errors whatever their level.
    pub log_deny: Vec<String>,
    /// Regular expressions of log entries that are no errors whatever their level.
    pub log_allow: Vec<String>,
    /// Programs without which it cannot run.
    pub needs: Vec<String>,
    /// Files or folders, relative to `cwd`, without which it cannot run.
    pub needs_files: Vec<PathBuf>,
    /// Where it was found.
    pub source: Source,
}

/// When a service is ready.
#[derive(Debug, Clone, PartialEq)]
pub struct Ready {
    /// What to look for.
    pub when: ReadyWhen,
    /// How long to look.
    pub timeout: Duration,
}

/// What tells that a service is ready.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadyWhen {
    /// This address answers with 2xx or 3xx.
    Http(String),
    /// This `host:port` accepts connections.
    Tcp(String),
    /// A line of its output matches this regular expression.
    Log(String),
}

/// What asks a service to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the name of a signal")]
pub enum StopSignal {
    Term,
    Int,
    Quit,
    Hup,
    Kill,
}

/// Something a service is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// What it is called.
    pub name: String,
    /// How it is asked.
    pub how: ProbeHow,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How often it is asked again before that counts.
    pub retries: u32,
    /// Whether it was made up from what was found, and not declared. What such a probe may expect is little.
    pub derived: bool,
}

/// How a service is asked.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the fields are the keys that people write")]
pub enum ProbeHow {
    Http(HttpProbe),
    /// `host:port` accepts a connection.
    Tcp(String),
    /// `host:port` serves `grpc.health.v1.Health` and says SERVING, for this service or for all.
    Grpc {
        address: String,
        service: String,
    },
    Websocket {
        url: String,
        send: Option<String>,
        expect: Option<String>,
    },
    /// A shell line, run beside the service.
    Exec {
        command: String,
        exit: i32,
        stdout: Option<String>,
        stderr: Option<String>,
    },
    /// A line to the service's standard input, and what its output must hold afterwards.
    Stdin {
        send: String,
        expect: Option<String>,
    },
    File {
        path: PathBuf,
        contains: Option<String>,
        matches: Option<String>,
    },
    /// A line of the service's logs must match.
    Log(String),
    Sql {
        url: String,
        query: String,
        expect: Option<String>,
    },
    /// A synthetic Telegram update from a local fake of the bot API, and the answer that the bot must send.
    Message {
        text: String,
        expect: Option<String>,
        api_base_env: String,
    },
}

/// An HTTP request, and what its answer must be.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are the keys that people write")]
pub struct HttpProbe {
    /// Absolute, or a path on the port that the service opened.
    pub url: String,
    pub method: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
    /// Nothing: any 2xx or 3xx.
    pub status: Option<u16>,
    /// Header names and a text that their value must contain.
    pub expect_headers: Vec<(String, String)>,
    pub contains: Option<String>,
    pub matches: Option<String>,
    /// JSON paths (`$.a.b[0]`) and the value each must have.
    pub json: Vec<(String, Value)>,
    /// A JSON Schema that the body must fit.
    pub schema: Option<Value>,
}

/// Where something was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The file, relative to the workspace.
    pub file: PathBuf,
    /// The line, where one is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether the project says that this is how it is checked. What is declared wins over what is only found.
    pub declared: bool,
    /// Why this follows from there, for people.
    pub why: String,
}

/// Something declared that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, relative to the workspace.
    pub file: PathBuf,
    /// Its line, from 1; 0 where it is about the whole file.
    pub line: u32,
    /// Its column, from 1; 0 likewise.
    pub column: u32,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl Service {
    /// A service with nothing special about it.
    pub fn new(name: impl Into<String>, command: impl Into<String>, cwd: PathBuf, source: Source) -> Self {
        Self {
            name: name.into(),
            command: command.into(),
            cwd,
            env: Vec::new(),
            ready: None,
            settle: None,
            stop_signal: None,
            keep_running: false,
            probes: Vec::new(),
            logs: Vec::new(),
            log_deny: Vec::new(),
            log_allow: Vec::new(),
            needs: Vec::new(),
            needs_files: Vec::new(),
            source,
        }
    }
}

impl CheckKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Build => "build",
            Self::Types => "types",
            Self::Lint => "lint",
            Self::Test => "test",
            Self::Custom => "custom",
            Self::Install => "install",
        }
    }
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
