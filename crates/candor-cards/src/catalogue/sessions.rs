//! Something was asked of a session that it cannot do.

use candor_protocol::{Class, Code};

use super::{EXIT_STOPPED, EXIT_USAGE};
use crate::Entry;
use crate::entry::{by_hand, check};

pub(super) const QUEUE_FULL: Entry = Entry {
    code: Code::SessionQueueFull,
    class: Class::Precondition,
    title: "Too many messages wait",
    cause: "{limit} messages wait for session {session} already; yours was not taken.",
    steps: &[
        by_hand("Send it again when some of them have been answered"),
        check("See what the session is at", "candor sessions show {session}"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_STOPPED,
};

pub(super) const EXISTS: Entry = Entry {
    code: Code::SessionExists,
    class: Class::Precondition,
    title: "Session is here already",
    cause: "There is a session {session} in this home already; nothing was imported.",
    steps: &[
        check("See what it holds", "candor sessions show {session}"),
        by_hand("To have both, import with --as-new: the imported one gets an id of its own"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const IMPORT_INVALID: Entry = Entry {
    code: Code::ImportInvalid,
    class: Class::Usage,
    title: "Not an exported session",
    cause: "Line {line} of {path} cannot be imported: {reason}. Nothing was imported.",
    steps: &[
        by_hand("Export the session again where it comes from: candor sessions export ID > FILE"),
        check("See what one looks like", "candor help sessions"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};
