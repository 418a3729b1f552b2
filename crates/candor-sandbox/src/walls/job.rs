//! What the processes between `clone` and `exec` work with.

#![allow(unsafe_code, reason = "it is lent to processes that share our memory")]

use std::cell::Cell;
use std::ffi::{CString, c_char};
use std::fmt;
use std::os::fd::RawFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicI32;

use rustix::process::{Resource, Rlimit};

use super::landlock::LateRule;
use super::mounts::Step;
use super::sys::Stack;
use crate::sandbox::Sandbox;

/// Everything that the processes need, made before the first of them.
pub(crate) struct Job {
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
    /// Its namespaces, its filter.
    pub(crate) sandbox: Sandbox,
    pub(crate) steps: Vec<Step>,
    /// Trees that init keeps while it mounts.
    pub(crate) slots: Vec<Cell<RawFd>>,
    pub(crate) drops_privileges: bool,
    pub(crate) ruleset: Option<RawFd>,
    /// What init adds to the ruleset once it has mounted.
    pub(crate) late_rules: Vec<LateRule>,
    /// Where it is told that the command was started, or which step failed.
    pub(crate) news: RawFd,
    /// Where init says how the command ended.
    pub(crate) status: RawFd,
    /// Where init hears from us.
    pub(crate) control: RawFd,
    /// Whether the walls are only tried: then the command ends where it would become the program.
    pub(crate) is_trial: bool,
    pub(crate) outer_stack: Stack,
    pub(crate) init_stack: Stack,
    pub(crate) command_stack: Stack,
    /// The number of init, written by the kernel before it runs.
    pub(crate) init: AtomicI32,
}

/// Strings for the kernel: pointers, and what they point to.
pub(crate) struct List {
    _strings: Vec<CString>,
    pub(super) pointers: Vec<*const c_char>,
}

impl List {
    pub(crate) fn new(strings: Vec<CString>) -> Self {
        let pointers = strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Self { _strings: strings, pointers }
    }
}

// SAFETY: the pointers lead to strings that the list owns itself, and that nobody changes.
unsafe impl Send for List {}

/// Something in memory that a process shares with us, and works with. It is freed only when it is taken back: to lose a few
/// pages is better than to pull them from under a process.
pub(crate) struct Lent<T>(NonNull<T>);

// SAFETY: only the owner takes it back, and until then all of us only look at it.
unsafe impl<T: Send> Send for Lent<T> {}

impl<T> Lent<T> {
    pub(crate) fn new(thing: T) -> Self {
        Self(NonNull::from(Box::leak(Box::new(thing))))
    }

    /// The thing itself.
    pub(crate) fn look(&self) -> &T {
        // SAFETY: it is not freed before it is taken back. What changes in it meanwhile are cells.
        unsafe { self.0.as_ref() }
    }

    /// Has it again for oneself.
    ///
    /// # Safety
    ///
    /// Nobody may work with it any more: the processes that did have been reaped, have become another program, or have said
    /// that they are through with it.
    pub(crate) unsafe fn take_back(self) -> T {
        // SAFETY: it comes from a box, and as we have it no more, nobody frees it twice.
        *unsafe { Box::from_raw(self.0.as_ptr()) }
    }
}

impl<T> fmt::Debug for Lent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").finish_non_exhaustive()
    }
}
