//! Makes our own process a poor source of secrets.

#![allow(unsafe_code, reason = "changing the environment is unsafe where there are threads")]

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::Error;
use crate::walls::sys;

/// Whatever begins with this tells the loader of a program what else to load.
const LOADER_PREFIX: &str = "LD_";

/// Makes our own process a poor source of secrets: other processes of the same user cannot look into it, it leaves no
/// dump when it crashes, and what it starts loads nothing of somebody else's choice. It also hears how its children end,
/// whatever its own parent has asked the kernel for.
///
/// It must be called at the beginning of `main`, before there is another thread.
pub fn harden() -> Result<(), Error> {
    sys::hear_of_children();
    sys::control(libc::PR_SET_DUMPABLE, 0).map_err(|error| Error::wall("forbid dumps", error))?;
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).map_err(|error| Error::wall("forbid dumps", error))?;
    #[expect(
        clippy::disallowed_methods,
        reason = "names are looked at to remove variables, not to read settings"
    )]
    let names = std::env::vars_os().map(|(name, _)| name);
    let loaders: Vec<_> =
        names.filter(|name| name.as_encoded_bytes().starts_with(LOADER_PREFIX.as_bytes())).collect();
    for name in loaders {
        // SAFETY: the caller says that there is no other thread.
        unsafe { std::env::remove_var(name) };
    }
    Ok(())
}
