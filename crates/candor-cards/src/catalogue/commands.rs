//! A command of somebody else failed, and nothing more is known than how it ended and what it said; and the recipes that know more.
//!
//! The exit code on such a card is the command's own.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check, run};

pub(super) const FAILED: Entry = Entry {
    code: Code::CommandFailed,
    class: Class::Runtime,
    title: "Command failed",
    cause: "{what} ended with exit code {exit}.\n{said}",
    steps: &[
        check("Check the command's syntax and arguments", "{program} --help"),
        check("Check that what it works on is here and ready", "pwd && ls -la"),
        by_hand("Review the {lines} above: change what they name, then run it again: {command}"),
        by_hand(
            "Have {silent} say more, with an option such as --verbose, or bash -x for a script, then run it again: {command}",
        ),
        check("If these words are in none of the languages you read, have it speak English", "{!english}"),
    ],
    verify: Some("{!command}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_FOUND: Entry = Entry {
    code: Code::CommandNotFound,
    class: Class::Precondition,
    title: "Command not found",
    cause: "The shell found no program to run (exit code 127).\n{said}",
    steps: &[
        check("See whether the program is installed under this name", "command -v {program}"),
        check("See where programs are looked for", "printenv PATH"),
        by_hand("Install the program, or write its path, then run it again: {command}"),
    ],
    verify: Some("{!command}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const NOT_EXECUTABLE: Entry = Entry {
    code: Code::CommandNotExecutable,
    class: Class::Precondition,
    title: "Command cannot be executed",
    cause: "The program was found but could not be executed (exit code 126).\n{said}",
    steps: &[
        check("See whether it may be executed", "ls -l \"$(command -v {program})\""),
        check(
            "See what kind of file it is: a program for this machine, or a script with a first line that names its interpreter",
            "head -n 1 \"$(command -v {program})\"",
        ),
        by_hand("Make it executable, or run it with its interpreter, then run it again: {command}"),
    ],
    verify: Some("{!command}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const KILLED: Entry = Entry {
    code: Code::CommandKilled,
    class: Class::Resource,
    title: "Command was killed",
    cause: "{what} was ended by {signal} (exit code {exit}).\n{said}",
    steps: &[
        check("See whether memory ran out", "head -n 3 /proc/meminfo"),
        by_hand("Give it more memory or less to do at once (fewer parallel jobs, smaller input)"),
        by_hand("Run it again: {command}"),
    ],
    verify: Some("{!command}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const CRASHED: Entry = Entry {
    code: Code::CommandCrashed,
    class: Class::Runtime,
    title: "Command crashed",
    cause: "{what} was ended by {signal} (exit code {exit}).\n{said}",
    steps: &[
        by_hand("Run it once more, to see whether it always crashes: {command}"),
        check("See which version it is, and whether there is a newer one", "{program} --version"),
        by_hand("Find the input that makes it crash by leaving parts of it out"),
    ],
    verify: Some("{!command}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const TERMINATED: Entry = Entry {
    code: Code::CommandTerminated,
    class: Class::Runtime,
    title: "Command was asked to end",
    cause: "{what} was ended by {signal} (exit code {exit}).\n{said}",
    steps: &[
        by_hand("Find who ended it: a time limit, a service manager, or a person"),
        by_hand("Run it again, with a longer limit if there was one: {command}"),
    ],
    verify: Some("{!command}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const INTERRUPTED: Entry = Entry {
    code: Code::CommandInterrupted,
    class: Class::Runtime,
    title: "Command was interrupted",
    cause: "{what} was ended by {signal} (exit code {exit}).\n{said}",
    steps: &[by_hand("See what it had done so far before you go on"), by_hand("Run it again: {command}")],
    verify: Some("{!command}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const TIMED_OUT: Entry = Entry {
    code: Code::CommandTimedOut,
    class: Class::Resource,
    title: "Command took too long",
    cause: "{what} was ended because it had not finished after {limit}.\n{said}",
    steps: &[
        by_hand("See that it does not wait for input, for a lock, or for a server that does not answer"),
        by_hand("If it is meant to run on, such as a server, start it in the background instead"),
        by_hand("Run it again with a longer limit: {command}"),
    ],
    verify: Some("{!command}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const RECIPE_INVALID: Entry = Entry {
    code: Code::RecipeInvalid,
    class: Class::Config,
    title: "Recipe file not usable",
    cause: "The recipes in {path} are left out; all others work on.\n{problems}",
    steps: &[
        check("See what is wrong, and where", "candor errors check {path}"),
        by_hand("Correct the lines it names; docs/recipes.md explains every key"),
        run("candor errors check {path}"),
    ],
    verify: Some("candor errors check {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const HARNESS_NO_IDS: Entry = Entry {
    code: Code::HarnessNoIds,
    class: Class::Precondition,
    title: "No context to run the harness with",
    cause: "The context pack of {path} is missing or empty, and a sync did not make one.",
    steps: &[
        run("candor ctx create -s {path}"),
        run("candor ctx sync -s {path}"),
        check("See that the pack has chunks", "candor ctx stats -s {path}"),
    ],
    verify: Some("candor ctx stats -s {path}"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const HARNESS_INVALID: Entry = Entry {
    code: Code::HarnessInvalid,
    class: Class::Config,
    title: "Scenarios of the harness not usable",
    cause: "The scenarios in {path} cannot be read.\n{problem}",
    steps: &[
        check("See the place that is named above", "cat {path}"),
        by_hand(
            "Correct it: a list `scenarios`, each with `name` and `run`, and optionally `required`, `timeout` and `expect`",
        ),
        check("See what the harness takes", "candor harness --help"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};
