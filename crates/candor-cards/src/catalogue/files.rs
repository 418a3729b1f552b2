//! The home folder, and files and disks in general.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check, run};

pub(super) const HOME_NOT_FOUND: Entry = Entry {
    code: Code::HomeNotFound,
    class: Class::Precondition,
    title: "No home folder",
    cause: "Neither CANDOR_HOME nor HOME is set, so there is no folder for the files of Candor.",
    steps: &[
        by_hand("Set CANDOR_HOME, where Candor is started, to a folder it may write to"),
        check("See what is set now", "env | grep HOME"),
        run("candor config path"),
    ],
    verify: Some("candor config path"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const HOME_NOT_WRITABLE: Entry = Entry {
    code: Code::HomeNotWritable,
    class: Class::Precondition,
    title: "Home folder cannot be written to",
    cause: "Candor keeps its files in {path} and cannot write there.\nReason: {reason}",
    steps: &[
        run("mkdir -p {path} && chmod 700 {path}"),
        check("If that failed, see who owns the folder", "ls -ld {path}"),
        by_hand("If it cannot be yours, set CANDOR_HOME to a folder that is"),
    ],
    verify: Some("test -d {path} && test -w {path}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const HOME_NOT_PRIVATE: Entry = Entry {
    code: Code::HomeNotPrivate,
    class: Class::Policy,
    title: "Home folder is open to others",
    cause: "The mode {mode} of {path} lets other users of this machine in, and the configuration and the logs \
            are there.",
    steps: &[run("chmod 700 {path}"), check("See who may enter it now", "ls -ld {path}")],
    verify: Some("ls -ldL {path} | grep -q '^d...------'"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_FOUND: Entry = Entry {
    code: Code::FileNotFound,
    class: Class::Runtime,
    title: "File not found",
    cause: "{path} does not exist.\nReason: {reason}",
    steps: &[
        check("See what is in that folder", "ls -la \"$(dirname {path})\""),
        by_hand("Correct the path, or put the file there"),
    ],
    verify: Some("test -e {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const PERMISSION: Entry = Entry {
    code: Code::FilePermission,
    class: Class::Runtime,
    title: "No permission for a file",
    cause: "This user has no permission to use {path} in this way.\nReason: {reason}",
    steps: &[
        check("See who owns it and who may use it", "ls -ld {path} \"$(dirname {path})\""),
        check("See which user you are", "id"),
        check("If it is yours, let yourself read and write it", "chmod u+rw {path}"),
        by_hand("If it is not, ask its owner, or use a path of your own"),
    ],
    verify: Some("test -r {path} && test -w {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const IS_DIRECTORY: Entry = Entry {
    code: Code::FileIsDirectory,
    class: Class::Runtime,
    title: "Folder where a file is needed",
    cause: "{path} is a folder, and a file is needed.\nReason: {reason}",
    steps: &[
        check("See what is in it", "ls -la {path}"),
        by_hand("Name a file in {path} instead of the folder itself"),
    ],
    verify: Some("test -f {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_UTF8: Entry = Entry {
    code: Code::FileNotUtf8,
    class: Class::Runtime,
    title: "File is not UTF-8",
    cause: "{path} holds bytes that are not UTF-8 text.\nReason: {reason}",
    steps: &[
        check("See where the first such byte is", "iconv -f UTF-8 -t UTF-8 {path} > /dev/null"),
        by_hand("If it is text, open {path} in an editor and save it in the encoding UTF-8"),
        by_hand("If it is not text, name another file"),
    ],
    verify: Some("iconv -f UTF-8 -t UTF-8 {path} > /dev/null"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const TOO_LARGE: Entry = Entry {
    code: Code::FileTooLarge,
    class: Class::Resource,
    title: "File is too large",
    cause: "{path} is larger, or would become larger, than is allowed here.\nReason: {reason}",
    steps: &[
        check("See how large it is", "ls -l {path}"),
        check("See how large a file this shell may write", "ulimit -f"),
        by_hand("Use a smaller file, or have the limit raised"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const EXISTS: Entry = Entry {
    code: Code::FileExists,
    class: Class::Runtime,
    title: "File exists already",
    cause: "{path} exists already and was left as it is.\nReason: {reason}",
    steps: &[
        check("See what it is", "ls -ld {path}"),
        check("If it may go, put it aside", "mv -n {path} {path}.old"),
        by_hand("If it must stay, name another path"),
    ],
    verify: Some("test ! -e {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const IO: Entry = Entry {
    code: Code::FileIo,
    class: Class::Runtime,
    title: "Reading or writing failed",
    cause: "Reading or writing {path} failed.\nReason: {reason}",
    steps: &[
        check("See what it is and who may use it", "ls -ld {path}"),
        by_hand("If it is of another kind than the reason asks for, name a path of that kind"),
        check("Else see whether its disk is there and has room", "df -h \"$(dirname {path})\""),
        by_hand(
            "If the reason names an input/output error, save what matters from that disk and have it checked",
        ),
    ],
    // A pipe or a device is not opened: that may wait for ever.
    verify: Some("test -f {path} && head -c 1 {path} > /dev/null || ls {path}/ > /dev/null"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const DISK_FULL: Entry = Entry {
    code: Code::DiskFull,
    class: Class::Resource,
    title: "Disk is full",
    cause: "There is no room left on the disk, or in the quota, for {path}.\nReason: {reason}",
    steps: &[
        check("See how full the disk is", "df -h \"$(dirname {path})\""),
        check(
            "See what takes up the most in that folder",
            "du -a \"$(dirname {path})\" | sort -n | tail -n 10",
        ),
        by_hand("Delete or move what is not needed, then do the same again"),
    ],
    verify: Some(super::DISK_HAS_ROOM),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const DISK_READ_ONLY: Entry = Entry {
    code: Code::DiskReadOnly,
    class: Class::Runtime,
    title: "Disk is read-only",
    cause: "{path} is on a disk that nothing can be written to.\nReason: {reason}",
    steps: &[
        by_hand("Use a path on another disk; for the files of Candor itself, set CANDOR_HOME to one"),
        check("See which disk this is", "df -h \"$(dirname {path})\""),
        by_hand(
            "If it should be writable, have it checked before it is mounted again: disk errors can cause this",
        ),
    ],
    verify: Some("test -w \"$(dirname {path})\""),
    retryable: false,
    exit_code: EXIT_FAILED,
};
