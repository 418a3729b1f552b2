//! Hooks that cannot be used, and those that stand in the way.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check};

pub(super) const FILE_INVALID: Entry = Entry {
    code: Code::HookFileInvalid,
    class: Class::Config,
    title: "A hook is left out",
    cause: "{path}: {entry} is left out, and everything else works on.\n{reason}",
    steps: &[by_hand("Correct it in {path}"), check("See what else is wrong", "candor hooks check")],
    verify: Some("candor hooks check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const UNTRUSTED: Entry = Entry {
    code: Code::HookUntrusted,
    class: Class::Precondition,
    title: "Hooks that nobody has trusted",
    cause: "{path} came with this folder, and a person has not trusted its hooks, or they have changed since.",
    steps: &[by_hand("Read {path}"), check("See what would run, and trust it on a terminal", "candor trust")],
    verify: Some("candor hooks list"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const BLOCKED: Entry = Entry {
    code: Code::HookBlocked,
    class: Class::Policy,
    title: "A hook says no",
    cause: "The {event} hook `{hook}`:\n{reason}",
    steps: &[by_hand("Do what it says"), check("See all hooks", "candor hooks list")],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const FAILED: Entry = Entry {
    code: Code::HookFailed,
    class: Class::Precondition,
    title: "A hook could not be asked",
    cause: "Nothing goes on without the {event} hook `{hook}`:\n{reason}",
    steps: &[
        by_hand("Repair it, give it more time (`timeout`), or take it out of its file"),
        check("See where it stands", "candor hooks list"),
    ],
    verify: Some("candor hooks check"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};
