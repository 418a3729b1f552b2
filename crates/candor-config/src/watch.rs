//! Follows the config files while they are edited.
//!
//! Directories are watched, not files: editors and orchestrators replace a file, and a watch on the old one would
//! never hear of it. A change is looked at once the edits have settled; a bad one keeps the last good configuration.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::error::Error;
use crate::file;
use crate::load::{Loaded, Request, load};

/// How long it must be quiet before a change is looked at: editors write in several steps.
const SETTLE: Duration = Duration::from_millis(120);
/// How long a stream of changes may put that off.
const SETTLE_MAX: Duration = Duration::from_secs(2);

/// What came of a change.
#[derive(Debug)]
pub enum Reload {
    /// A good configuration is in force; these top-level keys changed.
    Changed {
        /// The new configuration.
        loaded: Arc<Loaded>,
        /// The keys.
        sections: Vec<&'static str>,
    },
    /// The last good configuration stays in force.
    Failed(Error),
}

/// A watch on the files of a configuration; it ends when dropped.
#[derive(Debug)]
pub struct Watch {
    current: Arc<Mutex<Arc<Loaded>>>,
    signals: Sender<Signal>,
    thread: Option<JoinHandle<()>>,
}

enum Signal {
    Changed,
    Stop,
}

impl Watch {
    /// Starts to watch. `report` is called on the watching thread after each change that matters.
    pub fn start(
        request: Request,
        first: Loaded,
        report: impl Fn(&Reload) + Send + 'static,
    ) -> Result<Self, Error> {
        first.home.make()?;
        let (signals, arrived) = mpsc::channel();
        let watcher = watcher(signals.clone(), request.file.as_deref()).map_err(|error| Error::Watch {
            path: first.home.path().to_owned(),
            reason: error.to_string(),
        })?;
        let mut directories =
            Directories { watcher, wanted: directories(&request, &first), watched: Vec::new() };
        directories.watch()?;
        let current = Arc::new(Mutex::new(Arc::new(first)));
        let follower = Follower { request, current: current.clone(), directories, failed: false };
        let thread = std::thread::Builder::new()
            .name("config-watch".to_owned())
            .spawn(move || follower.follow(&arrived, &report))
            .map_err(|error| Error::Watch { path: PathBuf::new(), reason: error.to_string() })?;
        Ok(Self { current, signals, thread: Some(thread) })
    }

    /// The configuration in force.
    pub fn current(&self) -> Arc<Loaded> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The thread may be gone already; then there is nothing to stop.
        let _ = self.signals.send(Signal::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Only names that can matter wake us: the database and the log live in the same directory.
fn watcher(signals: Sender<Signal>, file: Option<&Path>) -> notify::Result<RecommendedWatcher> {
    let own_name = file.and_then(Path::file_name).map(OsStr::to_owned);
    let matters = move |path: &PathBuf| {
        path.file_name().is_none_or(|name| {
            let name_text = name.to_string_lossy();
            // Mounted volumes swap a link called `..data`; a workspace's `.candor` may appear later.
            Some(name) == own_name.as_deref()
                || file::NAMES.contains(&&*name_text)
                || name_text.starts_with("..")
                || name_text == ".candor"
        })
    };
    notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let wake = event.as_ref().map_or(true, |event| {
            !matches!(event.kind, notify::EventKind::Access(_)) && event.paths.iter().any(&matters)
        });
        if wake {
            let _ = signals.send(Signal::Changed);
        }
    })
}

fn directories(request: &Request, loaded: &Loaded) -> Vec<PathBuf> {
    let first = match &request.file {
        Some(file) => request.cwd.join(file).parent().map_or_else(|| request.cwd.clone(), Path::to_owned),
        None => loaded.home.path().to_owned(),
    };
    vec![first, loaded.workspace.clone(), loaded.workspace.join(".candor")]
}

struct Directories {
    watcher: RecommendedWatcher,
    wanted: Vec<PathBuf>,
    watched: Vec<PathBuf>,
}

impl Directories {
    /// Watches what is there by now. The first, the home, must be.
    fn watch(&mut self) -> Result<(), Error> {
        for (index, path) in self.wanted.iter().enumerate() {
            if !path.is_dir() {
                self.watched.retain(|watched| watched != path);
                continue;
            }
            if self.watched.contains(path) {
                continue;
            }
            match self.watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => self.watched.push(path.clone()),
                Err(error) if index == 0 => {
                    return Err(Error::Watch { path: path.clone(), reason: error.to_string() });
                }
                Err(_) => {}
            }
        }
        Ok(())
    }
}

struct Follower {
    request: Request,
    current: Arc<Mutex<Arc<Loaded>>>,
    directories: Directories,
    /// Whether the last look failed, so that the way back to good is reported even if nothing changed in the end.
    failed: bool,
}

impl Follower {
    fn follow(mut self, signals: &Receiver<Signal>, report: &dyn Fn(&Reload)) {
        while let Ok(Signal::Changed) = signals.recv() {
            if !settle(signals) {
                return;
            }
            // A `.candor` that appeared meanwhile is watched from now on; the rest goes on either way.
            let _ = self.directories.watch();
            if let Some(reload) = self.look() {
                report(&reload);
            }
        }
    }

    fn look(&mut self) -> Option<Reload> {
        let was_failed = self.failed;
        match load(&self.request) {
            Err(error) => {
                self.failed = true;
                Some(Reload::Failed(error))
            }
            Ok(loaded) => {
                self.failed = false;
                let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
                let sections = current.config.changed(&loaded.config);
                let is_news = was_failed || !sections.is_empty() || current.warnings != loaded.warnings;
                let loaded = Arc::new(loaded);
                *current = loaded.clone();
                is_news.then_some(Reload::Changed { loaded, sections })
            }
        }
    }
}

/// Waits until no change arrives any more; false when it is time to stop.
fn settle(signals: &Receiver<Signal>) -> bool {
    let latest = Instant::now() + SETTLE_MAX;
    while Instant::now() < latest {
        match signals.recv_timeout(SETTLE) {
            Ok(Signal::Changed) => {}
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
    true
}
