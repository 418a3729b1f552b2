//! Skills that cannot be taken up.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED, EXIT_USAGE};
use crate::Entry;
use crate::entry::{by_hand, check};

pub(super) const INVALID: Entry = Entry {
    code: Code::SkillInvalid,
    class: Class::Config,
    title: "A skill is left out",
    cause: "{path}, line {line}: this skill is left out, and everything else works on.\n{reason}",
    steps: &[
        by_hand(
            "Begin SKILL.md with `---`, name: (the same as its folder), description: and `---`; the instructions follow",
        ),
        check("See what else is wrong", "{!help}"),
    ],
    verify: Some("{!help}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const UNKNOWN: Entry = Entry {
    code: Code::SkillUnknown,
    class: Class::Usage,
    title: "No such skill",
    cause: "There is no skill {skill} that can be used here. There are: {skills}",
    steps: &[
        by_hand("Take one of those"),
        check("See all skills, and why some are left out", "candor skills list"),
    ],
    verify: Some("candor skills list"),
    retryable: false,
    exit_code: EXIT_USAGE,
};

pub(super) const UNTRUSTED: Entry = Entry {
    code: Code::SkillUntrusted,
    class: Class::Precondition,
    title: "A skill that nobody has trusted",
    cause: "The skill {skill} came with this folder ({path}), and a person has not trusted it, or it has changed since.",
    steps: &[
        by_hand("Read what is in {path}"),
        check("See what this folder brings along, and trust it on a terminal", "candor trust"),
    ],
    verify: Some("candor skills list"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};
