//! The long-lived processes of a session.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_sandbox::{How, Running, State};

use crate::walls::Walls;

/// How many may run at once: a database, a few servers, a watcher and a build.
pub(crate) const RUNNING_MAX: usize = 16;

/// How long one may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// How many that have ended are remembered, for their last words.
const ENDED_MAX: usize = 16;

/// The long-lived processes of a session. They end with it.
#[derive(Debug, Default)]
pub struct Processes {
    /// A plain lock: it is held for a look and never across a wait.
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    processes: BTreeMap<u64, Arc<Kept>>,
}

/// How a process is told that nothing more comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputEnd {
    /// Its input is closed.
    Close,
    /// By a key of its terminal: nobody could type into one that was closed, and no end would be found in it.
    Key,
}

/// How much of what was typed into one is remembered.
const TYPED_BYTES_MAX: usize = 32 * 1024;

/// What one was started with.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) command: String,
    /// Where; nothing where somebody else started it.
    pub(crate) cwd: Option<PathBuf>,
    /// The variables that it was given beside those of all commands.
    pub(crate) variables: Vec<(String, String)>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) number: u64,
    pub(crate) command: String,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) variables: Vec<(String, String)>,
    /// What was typed into it, which decides what the next line means; nothing where that was too much.
    typed: Mutex<Option<String>>,
    pub(crate) running: Running,
    /// Those it was started behind; what it uses of them stays as long as it does.
    pub(crate) walls: Arc<Walls>,
    pub(crate) input_end: InputEnd,
}

impl Kept {
    pub(crate) fn is_running(&self) -> bool {
        self.running.state() == State::Running
    }

    /// What was typed into it so far.
    pub(crate) fn typed(&self) -> Option<String> {
        self.typed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers what was typed into it.
    pub(crate) fn heard(&self, text: &str) {
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        *typed = typed.take().map(|typed| typed + text).filter(|typed| typed.len() <= TYPED_BYTES_MAX);
    }

    /// How it is, in a word or two.
    pub(crate) fn state(&self) -> String {
        match self.running.state() {
            State::Running => "running".to_owned(),
            State::Ended(How::Exited(code)) => format!("exit {code}"),
            State::Ended(How::Signalled(signal)) => format!("signal {signal}"),
            State::Ended(How::TimedOut | How::Cancelled) => "stopped".to_owned(),
        }
    }
}

impl Processes {
    /// Whether any goes on.
    pub fn any_running(&self) -> bool {
        self.table().processes.values().any(|kept| kept.is_running())
    }

    /// Keeps one that somebody else has started.
    pub fn adopt(&self, command: String, running: Running, walls: Arc<Walls>) {
        let start = Start { command, cwd: None, variables: Vec::new() };
        self.keep(start, running, walls, InputEnd::Close);
    }

    /// Ends those that were started with this command.
    pub async fn end_all(&self, command: &str) {
        let same = |kept: &Arc<Kept>| kept.is_running() && kept.command.contains(command);
        for kept in self.all().into_iter().filter(same) {
            kept.running.stop(GRACE).await;
        }
    }

    /// Whether another one may be started.
    pub(crate) fn has_room(&self) -> bool {
        self.table().processes.values().filter(|kept| kept.is_running()).count() < RUNNING_MAX
    }

    /// Keeps one that was started, and gives it a number. The oldest of those that have ended is forgotten.
    pub(crate) fn keep(
        &self,
        start: Start,
        running: Running,
        walls: Arc<Walls>,
        input_end: InputEnd,
    ) -> Arc<Kept> {
        let mut table = self.table();
        let ended: Vec<u64> =
            table.processes.values().filter(|kept| !kept.is_running()).map(|kept| kept.number).collect();
        for number in ended.iter().take((ended.len() + 1).saturating_sub(ENDED_MAX)) {
            table.processes.remove(number);
        }
        table.last += 1;
        let number = table.last;
        let Start { command, cwd, variables } = start;
        let typed = Mutex::new(Some(String::new()));
        let kept = Arc::new(Kept { number, command, cwd, variables, typed, running, walls, input_end });
        table.processes.insert(number, Arc::clone(&kept));
        kept
    }

    /// The one with this number.
    pub(crate) fn find(&self, number: u64) -> Option<Arc<Kept>> {
        self.table().processes.get(&number).cloned()
    }

    /// All that are remembered, the oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<Kept>> {
        self.table().processes.values().cloned().collect()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
