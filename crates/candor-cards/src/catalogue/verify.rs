//! The runtime looked for itself, and it is not done.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check};

/// The same failure kept repeating.
const EXIT_STUCK: u8 = 5;

pub(super) const SERVICE_ENDED: Entry = Entry {
    code: Code::VerifyServiceEnded,
    class: Class::Verification,
    title: "Service ended by itself",
    cause: "{service} was started with `{command}` and {how} {when}.\nThe end of what it said:\n{said}",
    steps: &[
        by_hand("Repair what its last lines name; a service has to go on until it is stopped"),
        check("Then look again", "candor verify --service {service}"),
    ],
    verify: Some("candor verify --service {service}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const SERVICE_BACKGROUND: Entry = Entry {
    code: Code::VerifyServiceBackground,
    class: Class::Verification,
    title: "Service did not stay in the foreground",
    cause: "{service} was started with `{command}`, which ended with exit code 0 {when}. What it left running was ended \
            with it: nobody could tell whether it works.\nThe end of what it said:\n{said}",
    steps: &[
        by_hand(
            "Start it in the foreground: no daemon mode, no `&`, no nohup; or declare the command that stays in .candor/verify.yaml",
        ),
        check("See what is started, and why", "candor verify --plan"),
    ],
    verify: Some("candor verify --service {service}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_READY: Entry = Entry {
    code: Code::VerifyNotReady,
    class: Class::Verification,
    title: "Service did not get ready",
    cause: "{service} was started with `{command}` and was not ready after {waited}: {reason}.\nThe end of what it said:\n{said}",
    steps: &[
        by_hand("Make it ready sooner or where it is expected; what it waits for has to be there"),
        by_hand(
            "If it only needs longer, say so in .candor/verify.yaml: ready: {{ timeout: 120s }} beside what to wait for",
        ),
        check("See what is waited for, and why", "candor verify --plan"),
    ],
    verify: Some("candor verify --service {service}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const PORT_TAKEN: Entry = Entry {
    code: Code::VerifyPortTaken,
    class: Class::Verification,
    title: "Port is taken by another program",
    cause: "{service} is expected at {address}, where another program listens already. Its answers would say nothing about \
            {service}.",
    steps: &[
        by_hand("Stop the other program, or let the service listen elsewhere"),
        check("Then look again", "candor verify --service {service}"),
    ],
    verify: Some("candor verify --service {service}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const PROBE_FAILED: Entry = Entry {
    code: Code::VerifyProbeFailed,
    class: Class::Verification,
    title: "Service does not do what it should",
    cause: "{service} runs, but the probe {probe} failed: {reason}.\nWhat came instead:\n{sample}",
    steps: &[
        by_hand(
            "Repair what the probe asks for; if the probe asks for the wrong thing, correct it in .candor/verify.yaml",
        ),
        check("Then look again", "candor verify --service {service}"),
    ],
    verify: Some("candor verify --service {service}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const LOG_ERRORS: Entry = Entry {
    code: Code::VerifyLogErrors,
    class: Class::Verification,
    title: "Runtime log errors detected",
    cause: "{service} started and runs, and its log tells of failures: {count} while it was watched.\n{file}: {entry}",
    steps: &[
        by_hand("Repair what the first entry names"),
        by_hand("If it is harmless, say so in .candor/verify.yaml: log_allow: ['a pattern of the entry']"),
        check("Then look again", "candor verify --service {service}"),
    ],
    verify: Some("candor verify --service {service}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const LACKS: Entry = Entry {
    code: Code::VerifyLacks,
    class: Class::Precondition,
    title: "Something needed for the check is missing",
    cause: "{check} could not be carried out: {reason}. That says nothing about the work, good or bad.",
    steps: &[
        by_hand(
            "Install or make what is missing, or declare a check that can run here in .candor/verify.yaml",
        ),
        check("See what would run, and what it needs", "candor verify --plan"),
    ],
    verify: Some("candor verify"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const NOTHING: Entry = Entry {
    code: Code::VerifyNothingToRun,
    class: Class::Precondition,
    title: "Nothing here can be run",
    cause: "In {path} there is no test, no build and no service to be found, and none is declared: {reason}. Whether the work \
            is done cannot be told.",
    steps: &[
        by_hand(
            "Say how it is checked in .candor/verify.yaml, for instance: checks: [{{ name: unit, run: \"sh test.sh\", kind: test }}]",
        ),
        check("See what was found", "candor verify --plan"),
    ],
    verify: Some("candor verify"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const BUDGET: Entry = Entry {
    code: Code::VerifyBudgetSpent,
    class: Class::Resource,
    title: "Not everything could be checked",
    cause: "The profile {profile} has room for {limit}, and that was not enough: {left} was not checked.",
    steps: &[
        check("Check all of it", "candor verify --profile strict"),
        by_hand("Or declare the checks that matter in .candor/verify.yaml"),
    ],
    verify: Some("candor verify --profile strict"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const STUCK: Entry = Entry {
    code: Code::VerifyStuck,
    class: Class::Verification,
    title: "The failure stayed the same",
    cause: "The model was told what failed, and the same check failed in the same way again: {check}\n{cause}",
    steps: &[
        by_hand("Repair what the cause names; the model could not"),
        check("Then look again", "candor verify"),
    ],
    verify: Some("candor verify"),
    retryable: false,
    exit_code: EXIT_STUCK,
};

pub(super) const PLAN_INVALID: Entry = Entry {
    code: Code::VerifyPlanInvalid,
    class: Class::Precondition,
    title: "Part of a declaration cannot be read",
    cause: "{path}, line {line}, column {column}: {problem}. The rest was checked nevertheless.",
    steps: &[by_hand("Correct that line"), check("See what is understood of it", "candor verify --plan")],
    verify: Some("candor verify --plan"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};
