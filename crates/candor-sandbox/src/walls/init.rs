//! Our side of the first process of a namespace, or of the keeper of a command where there is none.

#![allow(unsafe_code, reason = "it works on a stack that is ours again only when it is gone")]

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid};

use super::child;
use super::job::Lent;
use super::rest;
use super::space;
use super::sys::Stack;

/// What we hold of init. Where it is dropped before init has been reaped, its stack is lost.
#[derive(Debug)]
pub(crate) struct Init {
    pid: Pid,
    /// Says how the command ended.
    status: OwnedFd,
    /// Tells init what to do. When it closes, init ends.
    control: OwnedFd,
    /// What it runs on; nothing once it is gone.
    stack: Option<Lent<Stack>>,
}

impl Init {
    pub(super) fn new(pid: Pid, status: OwnedFd, control: OwnedFd, stack: Lent<Stack>) -> Self {
        Self { pid, status, control, stack: Some(stack) }
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Lets it ask all processes of its namespace to end, by this signal.
    pub(crate) fn ask_to_end(&self, signal: Signal) {
        // If the pipe is closed, it is gone, and so is all else.
        let _ = rustix::io::write(&self.control, &[u8::try_from(signal.as_raw()).unwrap_or(15)]);
    }

    /// Whether it has said, with its end, that nobody of its call is left. One that was killed says nothing.
    pub(crate) fn is_the_last(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended = waitid(WaitId::Pid(self.pid), options).ok().flatten();
        ended.is_some_and(|ended| ended.exit_status() == Some(rest::NOBODY_LEFT))
    }

    /// How the command ended, if it has.
    pub(crate) fn try_wait(&mut self) -> Option<ExitStatus> {
        self.reaped(WaitOptions::NOHANG)
    }

    /// How the command ended, once it has.
    pub(super) fn wait_for_status(&mut self) -> Option<ExitStatus> {
        self.reaped(WaitOptions::empty())
    }

    fn reaped(&mut self, options: WaitOptions) -> Option<ExitStatus> {
        let (_, ended) = waitpid(Some(self.pid), options).ok()??;
        self.has_been_reaped();
        // It is gone, so that this cannot wait. If it was killed it has said nothing, and its own end counts.
        let mut status = [0; 4];
        let said = self.status.try_clone().and_then(|fd| File::from(fd).read_exact(&mut status));
        Some(ExitStatus::from_raw(said.map_or(ended.as_raw(), |()| i32::from_ne_bytes(status))))
    }

    /// Lets it end everything at once, and itself. Whoever has no walls may have stopped it.
    pub(crate) fn kill_all(&self) {
        // It is not reaped, so the number is its own.
        let _ = kill_process(self.pid, Signal::CONT);
        let _ = rustix::io::write(&self.control, &[child::KILL]);
    }

    /// Waits until it has ended.
    pub(crate) fn wait(&mut self) {
        space::wait(self.pid);
        self.has_been_reaped();
    }

    fn has_been_reaped(&mut self) {
        if let Some(stack) = self.stack.take() {
            // SAFETY: a process that has been reaped runs on nothing.
            drop(unsafe { stack.take_back() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Init tells and hears through these calls while it shares the `errno` of a thread that goes on (`walls/child.rs`).
    #[test]
    fn the_calls_that_init_makes_do_not_know_errno() {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        drop(reader);
        // SAFETY: it returns the address of this thread's own `errno`, which is always valid.
        let errno = unsafe { &mut *libc::__errno_location() };
        *errno = 0;
        assert!(
            rustix::io::write(&writer, b"x").is_err()
                && waitpid(Some(rustix::process::getpid()), WaitOptions::NOHANG).is_err()
        );
        assert!(rustix::io::read(&writer, &mut [0]).is_err());
        assert_eq!(*errno, 0, "rustix is built to call the C library");
    }
}
