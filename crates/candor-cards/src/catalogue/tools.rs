//! A tool that the model called, or a scheduled job, did not work.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_NEEDS_APPROVAL, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check};

pub(super) const TIMEOUT: Entry = Entry {
    code: Code::ToolTimeout,
    class: Class::Tool,
    title: "Tool took too long",
    cause: "The tool {tool} was stopped because it had not ended after {limit}.",
    steps: &[
        by_hand("See that what {tool} ran does not wait for input and is not meant to run forever"),
        by_hand("Do the work in smaller parts"),
        check(
            "If it needs longer, find the configuration file and raise tools.timeout in it",
            "candor config path",
        ),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const BLOCKED: Entry = Entry {
    code: Code::ToolBlocked,
    class: Class::Policy,
    title: "Tool call not allowed",
    cause: "A rule does not let {tool} do this.\nCommand: {command}\nReason: {reason}",
    steps: &[
        by_hand("Reach the same result in a way that the rule allows"),
        by_hand("If it has to be done like this, {remedy}"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const DENIED: Entry = Entry {
    code: Code::ToolDenied,
    class: Class::Policy,
    title: "A person said no",
    cause: "{tool} was not run: the person who was asked said no.\nCommand: {command}\nTheir words: {reason}",
    steps: &[
        by_hand("Do not try the same again in other words"),
        by_hand("Follow what the person said, or ask them what they want instead"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const UNAPPROVED: Entry = Entry {
    code: Code::ToolUnapproved,
    class: Class::Policy,
    title: "Nobody was there to be asked",
    cause: "{tool} was not run: it needs a person's {needs}, and nobody was there to give it.\nAbout: {command}\nReason: {reason}",
    steps: &[
        by_hand("Go on without it: {instead}"),
        by_hand("To be asked, run it on a terminal, or answer where its session is followed"),
        by_hand("Or {otherwise}"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_NEEDS_APPROVAL,
};

pub(super) const FILE_INVALID: Entry = Entry {
    code: Code::ToolFileInvalid,
    class: Class::Config,
    title: "A tool of your own is left out",
    cause: "{path}, line {line}: {tool} is left out, and everything else works on.\n{reason}",
    steps: &[
        by_hand("Correct that entry in {path}; docs/tools.md explains every key"),
        check("See which tools there are then", "candor tools list"),
    ],
    verify: Some("candor tools list"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const SCHEDULE_INVALID: Entry = Entry {
    code: Code::ScheduleInvalid,
    class: Class::Config,
    title: "Schedule cannot be followed",
    cause: "{path} holds the schedule {schedule}, which says no time that can be followed.\nReason: {reason}",
    steps: &[
        by_hand(
            "In {path}, write minute, hour, day, month and weekday: 0 9 * * 1-5 is 9:00 from Monday to Friday",
        ),
        check("See the schedules in that file", "grep -n schedule {path}"),
    ],
    verify: Some("candor doctor"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const UNKNOWN: Entry = Entry {
    code: Code::ToolUnknown,
    class: Class::Tool,
    title: "No such tool",
    cause: "There is no tool called {tool}. There are: {tools}",
    steps: &[
        by_hand("Call one of the tools that there are, by its exact name"),
        check("See what each does", "candor prompt show"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const ARGUMENTS: Entry = Entry {
    code: Code::ToolArguments,
    class: Class::Tool,
    title: "Arguments that the tool cannot take",
    cause: "{tool} was not run: its arguments are not what it takes.\nReason: {reason}",
    steps: &[
        by_hand("Call {tool} again with arguments that follow its schema, as one JSON object"),
        by_hand("If the text is long, write it in several smaller calls"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const INTERRUPTED: Entry = Entry {
    code: Code::ToolInterrupted,
    class: Class::Tool,
    title: "Tool was interrupted",
    cause: "{tool} was interrupted before it ended; what it was doing may have happened in part.",
    steps: &[
        by_hand("See what is there before doing it again: files, processes, remote changes"),
        by_hand("Then go on from what is there"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const SANDBOX_TOO_WEAK: Entry = Entry {
    code: Code::SandboxTooWeak,
    class: Class::Precondition,
    title: "Sandbox too weak here",
    cause: "Commands must run behind {minimum}, and the strongest sandbox of this machine is {reached}.\nReason: {reason}",
    steps: &[
        by_hand("On Linux, allow user namespaces for this user, or install bubblewrap, and start again"),
        by_hand("On another system, run Candor in a Linux machine or container"),
        by_hand("If a weaker sandbox is enough here, lower sandbox.minimum in your own configuration"),
        by_hand("If commands may do whatever you may, start again with --permission full"),
    ],
    verify: Some("candor doctor"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const SANDBOX_FAILED: Entry = Entry {
    code: Code::SandboxFailed,
    class: Class::Tool,
    title: "Sandbox could not be put up",
    cause: "The command was not run, because its sandbox could not be put up.\nStep: {stage}\nReason: {reason}",
    steps: &[
        by_hand(
            "See that the workspace and the directories of the sandbox are there and are not replaced by links",
        ),
        check("See what this machine can do", "candor doctor"),
    ],
    verify: Some("candor doctor"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const SANDBOX_READ_ONLY: Entry = Entry {
    code: Code::SandboxReadOnly,
    class: Class::Policy,
    title: "The sandbox keeps this place as it is",
    cause: "The command wrote where the sandbox lets it read only. It may write {places}.\nIt said: {said}",
    steps: &[
        by_hand("Write {places} instead"),
        check("See what the sandbox lets commands do", "candor config show --origin"),
        by_hand(
            "If the place is meant to be written, its owner adds {place} to sandbox.writable, or takes it out of sandbox.protected, in their own configuration",
        ),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const SANDBOX_NO_REPOSITORY: Entry = Entry {
    code: Code::SandboxNoRepository,
    class: Class::Policy,
    title: "The sandbox allows no new repository here",
    cause: "Git runs what stands in the configuration and the hooks of a repository, also for you, outside of the sandbox. So no command makes a repository of the workspace itself.\nIt said: {said}",
    steps: &[
        by_hand("Ask whoever you work for to run this themselves: git init {workspace}"),
        by_hand(
            "Until then go on without a repository, or make one in a folder below the workspace, which works",
        ),
        by_hand(
            "To allow it for good, the owner takes .git/hooks and .git/config out of sandbox.protected in their own configuration",
        ),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};
