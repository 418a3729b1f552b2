//! A run came to one of its limits, or its session is not to be had.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check};

/// The same failure kept repeating.
const EXIT_STUCK: u8 = 5;

pub(super) const TURNS_SPENT: Entry = Entry {
    code: Code::RunTurnsSpent,
    class: Class::Resource,
    title: "Turn limit reached",
    cause: "The run was stopped after {limit} turns; its work so far is kept in the session.",
    steps: &[
        check("Go on where it stopped", "candor -c 'Go on'"),
        by_hand("If the work needs more, raise the limit: --max-turns N, or tools.max_iterations"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const COST_SPENT: Entry = Entry {
    code: Code::RunCostSpent,
    class: Class::Resource,
    title: "Cost limit reached",
    cause: "The run was stopped at {spent} US dollars of the {limit} it may cost; its work so far is kept in the session.",
    steps: &[
        check("See where the money went", "candor usage"),
        by_hand("Go on with a higher limit: candor -c --max-cost USD 'Go on'"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const TIME_SPENT: Entry = Entry {
    code: Code::RunTimeSpent,
    class: Class::Resource,
    title: "Time limit reached",
    cause: "The run was stopped after {limit}; its work so far is kept in the session.",
    steps: &[
        check("Go on where it stopped", "candor -c 'Go on'"),
        by_hand("If the work needs longer, raise the limit: --timeout DURATION"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const STUCK: Entry = Entry {
    code: Code::RunStuck,
    class: Class::Runtime,
    title: "The same failure came again and again",
    cause: "{code} × {count}: {target}\nThe model met this failure {count} times with {calls}, and what it did in between did not help.\n\
            Tried: {tried}\nThe last time: {cause}",
    steps: &[
        by_hand("Repair what the cause names; the model could not"),
        check("Then go on", "candor -c 'Go on'"),
        by_hand("Or say in other words how it should be done"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STUCK,
};

pub(super) const INTERRUPTED: Entry = Entry {
    code: Code::RunInterrupted,
    class: Class::Runtime,
    title: "Run was interrupted",
    cause: "The program ended before the run in session {session} did. What was said and done until then is kept; a call \
            without a result may have run.",
    steps: &[
        check("See how far it came", "candor sessions show {session}"),
        check("Go on where it stopped", "candor -s {session} 'Go on'"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const DELEGATE_LIMIT: Entry = Entry {
    code: Code::DelegateLimit,
    class: Class::Resource,
    title: "No more helpers",
    cause: "The {what} of helpers is bounded for a run and all that work for it: {setting} = {limit}.",
    steps: &[
        by_hand(
            "Do this part of the task yourself, or wait for a helper that is at work and give it more to do",
        ),
        by_hand("A person can raise the bound: {setting}"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const SESSION_UNKNOWN: Entry = Entry {
    code: Code::SessionUnknown,
    class: Class::Precondition,
    title: "No such session",
    cause: "There is no session {session} in this home.",
    steps: &[
        check("See which there are", "candor sessions list --all"),
        by_hand("Name one of them in full, or by at least four of its first or last letters"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const SESSION_AMBIGUOUS: Entry = Entry {
    code: Code::SessionAmbiguous,
    class: Class::Precondition,
    title: "More than one session",
    cause: "{session} stands for more than one session of this home:\n{sessions}",
    steps: &[
        check("See what each of them is about", "candor sessions list --all"),
        by_hand("Name one of them by more of its letters; the last ones tell sessions of one day apart best"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const SESSION_NONE: Entry = Entry {
    code: Code::SessionNone,
    class: Class::Precondition,
    title: "No session to continue",
    cause: "There is no earlier session of this workspace to continue: {workspace}",
    steps: &[
        by_hand("Begin one: leave out -c, or whatever else names the last session"),
        check("See the sessions of other workspaces", "candor sessions list --all"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const SESSION_BUSY: Entry = Entry {
    code: Code::SessionBusy,
    class: Class::Precondition,
    title: "Session is in use",
    cause: "Another process writes session {session} at this moment; nothing was changed.",
    steps: &[
        by_hand("Wait until the other one is done, then send it again"),
        check("See what the session holds", "candor sessions show {session}"),
        by_hand("Or begin a new session: leave out -s and -c, or type /new"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_STOPPED,
};

pub(super) const PLACEHOLDER_UNKNOWN: Entry = Entry {
    code: Code::PlaceholderUnknown,
    class: Class::Precondition,
    title: "Secret is no longer known",
    cause: "{placeholder} stands for a secret that was masked earlier; its value was kept in memory only and is gone.",
    steps: &[
        by_hand("Read the secret again from where it is kept, or ask for it: it gets a new placeholder"),
        by_hand("Use that one in place of {placeholder}"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const STORE_UNAVAILABLE: Entry = Entry {
    code: Code::StoreUnavailable,
    class: Class::Runtime,
    title: "Sessions cannot be stored",
    cause: "The database {path} cannot be used.\nReason: {reason}",
    steps: &[
        check("See whether it is there and whose it is", "ls -la {path}"),
        check("See whether its disk has room", "df -h \"$(dirname {path})\""),
        by_hand("If another process holds it for long, end that one; then run the same again"),
    ],
    verify: Some("candor sessions list"),
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const STORE_SERVER: Entry = Entry {
    code: Code::StoreServer,
    class: Class::Runtime,
    title: "Database server cannot be used",
    cause: "Sessions are kept in {database}, which cannot be used.\nReason: {reason}",
    steps: &[
        by_hand(
            "See whether the server runs and takes connections from here: pg_isready, or psql with the same address",
        ),
        check("See which address is set, and where", "candor config show --origin"),
        by_hand(
            "Compare user, password and the database's name; its user must be allowed to make tables in it",
        ),
        by_hand(
            "To go on without it, leave out session.database_url and CANDOR_DATABASE_URL: sessions are then kept in the home",
        ),
    ],
    verify: Some("candor sessions list"),
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const STORE_NEWER: Entry = Entry {
    code: Code::StoreNewer,
    class: Class::Precondition,
    title: "Sessions of a newer version",
    cause: "The database {path} was written by a newer version of Candor, and this one does not understand it.",
    steps: &[
        check("See which version this is", "candor --version"),
        by_hand("Install the newer version again, or use another home: CANDOR_HOME=DIR"),
    ],
    verify: Some("candor sessions list"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};
