//! Something is wrong with a segment or its context pack. The steps of each card, run as they are, repair it.

use candor_protocol::{Class, Code};

use super::EXIT_FAILED;
use crate::Entry;
use crate::entry::{by_hand, check, run};

pub(super) const PATH: Entry = Entry {
    code: Code::InvalidSegmentPath,
    class: Class::Precondition,
    title: "Not a segment's folder",
    cause: "{path} cannot be a segment.\nReason: {reason}",
    steps: &[
        check("If the folder should be there, make it", "mkdir -p {missing}"),
        check("See what is there", "ls -ld {path}"),
        check(
            "Move it out of the way, so that a folder can be made in its place",
            "mv {inside} {inside}.old",
        ),
        by_hand("If another folder was meant, name that one after -s"),
    ],
    verify: Some("test -d {missing}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_INITIALIZED: Entry = Entry {
    code: Code::SegmentNotInitialized,
    class: Class::Precondition,
    title: "Segment is not initialized",
    cause: "Segment directory exists but is not initialized.\nMissing: _ctx/candor_config.json",
    steps: &[
        run("candor ctx create -s {path}"),
        check("Verify prime file was created", "ls {path}/_ctx/prime_*.md"),
        run("candor ctx sync -s {path}"),
    ],
    verify: Some("candor ctx validate -s {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const CONFIG_INVALID: Entry = Entry {
    code: Code::SegmentConfigInvalid,
    class: Class::Config,
    title: "Segment's configuration cannot be used",
    cause: "{path}/_ctx/candor_config.json cannot be used.\nReason: {reason}",
    steps: &[
        by_hand(
            "If you wrote it, correct what the reason names; otherwise go on, and it is put aside and made anew",
        ),
        run("candor ctx create -s {path}"),
        run("candor ctx sync -s {path}"),
    ],
    verify: Some("candor ctx validate -s {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const LOCKED: Entry = Entry {
    code: Code::SegmentLocked,
    class: Class::Runtime,
    title: "Segment is in use",
    cause: "Another process works on the context pack of {path}, and was not done after {limit}.\nProcess: {holder}",
    steps: &[
        check("See who holds it", "cat {path}/_ctx/lock"),
        by_hand("Wait until that process has ended; the lock goes with it"),
        run("candor ctx sync -s {path}"),
    ],
    verify: Some("candor ctx validate -s {path}"),
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const PRIME_NOT_FOUND: Entry = Entry {
    code: Code::PrimeFileNotFound,
    class: Class::Runtime,
    title: "Prime file is missing",
    cause: "Expected prime file not found: _ctx/prime_{segment}.md",
    steps: &[
        check("Check segment directory structure", "ls -la {path}/_ctx"),
        run("candor ctx refresh-prime -s {path}"),
        check("Verify _ctx/prime_*.md exists", "ls {path}/_ctx/prime_*.md"),
    ],
    verify: Some("test -f {prime}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const PACK_MISSING: Entry = Entry {
    code: Code::PackMissing,
    class: Class::Precondition,
    title: "Context pack is missing",
    cause: "{path} is initialized, but has no context pack yet.\nMissing: _ctx/context_pack.json",
    steps: &[run("candor ctx sync -s {path}"), check("See what is in it", "candor ctx stats -s {path}")],
    verify: Some("candor ctx validate -s {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const PACK_EMPTY: Entry = Entry {
    code: Code::PackEmpty,
    class: Class::Precondition,
    title: "Nothing to pack",
    cause: "Nothing in {path} can be packed: its prime file is empty, and no other file is text that is neither ignored nor too large.",
    steps: &[
        check("See what is there", "ls -la {path}"),
        run("candor ctx refresh-prime -s {path}"),
        run("candor ctx sync -s {path}"),
    ],
    verify: Some("candor ctx validate -s {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const PACK_STALE: Entry = Entry {
    code: Code::PackStale,
    class: Class::Integrity,
    title: "Context pack is out of date",
    cause: "Files of {path} have changed since it was packed.\n{reason}",
    steps: &[run("candor ctx sync -s {path}"), check("See what is in it now", "candor ctx stats -s {path}")],
    verify: Some("candor ctx validate -s {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const PACK_DAMAGED: Entry = Entry {
    code: Code::PackDamaged,
    class: Class::Integrity,
    title: "Context pack is damaged",
    cause: "{path}/_ctx/context_pack.json is not what was written.\nReason: {reason}",
    steps: &[run("candor ctx sync -s {path}"), check("See what is in it now", "candor ctx stats -s {path}")],
    verify: Some("candor ctx validate -s {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const UNKNOWN_ID: Entry = Entry {
    code: Code::UnknownId,
    class: Class::Runtime,
    title: "No chunk has this id",
    cause: "The context pack of {path} has no chunk {ids}; nothing was returned.\nNearest: {nearest}",
    steps: &[
        run("candor ctx sync -s {path}"),
        check("Find the ids that there are", "candor ctx search -s {path} -q {query}"),
        by_hand("Ask again with ids of that list: text that changed has a new id"),
    ],
    verify: Some("candor ctx validate -s {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};
