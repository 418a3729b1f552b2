//! Reads what a service writes: its streams as they come, its log files as they grow.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use candor_sandbox::{Stream, Tap};
use regex::Regex;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::sleep;

use super::ready;
use crate::found::LogSource;
use crate::heard::Heard;
use crate::logs::{LogRules, Scanner, Watch, Watched};
use crate::plan::{ProbeHow, Service};

/// How often log files are looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Where most services write their logs, for those that do not say.
const USUAL: &[&str] = &["*.log", "log/*.log", "logs/*.log", "logs/*/*.log"];

/// Reads what a service writes.
pub(super) struct Ears {
    heard: Heard,
    /// Both streams; nothing once they are closed.
    streams: Mutex<Option<Streams>>,
    /// Its log files; nothing once they are closed.
    files: Mutex<Option<Watch>>,
    looking: Mutex<Option<JoinHandle<()>>>,
}

struct Streams {
    stdout: Scanner,
    stderr: Scanner,
}

impl Ears {
    /// Begins to listen: from here on everything counts.
    pub(super) async fn open(rules: Arc<LogRules>, service: &Service, root: &Path) -> Arc<Self> {
        let scanner =
            |name: &str| Scanner::new(Arc::clone(&rules), LogSource::ServiceLog, name.to_owned(), 0, None);
        let streams = Streams { stdout: scanner("stdout"), stderr: scanner("stderr") };
        let globs = if service.logs.is_empty() { usual(&service.cwd) } else { service.logs.clone() };
        let (root, rules) = (root.to_owned(), Arc::clone(&rules));
        let begun = spawn_blocking(move || Watch::begin(&root, &globs, rules, LogSource::ServiceLog));
        let ears = Arc::new(Self {
            heard: Heard::seeking(sought(service)),
            streams: Mutex::new(Some(streams)),
            files: Mutex::new(begun.await.ok()),
            looking: Mutex::default(),
        });
        let looking = tokio::spawn(look_on(Arc::downgrade(&ears)));
        *ears.looking.lock().unwrap_or_else(PoisonError::into_inner) = Some(looking);
        ears
    }

    /// What hears the process.
    pub(super) fn tap(ears: &Arc<Self>) -> Tap {
        let ears = Arc::clone(ears);
        Arc::new(move |stream, bytes| {
            ears.heard.push(bytes);
            let mut streams = ears.streams.lock().unwrap_or_else(PoisonError::into_inner);
            match (&mut *streams, stream) {
                (Some(streams), Stream::Stdout) => streams.stdout.push(bytes),
                (Some(streams), Stream::Stderr) => streams.stderr.push(bytes),
                (None, _) => {}
            }
        })
    }

    /// What it has said on its streams.
    pub(super) fn heard(&self) -> &Heard {
        &self.heard
    }

    /// A line of its log files that matches.
    pub(super) async fn in_files(ears: &Arc<Self>, pattern: &Regex) -> Option<String> {
        let (ears, pattern) = (Arc::clone(ears), pattern.clone());
        let looked = spawn_blocking(move || {
            let mut files = ears.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.as_mut()?.line(&pattern)
        });
        looked.await.ok().flatten()
    }

    /// Reads what is left, and gives what was found. What comes later is not heard.
    pub(super) async fn close(&self) -> Watched {
        if let Some(looking) = self.looking.lock().unwrap_or_else(PoisonError::into_inner).take() {
            looking.abort();
        }
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner).take();
        let watch = self.files.lock().unwrap_or_else(PoisonError::into_inner).take();
        let files = spawn_blocking(move || watch.map(Watch::finish));
        let streams =
            streams.into_iter().flat_map(|streams| [streams.stdout.finish(), streams.stderr.finish()]);
        let mut all = Watched { findings: streams.collect(), left_out: 0 };
        if let Ok(Some(files)) = files.await {
            all.findings.extend(files.findings);
            all.left_out = files.left_out;
        }
        all
    }
}

/// The lines that somebody will ask for: what tells that it is ready, and what its probes look for in the log.
fn sought(service: &Service) -> Vec<Regex> {
    let probes = service.probes.iter().filter_map(|probe| match &probe.how {
        ProbeHow::Log(pattern) => Some(pattern.as_str()),
        _ => None,
    });
    let patterns = std::iter::once(ready::line(service)).chain(probes);
    // One that cannot be read is told of by whoever asks for it.
    patterns.filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// Where its logs may be: in its own folder, and in that of the project.
fn usual(cwd: &Path) -> Vec<String> {
    let folders: BTreeSet<&Path> = [Path::new(""), cwd].into();
    let globs = folders.iter().flat_map(|folder| {
        // A folder's name is no pattern.
        let folder = globset::escape(&folder.to_string_lossy());
        USUAL.iter().map(move |glob| Path::new(&folder).join(glob).to_string_lossy().into_owned())
    });
    globs.collect()
}

async fn look_on(ears: std::sync::Weak<Ears>) {
    loop {
        sleep(LOOK).await;
        let Some(ears) = ears.upgrade() else { break };
        let looked = spawn_blocking(move || {
            let mut files = ears.files.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(watch) = &mut *files {
                watch.poll();
            }
        });
        if looked.await.is_err() {
            break;
        }
    }
}
