//! Stored data, memory, or Candor itself is not in order.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check, run};

/// Succeeds when a quarter of a gibibyte is left: less is spent by the first program that somebody starts.
const MEMORY_HAS_ROOM: &str = "awk '/^MemAvailable:/ {{ exit $2 < 262144 }}' /proc/meminfo";

pub(super) const STORE_DAMAGED: Entry = Entry {
    code: Code::StoreDamaged,
    class: Class::Integrity,
    title: "Stored data is damaged",
    cause: "{path} cannot be read as what it should be.\nReason: {reason}",
    steps: &[
        check("Keep a copy before anything else", "cp -p {path} {path}.damaged"),
        check("See whether its disk is there and has room", "df -h \"$(dirname {path})\""),
        by_hand("Put a backup in place of {path}, or move {path} away to begin anew without what it held"),
    ],
    verify: Some("candor doctor"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const OUT_OF_MEMORY: Entry = Entry {
    code: Code::OutOfMemory,
    class: Class::Resource,
    title: "Not enough memory",
    cause: "There was not enough memory for {what}.",
    steps: &[
        by_hand("End programs that use much memory, or give this machine or container more"),
        check("See how much is left", "grep -E 'MemAvailable|SwapFree' /proc/meminfo"),
        check("See how much this shell may use", "ulimit -v"),
    ],
    verify: Some(MEMORY_HAS_ROOM),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const PANIC: Entry = Entry {
    code: Code::InternalPanic,
    class: Class::Internal,
    title: "Defect in Candor",
    cause: "Candor came to a place it should never reach. This is a defect in Candor, not something you did.\n\
            Message: {message}\nPlace: {location}",
    steps: &[
        by_hand("Run the same command again"),
        check("See what led to it", "candor logs --level error"),
        check(
            "If it happens again, report it with the message, the place and the version",
            "candor --version",
        ),
        run("candor doctor"),
    ],
    verify: Some("candor doctor"),
    retryable: false,
    exit_code: EXIT_FAILED,
};
