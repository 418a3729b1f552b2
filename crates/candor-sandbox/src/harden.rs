//! Makes our own process a poor source of secrets.

#![allow(
    unsafe_code,
    reason = "changing the environment is unsafe where there are threads, and so are the actions of signals"
)]

use std::ffi::OsString;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::Error;

/// Whatever begins with one of these tells the loader of a program what else to load.
const LOADER_PREFIXES: [&str; 2] = ["LD_", "DYLD_"];

/// Makes our own process a poor source of secrets: other processes of the same user cannot look into it, it leaves no
/// dump when it crashes, and what it starts loads nothing of somebody else's choice. It also hears how its children end,
/// whatever its own parent has asked the kernel for.
///
/// It must be called at the beginning of `main`, before there is another thread.
pub fn harden() -> Result<(), Error> {
    hear_of_children();
    #[cfg(not(elsewhere))]
    crate::walls::sys::control(libc::PR_SET_DUMPABLE, 0)
        .map_err(|error| Error::wall("forbid dumps", error))?;
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).map_err(|error| Error::wall("forbid dumps", error))?;
    #[expect(
        clippy::disallowed_methods,
        reason = "names are looked at to remove variables, not to read settings"
    )]
    let names = std::env::vars_os().map(|(name, _)| name);
    let is_loaders = |name: &OsString| {
        LOADER_PREFIXES.iter().any(|prefix| name.as_encoded_bytes().starts_with(prefix.as_bytes()))
    };
    let loaders: Vec<_> = names.filter(is_loaders).collect();
    for name in loaders {
        // SAFETY: the caller says that there is no other thread.
        unsafe { std::env::remove_var(name) };
    }
    Ok(())
}

/// Lets the end of a child be told. Whoever started us may have asked the kernel to forget children, and that is inherited.
fn hear_of_children() {
    // SAFETY: an action of zeros is the default one without flags.
    unsafe {
        let default: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGCHLD, &raw const default, std::ptr::null_mut());
    }
}

/// Whether whoever started us wants a hangup to be ignored, as `nohup` does. Asked before anybody here listens to it.
pub fn hangup_is_ignored() -> bool {
    // SAFETY: nothing is changed, and what is asked for goes to a structure of its own.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    }
}
