//! Gives up what root, or the maker of a namespace, has. It runs between `clone` and `exec`.

use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use super::sys;

/// The highest number that a capability can have.
const CAPABILITIES_MAX: u64 = 63;

/// Root is nobody special, and nobody can change that: each bit with its lock.
const SECURE_BITS: u64 = 0b1110_1111;

/// Gives up everything that root or the maker of a namespace has.
pub(super) fn drop_privileges() -> Result<(), Errno> {
    match sys::control(libc::PR_SET_SECUREBITS, SECURE_BITS) {
        // Who has no privileges cannot set this, and has nothing to lose either.
        Ok(_) | Err(Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    for capability in 0..=CAPABILITIES_MAX {
        match sys::control(libc::PR_CAPBSET_DROP, capability) {
            Ok(_) => {}
            // There is no such capability, and none above it; or we have none to drop.
            Err(Errno::INVAL | Errno::PERM) => break,
            Err(error) => return Err(error),
        }
    }
    sys::clear_ambient()?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none)?;
    sys::control(libc::PR_SET_NO_NEW_PRIVS, 1).map(drop)
}
