//! A secret that the configuration names cannot be had.

use candor_protocol::{Class, Code};

use super::EXIT_FAILED;
use crate::Entry;
use crate::entry::{by_hand, check};

pub(super) const MISSING: Entry = Entry {
    code: Code::SecretMissing,
    class: Class::Auth,
    title: "Secret is not set",
    cause: "{key} takes its secret from the environment variable {variable}, which is not set.",
    steps: &[
        by_hand("Set {variable} where Candor is started: export it in the shell, or add it to the service"),
        check("See whether it is set, without showing it", "printenv {variable} > /dev/null && echo set"),
        check("See where {key} was configured to come from", "candor config show --origin"),
    ],
    verify: Some("printenv {variable} > /dev/null"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const FILE_UNREADABLE: Entry = Entry {
    code: Code::SecretFileUnreadable,
    class: Class::Auth,
    title: "Secret file cannot be read",
    cause: "{key} takes its secret from the file {path}, which cannot be read.\nReason: {reason}",
    steps: &[
        check("See whether it is there and who may read it", "ls -ld {path}"),
        check("If it is yours, let yourself read it and nobody else", "chmod 600 {path}"),
        by_hand("If the secret is in another file, correct the path that {key} gives"),
    ],
    verify: Some("test -r {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

// The commands below run the user's own line through `sh -c` with its output thrown away: typed as it is, it would
// show the secret on the screen and leave it in the scrollback.

pub(super) const COMMAND_FAILED: Entry = Entry {
    code: Code::SecretCommandFailed,
    class: Class::Auth,
    title: "Secret command failed",
    cause: "{key} takes its secret from a command, and the command failed.\nCommand: {command}\nReason: {reason}",
    steps: &[
        check("Run it by hand and read what it complains about", "sh -c {command} > /dev/null"),
        by_hand("Unlock or install what the command needs, or correct the command that {key} gives"),
    ],
    verify: Some("sh -c {command} > /dev/null"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const COMMAND_TIMEOUT: Entry = Entry {
    code: Code::SecretCommandTimeout,
    class: Class::Auth,
    title: "Secret command took too long",
    cause: "{key} takes its secret from a command, which was stopped because it had not ended after {limit}.\n\
            Command: {command}",
    steps: &[
        check(
            "Run it by hand and see whether it waits for an answer, such as a passphrase",
            "sh -c {command} > /dev/null",
        ),
        by_hand("Unlock what the command needs beforehand, so that it has nothing to ask"),
        by_hand("Or let {key} come from a file or an environment variable"),
    ],
    verify: Some("sh -c {command} > /dev/null < /dev/null"),
    retryable: false,
    exit_code: EXIT_FAILED,
};
