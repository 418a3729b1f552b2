//! System calls for which there is no safe wrapper. Nothing here allocates or takes a lock, so that all of it can be
//! called between `clone` and `exec`.

#![allow(unsafe_code, reason = "these are the calls that the safe wrappers do not have")]

use std::ffi::{CStr, c_int, c_long, c_uint, c_void};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicI32;

use rustix::io::Errno;
use rustix::process::Pid;

/// What a system call answers.
pub(crate) type Answer<T> = Result<T, Errno>;

/// Attributes of a mount, as `mount_setattr` wants them.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// What a Landlock ruleset handles.
#[repr(C)]
pub(crate) struct Handled {
    pub(crate) files: u64,
    pub(crate) network: u64,
    pub(crate) scopes: u64,
}

/// What is allowed beneath a path.
#[repr(C, packed)]
struct Beneath {
    access: u64,
    parent: RawFd,
}

pub(crate) const ATTRIBUTE_READ_ONLY: u64 = 0x1;
pub(crate) const ATTRIBUTE_NO_SUID: u64 = 0x2;
pub(crate) const ATTRIBUTE_NO_DEVICES: u64 = 0x4;

const LANDLOCK_VERSION: u32 = 1;
const LANDLOCK_PATH_BENEATH: c_int = 1;
/// The structure of the first version; each later version added a field.
const HANDLED_BYTES_V1: usize = 8;
const HANDLED_BYTES_V4: usize = 16;

/// Why the last call failed.
pub(crate) fn last_error() -> Errno {
    // What is no number of an error would panic below. A process that shares our memory may not.
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

fn answer(result: c_long) -> Answer<c_long> {
    if result == -1 { Err(last_error()) } else { Ok(result) }
}

/// Sets attributes of a mount and of all below it.
pub(crate) fn set_attributes(fd: BorrowedFd<'_>, set: u64, propagation: u64) -> Answer<()> {
    let attributes = MountAttributes { set, clear: 0, propagation, user_namespace: 0 };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    // SAFETY: the path is a C string, the structure is live, and its size is its own.
    let result = unsafe {
        let (fd, path) = (c_long::from(fd.as_raw_fd()), c"".as_ptr());
        let size = size_of::<MountAttributes>();
        libc::syscall(libc::SYS_mount_setattr, fd, path, c_long::from(flags), &raw const attributes, size)
    };
    answer(result).map(drop)
}

/// Which Landlock the kernel has; nothing where it has none.
pub(crate) fn landlock_version() -> Option<i64> {
    let nothing = ptr::null::<c_void>();
    // SAFETY: with this flag the kernel reads no structure.
    let result = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, c_long::from(LANDLOCK_VERSION))
    };
    answer(result).ok()
}

/// A ruleset that denies what it handles until rules allow it.
pub(crate) fn landlock_ruleset(handled: &Handled, version: i64) -> Answer<OwnedFd> {
    let size = match version {
        ..4 => HANDLED_BYTES_V1,
        4..6 => HANDLED_BYTES_V4,
        _ => size_of::<Handled>(),
    };
    // SAFETY: the structure is live and at least as long as the size says; the result is a new descriptor, ours alone.
    unsafe {
        let fd =
            answer(libc::syscall(libc::SYS_landlock_create_ruleset, &raw const *handled, size, 0_usize))?;
        Ok(OwnedFd::from_raw_fd(c_int::try_from(fd).unwrap_or(-1)))
    }
}

/// Allows this access to a path and what is beneath it.
pub(crate) fn landlock_allow(ruleset: BorrowedFd<'_>, path: BorrowedFd<'_>, access: u64) -> Answer<()> {
    let rule = Beneath { access, parent: path.as_raw_fd() };
    // SAFETY: the structure is live and of the type that the second argument names.
    let result = unsafe {
        let ruleset = c_long::from(ruleset.as_raw_fd());
        let kind = c_long::from(LANDLOCK_PATH_BENEATH);
        libc::syscall(libc::SYS_landlock_add_rule, ruleset, kind, &raw const rule, 0_usize)
    };
    answer(result).map(drop)
}

/// Puts the calling thread, and all it will start, behind a ruleset for good.
pub(crate) fn landlock_enter(ruleset: RawFd) -> Answer<()> {
    // SAFETY: no memory is passed.
    answer(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, c_long::from(ruleset), 0_usize) })
        .map(drop)
}

/// Puts the calling thread, and all it will start, behind a filter for good.
pub(crate) fn enter_filter(filter: &[libc::sock_filter]) -> Answer<()> {
    let Ok(len) = u16::try_from(filter.len()) else { return Err(Errno::INVAL) };
    let program = libc::sock_fprog { len, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program is live, has this length, and the kernel only reads it.
    let result = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            c_long::from(libc::SECCOMP_SET_MODE_FILTER),
            0_usize,
            &raw const program,
        )
    };
    answer(result).map(drop)
}

/// Closes all descriptors from this one to that one.
pub(crate) fn close_range(first: RawFd, last: RawFd) -> Answer<()> {
    let (Ok(first), Ok(last)) = (c_uint::try_from(first), c_uint::try_from(last)) else { return Ok(()) };
    if first > last {
        return Ok(());
    }
    // SAFETY: it is called only in a process that is about to be another program, or that never uses another
    // descriptor: nobody holds an object that believes one of these to be open.
    let result =
        unsafe { libc::syscall(libc::SYS_close_range, c_long::from(first), c_long::from(last), 0_usize) };
    answer(result).map(drop)
}

/// `prctl` with numbers only.
pub(crate) fn control(option: c_int, value: u64) -> Answer<c_int> {
    // SAFETY: the options that are used here take numbers, no addresses.
    let result = unsafe { libc::prctl(option, value, 0_u64, 0_u64, 0_u64) };
    if result == -1 { Err(last_error()) } else { Ok(result) }
}

/// `prctl` for ambient capabilities: drops them all.
pub(crate) fn clear_ambient() -> Answer<()> {
    let clear = u64::from(libc::PR_CAP_AMBIENT_CLEAR_ALL.unsigned_abs());
    control(libc::PR_CAP_AMBIENT, clear).map(drop)
}

/// Gives every signal its usual effect again and blocks none. Handlers of the program that we were must be gone before
/// a signal can come.
pub(crate) fn reset_signals() {
    // SAFETY: an action of zeros is the default one without flags; the calls change nothing but this process's own
    // table, which it shares with nobody.
    unsafe {
        let default: libc::sigaction = std::mem::zeroed();
        for signal in 1..=64 {
            libc::sigaction(signal, &raw const default, ptr::null_mut());
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// Signals as the kernel counts them.
pub(crate) struct Signals(u64);

/// Blocks every signal, and tells which were blocked before. The library's own call would leave out two that it uses itself,
/// and whose handlers must not run in a process that shares our memory either.
pub(crate) fn block_signals() -> Signals {
    Signals(set_blocked(u64::MAX))
}

/// Blocks these signals and no others.
pub(crate) fn restore_signals(before: &Signals) {
    set_blocked(before.0);
}

fn set_blocked(signals: u64) -> u64 {
    let mut before = 0_u64;
    // SAFETY: both sets are live and of the size that is told.
    unsafe {
        let how = c_long::from(libc::SIG_SETMASK);
        let (set, old) = (&raw const signals, &raw mut before);
        libc::syscall(libc::SYS_rt_sigprocmask, how, set, old, size_of::<u64>());
    }
    before
}

/// A descriptor that becomes readable when a child has ended.
pub(crate) fn child_signals() -> Answer<OwnedFd> {
    // SAFETY: the set is live; the result is a new descriptor, ours alone.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        let fd = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd == -1 { Err(last_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// Becomes another program. It returns only if it fails.
///
/// # Safety
///
/// Both lists end with a null pointer, and what they point to are C strings.
pub(crate) unsafe fn execute(
    program: &CStr,
    args: *const *const libc::c_char,
    env: *const *const libc::c_char,
) -> Errno {
    // SAFETY: the caller says so.
    unsafe { libc::execve(program.as_ptr(), args, env) };
    last_error()
}

/// Ends the process at once, without anything that a program does at its end.
pub(crate) fn exit(code: c_int) -> ! {
    // SAFETY: it does not return.
    unsafe { libc::_exit(code) }
}

/// Forks without the library's knowledge. Nothing is returned in the child, which then may call nothing that allocates or
/// locks: another thread may have held any lock at that moment.
pub(crate) fn fork(flags: c_int) -> Answer<Option<Pid>> {
    // SAFETY: without a stack and without shared memory the child goes on with a copy of ours.
    let result =
        unsafe { libc::syscall(libc::SYS_clone, c_long::from(flags), 0_usize, 0_usize, 0_usize, 0_usize) };
    answer(result).map(|pid| Pid::from_raw(c_int::try_from(pid).unwrap_or_default()))
}

/// Room for the frames of a process that shares our memory: it makes system calls, and takes a third of this in a debug build. More would
/// be given back to the kernel after each command, and be asked for again.
pub(crate) const STACK_BYTES: usize = 16 << 10;

/// The lower part of a stack, which nobody should need. Below it is memory of others: debug builds look whether it was left alone.
const SPARE_BYTES: usize = STACK_BYTES / 2;
const UNTOUCHED: u8 = 0xa5;

/// The kernel and the C library want the end of a stack aligned.
const STACK_ALIGN: usize = 64;

/// A stack, on the heap. It is held by a bare pointer: whoever runs on it writes to it, wherever its owner moves.
pub(crate) struct Stack(NonNull<[MaybeUninit<u8>]>);

// SAFETY: it is memory of its own.
unsafe impl Send for Stack {}

impl Stack {
    pub(crate) fn new() -> Self {
        let mut memory = Box::new_uninit_slice(STACK_BYTES);
        if cfg!(debug_assertions) {
            memory[..SPARE_BYTES].fill(MaybeUninit::new(UNTOUCHED));
        }
        Self(NonNull::from(Box::leak(memory)))
    }

    /// Whether nobody has come near its lower end, as far as that is looked at.
    fn had_room(&self) -> bool {
        // SAFETY: it is memory of its own, nobody runs on it any more, and this part of it has been filled.
        let spare = || unsafe { std::slice::from_raw_parts(self.0.cast::<u8>().as_ptr(), SPARE_BYTES) };
        !cfg!(debug_assertions) || spare().iter().all(|byte| *byte == UNTOUCHED)
    }

    /// Its upper end, from which it grows down.
    fn top(&self) -> *mut c_void {
        let end = self.0.cast::<u8>().as_ptr().wrapping_add(self.0.len());
        end.wrapping_sub(end.addr() % STACK_ALIGN).cast()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        debug_assert!(self.had_room(), "a process came to the end of its stack");
        // SAFETY: it comes from a box, and nobody else frees it.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// What a process that shares our memory runs. It gets the argument of [`share_memory`].
pub(crate) type Entry = extern "C" fn(*mut c_void) -> c_int;

/// Runs a function in a process that shares our memory, and waits until it has become another program or has ended, as
/// `posix_spawn` does.
///
/// # Safety
///
/// The function must do nothing but system calls on what `argument` points to, and must not return while it holds
/// something that wants to be dropped. All signals are blocked, so that none of our handlers runs in it.
pub(crate) unsafe fn share_memory<T>(
    run: Entry,
    stack: &Stack,
    flags: c_int,
    argument: *const T,
) -> Answer<Pid> {
    let flags = flags | libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the caller's promise; it is suspended, so that nobody else uses the stack.
    let pid = unsafe { libc::clone(run, stack.top(), flags, argument.cast_mut().cast()) };
    if pid == -1 { Err(last_error()) } else { Pid::from_raw(pid).ok_or(Errno::INVAL) }
}

/// The same for a sibling of ours, without waiting for it. Its number is in `pid` before it runs.
///
/// # Safety
///
/// As for [`share_memory`]; and the stack and what `argument` points to must be left alone until the process has ended.
pub(crate) unsafe fn share_memory_beside<T>(
    run: Entry,
    stack: &Stack,
    pid: &AtomicI32,
    argument: *const T,
) -> Answer<()> {
    let flags = libc::CLONE_PARENT | libc::CLONE_PARENT_SETTID | libc::CLONE_VM | libc::SIGCHLD;
    // SAFETY: the caller's promise; the kernel writes one number to where the atomic one is.
    let made = unsafe { libc::clone(run, stack.top(), flags, argument.cast_mut().cast(), pid.as_ptr()) };
    if made == -1 { Err(last_error()) } else { Ok(()) }
}
