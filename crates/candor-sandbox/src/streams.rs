//! The streams of a process: what it gets, and the ends that are ours.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::Error;
use crate::spec::{Spec, Stdin};
use crate::walls::spawn::{ChildStreams, high};

/// The ends of its streams that are ours.
pub(crate) struct Pipes {
    /// What it says; on a terminal, all of it.
    pub(crate) stdout: OwnedFd,
    /// What it says about trouble, where that is told apart.
    pub(crate) stderr: Option<OwnedFd>,
    /// What it hears, where somebody speaks to it.
    pub(crate) stdin: Option<OwnedFd>,
}

/// Makes both ends.
pub(crate) fn open(spec: &Spec) -> Result<(ChildStreams, Pipes), Error> {
    let made = match spec.pty {
        Some(size) => terminal(size, spec.stdin),
        None => pipes(spec.stdin),
    };
    let (child, ours) = made.map_err(|source| Error::from_start(&spec.program, source))?;
    let [stdin, stdout, stderr] = child;
    let fds = [high(stdin)?, high(stdout)?, high(stderr)?];
    Ok((ChildStreams { fds, is_terminal: spec.pty.is_some() }, ours))
}

fn pipes(stdin: Stdin) -> io::Result<([OwnedFd; 3], Pipes)> {
    let (stdout, child_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, child_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let (child_stdin, stdin) = match stdin {
        Stdin::Closed => (OwnedFd::from(File::open("/dev/null")?), None),
        Stdin::Piped => {
            let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
            (reader, Some(writer))
        }
    };
    Ok(([child_stdin, child_stdout, child_stderr], Pipes { stdout, stderr: Some(stderr), stdin }))
}

/// A terminal of the host. Its name means nothing inside; `/dev/tty` is it there.
fn terminal((rows, columns): (u16, u16), stdin: Stdin) -> io::Result<([OwnedFd; 3], Pipes)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let child = rustix::fs::open(name, flags, Mode::empty())?;
    tcsetwinsize(&ours, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })?;
    let stdin = match stdin {
        Stdin::Closed => None,
        Stdin::Piped => Some(ours.try_clone()?),
    };
    let child = [child.try_clone()?, child.try_clone()?, child];
    Ok((child, Pipes { stdout: ours, stderr: None, stdin }))
}
