//! Ends all that a command has left, where no namespace does.
//!
//! It runs in the keeper, who gets every process of the call that loses its parent: so all of them are its children or will be,
//! whatever session, group or environment they gave themselves. None of them is reaped by anybody else, so that a number is that
//! process's own for as long as it is signalled here. As in `child.rs`, nothing is allocated, and no call knows `errno`.

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};

use super::sys;

/// Those who have this thread for their parent: numbers with a blank behind each.
const CHILDREN: &std::ffi::CStr = c"/proc/thread-self/children";
/// What is read of them at a time; there may be more, and the next round has those.
const ROUND_BYTES: usize = 4096;

/// What a keeper ends with that leaves nobody behind.
pub(super) const NOBODY_LEFT: i32 = 0;
/// What it ends with where it cannot see, or not kill, who is left.
const SOMEBODY_LEFT: i32 = 1;

/// Kills the children until there are none, and ends.
pub(super) fn end() -> ! {
    while kill_children() {
        // One at least is about to end.
        if matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {
            break;
        }
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }
    let is_any_left = !matches!(wait(WaitOptions::NOHANG), Err(Errno::CHILD));
    sys::exit(if is_any_left { SOMEBODY_LEFT } else { NOBODY_LEFT })
}

/// Kills those that are there now. False: there are none, or none that is ours to kill.
fn kill_children() -> bool {
    let mut text = [0; ROUND_BYTES];
    let opened = openat(CWD, CHILDREN, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    let read = opened.and_then(|children| rustix::io::read(&children, &mut text)).unwrap_or(0);
    let mut is_any = false;
    let mut number = 0_i32;
    for byte in text.iter().take(read) {
        if byte.is_ascii_digit() {
            number = number.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
        } else {
            // A number that the end of the buffer cut in two has no blank behind it, and is left to the next round.
            if let Some(child) = Pid::from_raw(number).filter(|_| number > 1) {
                is_any |= kill_process(child, Signal::KILL).is_ok();
            }
            number = 0;
        }
    }
    is_any
}
