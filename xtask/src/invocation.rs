//! One program started by xtask, with its output kept until somebody asks for it.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A program to be run in the root of the workspace.
#[derive(Debug)]
pub struct Invocation {
    command: Command,
}

/// How a program ended, and everything it printed, both streams in the order they came.
#[derive(Debug)]
pub struct Finished {
    /// Whether its exit code was zero.
    pub success: bool,
    /// What it printed.
    pub output: String,
}

impl Invocation {
    /// Any program.
    pub fn new(program: impl AsRef<OsStr>, dir: &Path) -> Self {
        let mut command = Command::new(program);
        command.current_dir(dir).stdin(Stdio::null());
        Self { command }
    }

    /// The same cargo that runs us.
    pub fn cargo(dir: &Path) -> Self {
        Self::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")), dir)
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it. An error means that it could not be started; a failure of its own is in the result.
    pub fn finish(mut self) -> Result<Finished> {
        let (mut reader, writer) = std::io::pipe().context("cannot make a pipe")?;
        self.command.stdout(writer.try_clone().context("cannot share a pipe")?).stderr(writer);
        let name = self.name();
        let mut child = self.command.spawn().with_context(|| format!("cannot start {name}"))?;
        // The command holds the writing end too; while it lives, the reader would never see the end.
        drop(self.command);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).with_context(|| format!("cannot read what {name} prints"))?;
        let status = child.wait().with_context(|| format!("cannot wait for {name}"))?;
        Ok(Finished { success: status.success(), output: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// Runs it and gives what it printed to stdout; anything but exit code zero is an error that shows stderr.
    pub fn stdout(mut self) -> Result<String> {
        let name = self.name();
        let output = self.command.output().with_context(|| format!("cannot start {name}"))?;
        if !output.status.success() {
            bail!(
                "{name} failed ({})\n{}",
                output.status,
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        String::from_utf8(output.stdout)
            .with_context(|| format!("{name} printed something that is not UTF-8"))
    }

    /// Whether it can be started and ends well: how to see that a tool is there.
    pub fn succeeds(self) -> bool {
        self.finish().is_ok_and(|finished| finished.success)
    }

    fn name(&self) -> String {
        let program = Path::new(self.command.get_program());
        let program = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
        let words = self.command.get_args().take(2).map(|arg| arg.to_string_lossy());
        words.fold(format!("`{program}"), |line, word| format!("{line} {word}")) + "`"
    }
}
