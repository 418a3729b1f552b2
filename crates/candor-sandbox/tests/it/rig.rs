//! A directory, a shell in it, and a look at the process table.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use candor_sandbox::{Ended, Level, Policy, Sandbox, Spec, Stdin, run};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Longer than any test may take, so that what is not killed is seen.
pub(crate) const LONG: Duration = Duration::from_secs(120);

pub(crate) struct Rig {
    directory: TempDir,
    /// The walls around what is run.
    pub(crate) sandbox: Sandbox,
    /// A number that stands in the command line of no process but those of this test: `sleep $TOKEN` is found by it.
    pub(crate) token: String,
}

impl Rig {
    /// Without walls.
    pub(crate) fn new() -> Self {
        Self::with(|_| Sandbox::bare())
    }

    /// Once without walls and once behind each kind of them that this system has.
    pub(crate) fn kinds() -> Vec<Self> {
        let walls = if cfg!(elsewhere) { &[][..] } else { &[Level::Landlock, Level::Namespaces] };
        std::iter::once(&Level::None).chain(walls).copied().map(Self::at).collect()
    }

    /// Behind walls of this level, with its own directory writable.
    pub(crate) fn at(level: Level) -> Self {
        Self::with(|directory| Sandbox::open_at(workspace(directory), level).unwrap())
    }

    pub(crate) fn with(open: impl FnOnce(&Path) -> Sandbox) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let token = format!("300.0{}0{number}1", std::process::id());
        let directory = tempfile::tempdir().unwrap();
        let sandbox = open(directory.path());
        Self { directory, sandbox, token }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A shell script with a `PATH` and the token, and all the time it wants.
    pub(crate) fn script(&self, script: &str) -> Spec {
        let mut spec = spec(self.directory.path(), script);
        spec.env.push(("TOKEN".into(), self.token.clone()));
        spec
    }

    pub(crate) async fn run(&self, script: &str) -> Ended {
        run(&self.script(script), &self.sandbox, &CancellationToken::new()).await.unwrap()
    }

    /// A pipe with a name, on which a script can say that it is ready.
    pub(crate) fn gate(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        path
    }

    /// How many `sleep $TOKEN` there are.
    pub(crate) fn sleepers(&self) -> usize {
        let is_sleeper = |path: PathBuf| {
            let line = fs::read(path.join("cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).eq([b"sleep", self.token.as_bytes(), b""])
        };
        fs::read_dir("/proc").unwrap().flatten().filter(|entry| is_sleeper(entry.path())).count()
    }
}

/// A policy under which a directory can be written and nothing else.
pub(crate) fn workspace(directory: &Path) -> Policy {
    Policy { writable: vec![directory.to_owned()], ..Policy::default() }
}

/// A shell script with a `PATH`, and all the time it wants.
pub(crate) fn spec(cwd: &Path, script: &str) -> Spec {
    Spec {
        program: PathBuf::from("/bin/bash"),
        args: ["-c", script].map(OsString::from).to_vec(),
        cwd: cwd.to_owned(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        timeout: LONG,
        output_bytes_max: 64 << 10,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    }
}
