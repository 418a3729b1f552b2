//! Runs the real binary, alone with what the test gives it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::{Home, Ran, Running};

/// How long one run of the binary may take. Nothing a test does takes seconds; the rest is for a loaded machine.
pub const TIME_LIMIT: Duration = Duration::from_mins(1);

/// One run of the binary, built up and then started.
///
/// ```no_run
/// # use candor_testkit::{Candor, Home};
/// let home = Home::new();
/// home.write("config.toml", "model = \"scripted\"\n");
/// // In a test of the binary's own package the path is env!("CARGO_BIN_EXE_candor").
/// let ran = Candor::new("target/debug/candor", &home).args(["config", "check"]).run().ok();
/// assert_eq!(ran.stdout, "");
/// ```
///
/// The environment is cleared but for `PATH`; `HOME`, `CANDOR_HOME` and `TMPDIR` name the throw-away folders
/// and the workspace is the current directory. Nothing of the machine reaches the binary. The home is borrowed
/// until the run is over, or its folders would be gone before the binary looks.
#[derive(Debug, Clone)]
pub struct Candor<'h> {
    home: &'h Home,
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    current_dir: PathBuf,
    stdin: Option<Vec<u8>>,
    time_limit: Duration,
}

impl<'h> Candor<'h> {
    /// The binary at `program`, to be run in `home`.
    pub fn new(program: impl AsRef<Path>, home: &'h Home) -> Self {
        let env = [("HOME", home.user()), ("CANDOR_HOME", home.path()), ("TMPDIR", home.tmp())]
            .map(|(name, dir)| (OsString::from(name), Some(dir.into_os_string())));
        Self {
            home,
            program: program.as_ref().to_path_buf(),
            args: Vec::new(),
            env: env.into(),
            current_dir: home.workspace(),
            stdin: None,
            time_limit: TIME_LIMIT,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_os_string()));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_os_string(), Some(value.as_ref().to_os_string())));
        self
    }

    /// Removes an environment variable, for tests without `HOME` or `CANDOR_HOME`.
    #[must_use]
    pub fn without_env(mut self, name: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_os_string(), None));
        self
    }

    /// Starts in another folder than the workspace.
    #[must_use]
    pub fn current_dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.current_dir = dir.as_ref().to_path_buf();
        self
    }

    /// Gives this to stdin and closes it; without it stdin is empty.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(input.into());
        self
    }

    /// Replaces [`TIME_LIMIT`] for this run.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Runs it to its end. Panics, with what was printed, when it does not end in time.
    #[track_caller]
    pub fn run(self) -> Ran {
        self.spawn().finish()
    }

    /// Starts it and comes back at once, for what goes on until it is stopped, such as `logs -f`.
    #[track_caller]
    pub fn spawn(self) -> Running<'h> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.current_dir).env_clear();
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let stdin = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let shown = self.shown();
        match command.spawn() {
            Ok(child) => Running::new(self.home, child, shown).feed(self.stdin).until(self.time_limit),
            Err(error) => panic!("cannot start {}: {error}", self.program.display()),
        }
    }

    /// The command line as failures show it. Only the name of the program, since its folder says nothing.
    fn shown(&self) -> String {
        let name = self.program.file_name().unwrap_or(self.program.as_os_str()).to_string_lossy();
        self.args.iter().fold(name.into_owned(), |line, arg| format!("{line} {}", arg.to_string_lossy()))
    }
}
