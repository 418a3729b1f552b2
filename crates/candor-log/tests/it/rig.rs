//! A log in a directory of its own, fed by the thread of the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use candor_log::{Clock, Guard, Log, Options, Rotation, Trouble};
use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt;

pub(crate) const NOON: &str = "2025-02-11T12:00:00Z";

/// A clock that stands still until it is moved.
#[derive(Clone)]
pub(crate) struct Hands(Arc<Mutex<Timestamp>>);

impl Hands {
    pub(crate) fn at(time: &str) -> Self {
        Self(Arc::new(Mutex::new(time.parse().unwrap())))
    }

    pub(crate) fn set(&self, time: &str) {
        *self.0.lock().unwrap() = time.parse().unwrap();
    }

    pub(crate) fn clock(&self) -> Clock {
        let hands = Arc::clone(&self.0);
        Clock::new(move || *hands.lock().unwrap())
    }
}

/// What the log said about itself.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    pub(crate) fn trouble(&self) -> Trouble {
        let heard = Arc::clone(&self.0);
        Trouble::new(move |error| heard.lock().unwrap().push(error.failure().code.to_string()))
    }

    pub(crate) fn codes(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A directory, the path of the log in it, and a clock.
pub(crate) struct Rig {
    directory: TempDir,
    pub(crate) hands: Hands,
    pub(crate) heard: Heard,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), hands: Hands::at(NOON), heard: Heard::default() }
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("candor.log")
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            clock: self.hands.clock(),
            trouble: self.heard.trouble(),
            rotation: Rotation { max_days: 0, size_bytes_max: 0, total_bytes_max: 0 },
            ..Options::new(self.path())
        }
    }

    pub(crate) fn start(&self) -> Running {
        Running::start(self.options())
    }

    /// Starts a log, lets the function log, and ends it.
    pub(crate) fn run(&self, act: impl FnOnce()) {
        self.start().scope(act);
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        lines_of(&self.path())
    }

    /// The names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.directory().join(name), bytes).unwrap();
    }
}

pub(crate) fn lines_of(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "the file ends inside a line: {text:?}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// A log that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) log: Log,
    guard: Guard,
}

impl Running {
    pub(crate) fn start(options: Options) -> Self {
        let (log, guard) = candor_log::start(options).unwrap();
        Self { log, guard }
    }

    /// Lets the function log here, from this thread.
    pub(crate) fn scope<T>(&self, act: impl FnOnce() -> T) -> T {
        tracing::subscriber::with_default(Registry::default().with(self.log.layer()), act)
    }

    /// Logs one batch and waits until it is in the file.
    pub(crate) fn batch(&self, act: impl FnOnce()) {
        self.scope(act);
        self.log.flush();
    }

    pub(crate) fn end(self) {
        drop(self.guard);
    }
}

/// One small event with a number to tell it by.
pub(crate) fn note(number: u64) {
    candor_log::event::SessionCompacted {
        session_id: session(),
        removed_messages: number,
        summary_tokens: 0,
    }
    .log();
}

/// The numbers of the notes among some lines.
pub(crate) fn notes(lines: &[Value]) -> Vec<u64> {
    lines.iter().filter_map(|line| line.get("removedMessages")?.as_u64()).collect()
}

pub(crate) fn session() -> candor_protocol::SessionId {
    "0195a3c1-7b00-7000-8000-000000000001".parse().unwrap()
}
