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
//! Nothing here may allocate, lock or panic: other threads of the runtime may have held any lock when it was forked.

#![allow(unsafe_code, reason = "a process is built here call by call")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, WaitOptions, setrlimit, setsid, wait};

use super::landlock::LateRule;
use super::mounts::{self, Step};
use super::privileges::drop_privileges;
use super::space::Space;
use super::sys::{self, Stack};

/// Everything that the processes need, made before the first of them.
pub(crate) struct Job<'s> {
    /// The program, or where it may be.
    pub(crate) programs: Vec<CString>,
    pub(crate) args: List,
    pub(crate) env: List,
    pub(crate) cwd: CString,
    /// Descriptors for standard input, output and error; all above two.
    pub(crate) streams: [RawFd; 3],
    /// Whether they are a terminal, which the command is to control.
    pub(crate) is_terminal: bool,
    /// Descriptors that the command keeps, by the numbers they have; all above two.
    pub(crate) kept: Option<RawFd>,
    pub(crate) limits: Vec<(Resource, Rlimit)>,
    pub(crate) space: Option<&'s Space>,
    pub(crate) steps: Vec<Step>,
    pub(crate) slots: Vec<RawFd>,
    pub(crate) drops_privileges: bool,
    pub(crate) ruleset: Option<RawFd>,
    /// What init adds to the ruleset once it has mounted.
    pub(crate) late_rules: Vec<LateRule>,
    pub(crate) filter: Option<&'s [libc::sock_filter]>,
    /// Where a failed step is told.
    pub(crate) trouble: RawFd,
    /// Where init says how the command ended.
    pub(crate) status: RawFd,
    /// Where init hears from us.
    pub(crate) control: RawFd,
    /// Whether the walls are only tried: then the command ends where it would become the program.
    pub(crate) is_trial: bool,
    pub(crate) inner_stack: Stack,
    /// The process that is waited for: init, or the command where there is none.
    pub(crate) pid: c_int,
}

/// Strings for the kernel: pointers, and what they point to.
pub(crate) struct List {
    _strings: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl List {
    pub(crate) fn new(strings: Vec<CString>) -> Self {
        let pointers = strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Self { _strings: strings, pointers }
    }
}

/// Where a process failed. The numbers travel through a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Stage {
    Enter,
    Separate,
    Fork,
    Mount,
    Privileges,
    Streams,
    Cwd,
    Limits,
    Landlock,
    Filter,
    Exec,
}

impl Stage {
    pub(crate) const ALL: [Self; 11] = [
        Self::Enter,
        Self::Separate,
        Self::Fork,
        Self::Mount,
        Self::Privileges,
        Self::Streams,
        Self::Cwd,
        Self::Limits,
        Self::Landlock,
        Self::Filter,
        Self::Exec,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Enter => "enter the session's namespaces",
            Self::Separate => "make namespaces",
            Self::Fork => "start a process in them",
            Self::Mount => "mount",
            Self::Privileges => "give up privileges",
            Self::Streams => "connect the streams",
            Self::Cwd => "enter the directory",
            Self::Limits => "set limits",
            Self::Landlock => "enter the Landlock rules",
            Self::Filter => "enter the filter on system calls",
            Self::Exec => "start the program",
        }
    }
}

/// What travels: a stage, the number of a mount step, an error.
pub(crate) const TROUBLE_BYTES: usize = 12;

const NAMESPACES: c_int = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;

/// Starts it all. Runs in a process that shares the runtime's memory.
pub(crate) extern "C" fn outer(job: *mut c_void) -> c_int {
    // SAFETY: the caller passes a `Job` and is suspended until we are gone or another program.
    let job = unsafe { &mut *job.cast::<Job<'_>>() };
    let Some(space) = job.space else {
        if job.drops_privileges
            && let Err(error) = drop_privileges()
        {
            fail(job, Stage::Privileges, 0, error);
        }
        command(job);
    };
    if let Err(error) = space.enter() {
        fail(job, Stage::Enter, 0, error);
    }
    // SAFETY: no memory is passed.
    if unsafe { libc::unshare(NAMESPACES) } != 0 {
        fail(job, Stage::Separate, 0, errno());
    }
    match sys::fork(libc::CLONE_PARENT | libc::SIGCHLD) {
        Ok(0) => init(job),
        Ok(pid) => job.pid = pid,
        Err(error) => fail(job, Stage::Fork, 0, error),
    }
    sys::exit(0)
}

/// The first process of the namespace. It has a copy of the runtime's memory, so nobody may look into it.
fn init(job: &mut Job<'_>) -> ! {
    if let Err(error) = sys::control(libc::PR_SET_DUMPABLE, 0) {
        fail(job, Stage::Privileges, 0, error);
    }
    if let Err((index, error)) = mounts::take(&job.steps, &mut job.slots) {
        fail(job, Stage::Mount, index, error);
    }
    if let Err(error) = add_late_rules(job) {
        fail(job, Stage::Landlock, 0, error);
    }
    if let Err(error) = drop_privileges() {
        fail(job, Stage::Privileges, 0, error);
    }
    let argument: *mut Job<'_> = job;
    // SAFETY: `command_entry` makes system calls on the job. It has a stack of its own, and we are suspended until it
    // is another program.
    let started = unsafe { sys::share_memory(command_entry, &mut (*argument).inner_stack, 0, argument) };
    let command = match started.map(Pid::from_raw) {
        Ok(Some(pid)) => pid,
        Ok(None) => fail(job, Stage::Fork, 0, Errno::INVAL),
        Err(error) => fail(job, Stage::Fork, 0, error),
    };
    let (low, high) = (job.status.min(job.control), job.status.max(job.control));
    let closed = [(0, low - 1), (low + 1, high - 1), (high + 1, c_int::MAX)];
    if closed.into_iter().any(|(first, last)| sys::close_range(first, last).is_err()) {
        // The pipe for trouble may be closed: to end is all that can be done, and it ends the command.
        sys::exit(1);
    }
    // SAFETY: both descriptors are open, as they were just left out.
    let (status, control) =
        unsafe { (BorrowedFd::borrow_raw(job.status), BorrowedFd::borrow_raw(job.control)) };
    watch(command, status, control)
}

fn add_late_rules(job: &Job<'_>) -> Result<(), Errno> {
    let Some(ruleset) = job.ruleset else { return Ok(()) };
    // SAFETY: the descriptor is open until init closes all of them, later.
    let ruleset = unsafe { BorrowedFd::borrow_raw(ruleset) };
    job.late_rules.iter().try_for_each(|rule| rule.add(ruleset))
}

/// Reaps whatever ends until the command does, and then ends the namespace.
fn watch(command: Pid, status: BorrowedFd<'_>, control: BorrowedFd<'_>) -> ! {
    let Ok(signals) = sys::child_signals() else { sys::exit(1) };
    loop {
        while let Ok(Some((pid, ended))) = wait(WaitOptions::NOHANG) {
            if pid == command {
                let _ = rustix::io::write(status, &ended.as_raw().to_ne_bytes());
                sys::exit(0);
            }
        }
        let mut sources = [PollFd::new(&signals, PollFlags::IN), PollFd::new(&control, PollFlags::IN)];
        let _ = poll(&mut sources, None);
        if !sources[1].revents().is_empty() {
            let mut byte = [0];
            match rustix::io::read(control, &mut byte) {
                Ok(1) => ask_to_end(c_int::from(byte[0])),
                Err(Errno::INTR | Errno::AGAIN) => {}
                _ => sys::exit(0),
            }
        }
        let mut drained = [0; 128];
        let _ = rustix::io::read(&signals, &mut drained);
    }
}

/// Asks all processes of the namespace to end, by the signal that init was told. A stopped one hears it only once it goes on.
fn ask_to_end(signal: c_int) {
    for signal in [signal, libc::SIGCONT] {
        // SAFETY: no memory is passed; from the first process of a namespace it reaches all others in it, and only them.
        unsafe { libc::kill(-1, signal) };
    }
}

extern "C" fn command_entry(job: *mut c_void) -> c_int {
    // SAFETY: `init` passes its own job and is suspended.
    command(unsafe { &mut *job.cast::<Job<'_>>() })
}

/// Becomes the program.
fn command(job: &mut Job<'_>) -> ! {
    sys::reset_signals();
    let stage = match prepare(job) {
        Ok(()) if job.is_trial => sys::exit(0),
        Ok(()) => execute(job),
        Err(failed) => failed,
    };
    fail(job, stage.0, 0, stage.1)
}

fn prepare(job: &Job<'_>) -> Result<(), (Stage, Errno)> {
    let at = |stage: Stage| move |error: Errno| (stage, error);
    // Out of our session: whoever is in it can talk to the terminal of the person, and hear what they type.
    setsid().map_err(at(Stage::Streams))?;
    connect(job).map_err(at(Stage::Streams))?;
    rustix::process::chdir(job.cwd.as_c_str()).map_err(at(Stage::Cwd))?;
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
    if let Some(filter) = job.filter {
        sys::enter_filter(filter).map_err(at(Stage::Filter))?;
    }
    Ok(())
}

/// Gives the streams their numbers. All other descriptors close when the program starts.
fn connect(job: &Job<'_>) -> Result<(), Errno> {
    for (number, fd) in (0..).zip(job.streams) {
        // SAFETY: no memory is passed; the table of descriptors is this process's own.
        if unsafe { libc::dup2(fd, number) } == -1 {
            return Err(errno());
        }
    }
    if job.is_terminal {
        // SAFETY: it takes a number.
        if unsafe { libc::ioctl(0, libc::TIOCSCTTY, 0) } == -1 {
            return Err(errno());
        }
    }
    sys::close_on_exec(3)?;
    if let Some(kept) = job.kept {
        // SAFETY: no memory is passed.
        if unsafe { libc::fcntl(kept, libc::F_SETFD, 0) } == -1 {
            return Err(errno());
        }
    }
    Ok(())
}

fn execute(job: &Job<'_>) -> (Stage, Errno) {
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
fn fail(job: &Job<'_>, stage: Stage, index: usize, error: Errno) -> ! {
    let mut bytes = [0; TROUBLE_BYTES];
    let index = i32::try_from(index).unwrap_or(i32::MAX);
    for (to, from) in bytes.chunks_exact_mut(4).zip([stage as i32, index, error.raw_os_error()]) {
        to.copy_from_slice(&from.to_ne_bytes());
    }
    // SAFETY: the descriptor is open until this process is another program.
    let _ = rustix::io::write(unsafe { BorrowedFd::borrow_raw(job.trouble) }, &bytes);
    sys::exit(127)
}

fn errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
