//! Ends a process without walls when its owner is gone, however that ended.
//!
//! Behind namespaces init hears that the runtime is gone, and the kernel ends the rest. Without walls nobody would: a
//! program that does not read its standard input never finds out. So a shell waits beside it for the end of a pipe that only
//! we hold, and kills the group then. A signal on the death of the parent was rejected for the reason in `walls/child.rs`.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::pipe::{PipeFlags, pipe_with};

/// Both words are built into every shell. What is read never comes: the pipe only ends. The signal has to be named by `-s`:
/// the shell of Debian takes no `--` after `-9`.
const SCRIPT: &str = r#"read -r _; kill -s KILL -- "-$1""#;

/// Waits for our end. Dropping it lets the process go.
#[derive(Debug)]
pub(crate) struct Leash {
    shell: Child,
    /// Closed by the kernel when we end.
    _ours: OwnedFd,
}

impl Leash {
    /// Ties the group of this number to us.
    pub(crate) fn tie(group: u32) -> io::Result<Self> {
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        #[expect(clippy::disallowed_methods, reason = "this crate is where processes start")]
        let shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "candor-leash", &group.to_string()])
            .current_dir("/")
            .env_clear()
            // A Ctrl-C in our terminal is not for it.
            .process_group(0)
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { shell, _ours: ours })
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        // It is killed before the pipe closes: the number may belong to somebody else by now.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
