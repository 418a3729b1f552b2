//! What happens between `clone` and `exec`: three processes, of which the last becomes the command.
//!
//! *Outer* shares our memory as the child of `posix_spawn` does, so that starting it costs nothing however large we are.
//! It enters the session's namespaces and makes *init*, which is our own child (`CLONE_PARENT`) and the first process of
//! a new process namespace: when it ends, the kernel kills everything that is left in there, whatever session or group
//! it hides in. Init mounts, gives up all privileges, and starts the *command* the way we started outer. It then holds
//! nothing but two pipes: one to say how the command ended, one to hear from us. When that one closes, because the
//! runtime is gone, it ends. A signal on the death of the parent was rejected: the kernel ties it to the thread that
//! forked, and threads of an async runtime come and go.
//!
//! Where there are no namespaces, init is the one who gets all orphans of the command (`PR_SET_CHILD_SUBREAPER`), and kills
//! what is left itself before it ends (`rest.rs`).
//!
//! Init shares our memory for as long as it lives, while we go on. A copy of it was rejected: to make, to part and to
//! throw away a copy of the runtime costs more than all else that is done here. This is what makes sharing sound:
//!
//! - What init works with is lent to it ([`Lent`](super::job::Lent)): the job until it says that the command runs, its stack until
//!   it has been reaped.
//! - Nothing here may allocate, lock or panic: what the library knows of the calling thread is that thread's, not ours.
//! - `errno` is the calling thread's, too. Until it has heard from us, that thread neither writes nor reads it, and no handler
//!   runs on it (`spawn::hear`); from then on, in [`watch`], only calls are made that do not know it.
//! - Nobody can look into init from inside, as little as into the runtime: memory that cannot be dumped is closed.

#![allow(unsafe_code, reason = "a process is built here call by call")]

use std::ffi::{CStr, c_int, c_void};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process_group, setrlimit, setsid, wait};

use super::job::Job;
use super::mounts;
use super::news::{News, Stage};
use super::privileges::drop_privileges;
use super::rest;
use super::sys::{self, Answer};

/// What we say to init where it is to end everything at once: the number of the signal.
pub(super) const KILL: u8 = 9;

const NAMESPACES: c_int = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;

/// Starts it all. Runs in a process that shares the runtime's memory.
pub(crate) extern "C" fn outer(job: *mut c_void) -> c_int {
    // SAFETY: the caller passes a `Job` and is suspended until we are gone or another program.
    let job = unsafe { &*job.cast::<Job>() };
    if let Some(space) = job.sandbox.space() {
        if let Err(error) = space.enter() {
            fail(job, Stage::Enter, 0, error);
        }
        // SAFETY: no memory is passed.
        if unsafe { libc::unshare(NAMESPACES) } != 0 {
            fail(job, Stage::Separate, 0, sys::last_error());
        }
    }
    // SAFETY: `init` makes system calls on the job. Both are lent to it: the job until it says that the command runs, the stack
    // until it has been reaped.
    match unsafe { sys::share_memory_beside(init_entry, &job.init_stack, &job.init, job) } {
        Ok(()) => sys::exit(0),
        Err(error) => fail(job, Stage::Fork, 0, error),
    }
}

extern "C" fn init_entry(job: *mut c_void) -> c_int {
    // SAFETY: `outer` passes its own job, which is lent to us.
    init(unsafe { &*job.cast::<Job>() })
}

/// The first process of the namespace, or the keeper of the command where there is none.
fn init(job: &Job) -> ! {
    let (command, signals) = match begin(job) {
        Ok(begun) => begun,
        Err((stage, index, error)) => fail(job, stage, index, error),
    };
    let (news, status, control) = (job.news, job.status, job.control);
    let end = if job.sandbox.space().is_some() { end_namespace } else { rest::end };
    if let Err(error) = close_all_but([signals.as_raw_fd(), news, status, control]) {
        fail(job, Stage::Streams, 0, error);
    }
    // SAFETY: these are open, as they were just left out.
    let [news, status, control] = [news, status, control].map(|fd| unsafe { BorrowedFd::borrow_raw(fd) });
    // Whoever waits for this goes on, and takes the job back: from here on, only the stack is ours.
    let _ = rustix::io::write(news, &News::Started.encode());
    // SAFETY: nobody uses it any more.
    unsafe { rustix::io::close(news.as_raw_fd()) };
    watch(command, end, signals.as_fd(), status, control)
}

/// Puts up the walls and starts the command: its number, and where its end is told.
fn begin(job: &Job) -> Result<(Pid, OwnedFd), (Stage, usize, Errno)> {
    let at = |stage: Stage| move |error: Errno| (stage, 0, error);
    // It has the runtime's memory, so nobody may look into it.
    sys::control(libc::PR_SET_DUMPABLE, 0).map_err(at(Stage::Privileges))?;
    if job.sandbox.space().is_some() {
        mounts::take(&job.steps, &job.slots).map_err(|(index, error)| (Stage::Mount, index, error))?;
        add_late_rules(job).map_err(at(Stage::Landlock))?;
    } else {
        sys::control(libc::PR_SET_CHILD_SUBREAPER, 1).map_err(at(Stage::Fork))?;
        // Out of our group, for whose members a Ctrl-C in our terminal is.
        setsid().map_err(at(Stage::Fork))?;
    }
    if job.drops_privileges {
        drop_privileges().map_err(at(Stage::Privileges))?;
    }
    let signals = sys::child_signals().map_err(at(Stage::Fork))?;
    // SAFETY: `command_entry` makes system calls on the job. It has a stack of its own, and we are suspended until it
    // is another program.
    let command = unsafe { sys::share_memory(command_entry, &job.command_stack, 0, job) };
    Ok((command.map_err(at(Stage::Fork))?, signals))
}

fn add_late_rules(job: &Job) -> Result<(), Errno> {
    let Some(ruleset) = job.ruleset else { return Ok(()) };
    // SAFETY: the descriptor is open until init closes all of them, later.
    let ruleset = unsafe { BorrowedFd::borrow_raw(ruleset) };
    job.late_rules.iter().try_for_each(|rule| rule.add(ruleset))
}

fn close_all_but<const COUNT: usize>(mut kept: [RawFd; COUNT]) -> Answer<()> {
    kept.sort_unstable();
    let mut first = 0;
    for fd in kept {
        sys::close_range(first, fd - 1)?;
        first = fd + 1;
    }
    sys::close_range(first, RawFd::MAX)
}

/// Ends what is left.
type End = fn() -> !;

/// The kernel kills all that are left when the first of them is gone.
fn end_namespace() -> ! {
    sys::exit(0)
}

/// Reaps whatever ends until the command does, and then ends the rest.
fn watch(
    command: Pid,
    end: End,
    signals: BorrowedFd<'_>,
    status: BorrowedFd<'_>,
    control: BorrowedFd<'_>,
) -> ! {
    loop {
        while let Ok(Some((pid, ended))) = wait(WaitOptions::NOHANG) {
            if pid == command {
                let _ = rustix::io::write(status, &ended.as_raw().to_ne_bytes());
                end();
            }
        }
        let mut sources = [PollFd::new(&signals, PollFlags::IN), PollFd::new(&control, PollFlags::IN)];
        let _ = poll(&mut sources, None);
        if !sources[1].revents().is_empty() {
            let mut byte = [0];
            match rustix::io::read(control, &mut byte) {
                Ok(1) if byte[0] != KILL => ask_to_end(byte[0]),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // We want it gone, or are gone ourselves.
                _ => {
                    let _ = rustix::io::write(status, &libc::SIGKILL.to_ne_bytes());
                    end();
                }
            }
        }
        let mut drained = [0; 128];
        let _ = rustix::io::read(signals, &mut drained);
    }
}

/// Asks all processes of the namespace to end, by the signal that init was told. A stopped one hears it only once it goes on.
///
/// Who is not the first of a namespace would reach every process of the machine: it is looked at here, whoever asks.
fn ask_to_end(signal: u8) {
    if getpid() != Pid::INIT {
        return;
    }
    let asked = Signal::from_named_raw(i32::from(signal)).unwrap_or(Signal::TERM);
    for signal in [asked, Signal::CONT] {
        // From the first process of a namespace it reaches all others in it, and only them.
        let _ = kill_process_group(Pid::INIT, signal);
    }
}

extern "C" fn command_entry(job: *mut c_void) -> c_int {
    // SAFETY: `init` passes its own job and is suspended.
    command(unsafe { &*job.cast::<Job>() })
}

/// Becomes the program.
fn command(job: &Job) -> ! {
    sys::reset_signals();
    let stage = match prepare(job) {
        Ok(()) if job.is_trial => sys::exit(0),
        Ok(()) => execute(job),
        Err(failed) => failed,
    };
    fail(job, stage.0, 0, stage.1)
}

fn prepare(job: &Job) -> Result<(), (Stage, Errno)> {
    let at = |stage: Stage| move |error: Errno| (stage, error);
    // Out of our session: whoever is in it can talk to the terminal of the person, and hear what they type.
    setsid().map_err(at(Stage::Streams))?;
    connect(job).map_err(at(Stage::Streams))?;
    enter(&job.cwd).map_err(at(Stage::Cwd))?;
    for (resource, limit) in &job.limits {
        setrlimit(*resource, *limit).map_err(at(Stage::Limits))?;
    }
    if job.drops_privileges {
        sys::control(libc::PR_SET_NO_NEW_PRIVS, 1).map_err(at(Stage::Privileges))?;
    }
    if let Some(ruleset) = job.ruleset {
        sys::landlock_enter(ruleset).map_err(at(Stage::Landlock))?;
    }
    // From here on only what a program could call itself.
    if let Some(filter) = job.sandbox.filter() {
        sys::enter_filter(filter).map_err(at(Stage::Filter))?;
    }
    Ok(())
}

/// Makes a directory the current one. Not by a link of the kernel: what `/proc/self` leads to may be a place of the host, where
/// none of the mounts is.
fn enter(cwd: &CStr) -> Result<(), Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat2(CWD, cwd, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS)?;
    rustix::process::fchdir(&directory)
}

/// Gives the streams their numbers. Of all else that the runtime had open, only what is needed until the program starts stays.
fn connect(job: &Job) -> Result<(), Errno> {
    for (number, fd) in (0..).zip(job.streams) {
        // SAFETY: no memory is passed; the table of descriptors is this process's own.
        if unsafe { libc::dup2(fd, number) } == -1 {
            return Err(sys::last_error());
        }
    }
    if job.is_terminal {
        // SAFETY: it takes a number.
        if unsafe { libc::ioctl(0, libc::TIOCSCTTY, 0) } == -1 {
            return Err(sys::last_error());
        }
    }
    close_all_but([0, 1, 2, job.news, job.ruleset.unwrap_or(job.news), job.kept.unwrap_or(job.news)])?;
    if let Some(kept) = job.kept {
        // SAFETY: no memory is passed.
        if unsafe { libc::fcntl(kept, libc::F_SETFD, 0) } == -1 {
            return Err(sys::last_error());
        }
    }
    Ok(())
}

fn execute(job: &Job) -> (Stage, Errno) {
    let mut worst = Errno::NOENT;
    for program in &job.programs {
        // SAFETY: both lists are made of C strings and end with a null pointer.
        let error = unsafe { sys::execute(program, job.args.pointers.as_ptr(), job.env.pointers.as_ptr()) };
        if error != Errno::NOENT && error != Errno::NOTDIR {
            worst = error;
        }
    }
    (Stage::Exec, worst)
}

/// Says what went wrong, and ends.
fn fail(job: &Job, stage: Stage, index: usize, error: Errno) -> ! {
    // SAFETY: the descriptor is open until this process is another program.
    let news = unsafe { BorrowedFd::borrow_raw(job.news) };
    let _ = rustix::io::write(news, &News::failed(stage, index, error).encode());
    sys::exit(127)
}
