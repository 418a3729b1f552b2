//! The log cannot be written or read.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check, run};

pub(super) const OPEN_FAILED: Entry = Entry {
    code: Code::LogOpenFailed,
    class: Class::Runtime,
    title: "Log file cannot be opened",
    cause: "The log file {path} cannot be opened for writing.\nReason: {reason}",
    steps: &[
        run("mkdir -p \"$(dirname {path})\""),
        check("See who may write there", "ls -la \"$(dirname {path})\""),
        by_hand("If it cannot be made writable, name another file with logging.file in the configuration"),
    ],
    verify: Some("test -w \"$(dirname {path})\" && {{ test ! -e {path} || test -w {path}; }}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const WRITE_FAILED: Entry = Entry {
    code: Code::LogWriteFailed,
    class: Class::Runtime,
    title: "Log cannot be written",
    cause: "Writing to the log file {path} failed; lines may be missing from it.\nReason: {reason}",
    steps: &[
        check("See whether the file is there and writable", "ls -ld {path}"),
        check("See whether its disk is there and has room", "df -h \"$(dirname {path})\""),
        by_hand("If it cannot be made writable, name another file with logging.file in the configuration"),
    ],
    verify: Some("test -w {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const DISK_FULL: Entry = Entry {
    code: Code::LogDiskFull,
    class: Class::Resource,
    title: "No room for the log",
    cause: "There is no room left on the disk for the log file {path}. Candor goes on; log lines are lost \
            meanwhile.\nReason: {reason}",
    steps: &[
        check("See how full the disk is", "df -h \"$(dirname {path})\""),
        check("See how much the logs take up", "du -a \"$(dirname {path})\" | sort -n | tail -n 10"),
        by_hand("Delete or move what is not needed; log files with a date in their name may go"),
        by_hand("To keep less from now on, lower logging.rotation.max_days in the configuration"),
    ],
    verify: Some(super::DISK_HAS_ROOM),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const LINES_DROPPED: Entry = Entry {
    code: Code::LogLinesDropped,
    class: Class::Resource,
    title: "Log lines were left out",
    cause: "Lines are missing from {path}: they came faster than they could be written. Lines: {count}.",
    steps: &[
        by_hand("If less detail will do, set logging.level to warn in the configuration"),
        check("See when it happened", "candor logs --event log_dropped"),
        check("See whether the disk is there and has room", "df -h \"$(dirname {path})\""),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const NOT_FOUND: Entry = Entry {
    code: Code::LogNotFound,
    class: Class::Precondition,
    title: "No log to read",
    cause: "There is no log at {path}. Either nothing has been logged yet, or the log is somewhere else.",
    steps: &[
        check("See which file logging.file names and where that was set", "candor config show --origin"),
        check("See what is in the folder", "ls -la \"$(dirname {path})\""),
        by_hand("If the path is right, run something with Candor first, then read the log"),
    ],
    verify: Some("test -r {path}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const DAMAGED: Entry = Entry {
    code: Code::LogDamaged,
    class: Class::Integrity,
    title: "Log has unreadable lines",
    cause: "{path} has lines that are not log lines; they were passed over. Lines: {count}.",
    steps: &[
        check("Read all the others", "candor logs"),
        by_hand("If another program writes to {path} too, give it a file of its own"),
        check("To begin a new log, put this one aside", "mv -n {path} {path}.damaged"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};
