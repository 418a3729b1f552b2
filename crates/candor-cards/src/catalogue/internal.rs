//! Stored data or Candor itself is not in order.

use candor_protocol::{Class, Code};

use super::EXIT_FAILED;
use crate::Entry;
use crate::entry::{by_hand, check, run};

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
