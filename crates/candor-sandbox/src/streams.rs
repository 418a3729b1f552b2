//! The streams of a process: what it gets, and the ends that are ours.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::Error;
use crate::spec::{Spec, Stdin};

/// What the streams of a new process are.
pub(crate) struct ChildStreams {
    pub(crate) fds: [OwnedFd; 3],
    pub(crate) is_terminal: bool,
}

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
    let (stdout, child_stdout) = pipe()?;
    let (stderr, child_stderr) = pipe()?;
    let (child_stdin, stdin) = match stdin {
        Stdin::Closed => (OwnedFd::from(File::open("/dev/null")?), None),
        Stdin::Piped => {
            let (reader, writer) = pipe()?;
            (reader, Some(writer))
        }
    };
    Ok(([child_stdin, child_stdout, child_stderr], Pipes { stdout, stderr: Some(stderr), stdin }))
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}

/// A terminal of the host. Its name means nothing inside; `/dev/tty` is it there.
fn terminal((rows, columns): (u16, u16), stdin: Stdin) -> io::Result<([OwnedFd; 3], Pipes)> {
    let ours = open_terminal()?;
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

#[cfg(target_os = "linux")]
fn open_terminal() -> io::Result<OwnedFd> {
    Ok(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?)
}

/// Here it is closed to other programs in a second step. One that is started in between holds it open until it ends.
#[cfg(not(target_os = "linux"))]
fn open_terminal() -> io::Result<OwnedFd> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    rustix::io::fcntl_setfd(&ours, rustix::io::FdFlags::CLOEXEC)?;
    Ok(ours)
}

/// A descriptor above the standard streams, where it cannot be in the way of them.
pub(crate) fn high(fd: OwnedFd) -> Result<OwnedFd, Error> {
    const FIRST: RawFd = 3;
    if fd.as_raw_fd() >= FIRST {
        return Ok(fd);
    }
    rustix::io::fcntl_dupfd_cloexec(&fd, FIRST).map_err(|error| Error::wall("move a descriptor", error))
}
