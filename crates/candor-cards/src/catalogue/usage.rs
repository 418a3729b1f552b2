//! The command line was used in a way it does not understand.

use candor_protocol::{Class, Code};

use super::EXIT_USAGE;
use crate::Entry;
use crate::entry::{by_hand, check, run};

pub(super) const UNKNOWN_ARGUMENT: Entry = Entry {
    code: Code::UsageUnknownArgument,
    class: Class::Usage,
    title: "Unknown argument",
    cause: "This command does not know the argument {argument}.\n{detail}",
    steps: &[
        run("{!instead}"),
        check("See which arguments the command takes", "{!help}"),
        by_hand("Correct {argument} or leave it out, then run the command again"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const MISSING_ARGUMENT: Entry = Entry {
    code: Code::UsageMissingArgument,
    class: Class::Usage,
    title: "Missing argument",
    cause: "This command needs {argument}, which was not given.\n{detail}",
    steps: &[
        check("See what {argument} stands for", "{!help}"),
        by_hand("Run the command again with {argument} filled in"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const INVALID_VALUE: Entry = Entry {
    code: Code::UsageInvalidValue,
    class: Class::Usage,
    title: "Value that an argument cannot take",
    cause: "{argument} cannot take the value {value}.\n{detail}",
    steps: &[
        check("See which values {argument} takes", "{!help}"),
        by_hand("Run the command again with another value in place of {value}"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const CONFLICT: Entry = Entry {
    code: Code::UsageConflict,
    class: Class::Usage,
    title: "Arguments that exclude each other",
    cause: "{argument} cannot stand together with another argument that was given.\n{detail}",
    steps: &[
        by_hand("Leave out {argument} or the argument it excludes, then run the command again"),
        check("See what each argument does", "{!help}"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const UNKNOWN_COMMAND: Entry = Entry {
    code: Code::UsageUnknownCommand,
    class: Class::Usage,
    title: "Unknown command",
    cause: "There is no command called {command}.\n{detail}",
    steps: &[
        run("{!instead}"),
        check("See whether {nearest} is the command you want", "candor help {!nearest}"),
        check("See all commands", "{!help}"),
        by_hand("Run it again with the name of the command corrected"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const UNKNOWN_CODE: Entry = Entry {
    code: Code::UsageUnknownCode,
    class: Class::Usage,
    title: "Unknown error code",
    cause: "The catalogue has no error code called {code}.",
    steps: &[
        run("candor errors show {nearest}"),
        check("See every code there is", "candor errors list"),
        by_hand("Write the code as a card shows it after Error Code"),
    ],
    verify: Some("candor errors show {nearest}"),
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const NOT_IN_THIS_BUILD: Entry = Entry {
    code: Code::UsageNotInThisBuild,
    class: Class::Usage,
    title: "Command not in this build",
    cause: "candor {command} is planned, and this build does not have it yet.",
    steps: &[
        check("See which commands this build has", "candor --help"),
        check("See which version this is", "candor --version"),
        by_hand("Install a later version"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const NEEDS_TERMINAL: Entry = Entry {
    code: Code::UsageNeedsTerminal,
    class: Class::Usage,
    title: "No terminal to ask on",
    cause: "candor {command} asks questions, and there is no terminal to ask them on.",
    steps: &[
        by_hand("Give the answers as arguments, then nothing is asked: {flags}"),
        check("See what these arguments take", "candor help {!command}"),
        by_hand("Or run candor {command} in a terminal, without a pipe or a redirection"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};
