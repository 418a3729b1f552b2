//! A directory, a shell in it, and a look at the process table.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use candor_sandbox::{Ended, Spec, run};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Longer than any test may take, so that what is not killed is seen.
pub(crate) const LONG: Duration = Duration::from_secs(120);

pub(crate) struct Rig {
    directory: TempDir,
    /// A number that stands in the command line of no process but those of this test: `sleep $TOKEN` is found by it.
    pub(crate) token: String,
}

impl Rig {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let token = format!("300.0{}0{number}1", std::process::id());
        Self { directory: tempfile::tempdir().unwrap(), token }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A shell script with a `PATH` and the token, and all the time it wants.
    pub(crate) fn script(&self, script: &str) -> Spec {
        Spec {
            program: PathBuf::from("/bin/bash"),
            args: ["-c", script].map(OsString::from).to_vec(),
            cwd: self.directory.path().to_owned(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("TOKEN".into(), self.token.clone())],
            timeout: LONG,
            output_bytes_max: 64 << 10,
            spill: None,
        }
    }

    pub(crate) async fn run(&self, script: &str) -> Ended {
        run(&self.script(script), &CancellationToken::new()).await.unwrap()
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
