//! The configuration cannot be read or followed.

use candor_protocol::{Class, Code};

use super::EXIT_FAILED;
use crate::Entry;
use crate::entry::{by_hand, check, run};

pub(super) const SYNTAX: Entry = Entry {
    code: Code::ConfigSyntax,
    class: Class::Config,
    title: "Configuration file cannot be parsed",
    cause: "{path} cannot be parsed at line {line}, column {column}.\n{problem}",
    steps: &[
        by_hand("Open {path} at line {line}, column {column} and correct what is there"),
        by_hand("If that line looks right, look above it for a quote or bracket that was never closed"),
        run("candor config check"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const INVALID: Entry = Entry {
    code: Code::ConfigInvalid,
    class: Class::Config,
    title: "Configuration has wrong values",
    cause: "The configuration cannot be used as it is. Places to correct in {path}: {count}.\n{problems}",
    steps: &[
        by_hand("Correct each place named above in {path}"),
        check("See which values each key takes", "candor config schema"),
        run("candor config check"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const BOTH_FORMATS: Entry = Entry {
    code: Code::ConfigBothFormats,
    class: Class::Config,
    title: "Two configuration files where one is expected",
    cause: "{first} and {second} both exist. Only one of them can be the configuration, and Candor does not \
            guess which.",
    steps: &[
        check("See which one was changed last", "ls -l {first} {second}"),
        check("To keep the first, rename the second", "mv -n {second} {second}.unused"),
        by_hand("To keep {second} instead, rename {first}"),
        run("candor config check"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const FORMAT_UNKNOWN: Entry = Entry {
    code: Code::ConfigFormatUnknown,
    class: Class::Config,
    title: "Configuration file of unknown format",
    cause: "The name {path} does not tell whether the file is TOML or YAML.",
    steps: &[
        check("If it holds TOML, give it a name that says so", "mv -n {path} {path}.toml"),
        check("If it holds YAML, give it a name that says so", "mv -n {path} {path}.yaml"),
        by_hand("Use the new name wherever the old one was given, such as after --config"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_FOUND: Entry = Entry {
    code: Code::ConfigNotFound,
    class: Class::Config,
    title: "Configuration file not found",
    cause: "There is no configuration file {path}. It was named after --config, or it is a link that leads nowhere.",
    steps: &[
        check("See what is in that folder", "ls -la \"$(dirname {path})\""),
        by_hand("Correct the name where it was given, such as after --config, or remove the link"),
        check("Or leave the name out and write a configuration in the usual place", "candor init"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const EXISTS: Entry = Entry {
    code: Code::ConfigExists,
    class: Class::Config,
    title: "Configuration file exists already",
    cause: "{path} exists already and was left as it is.",
    steps: &[
        check("See whether what it sets will do", "candor config show --origin"),
        by_hand("To change a setting, edit {path}"),
        by_hand("To start over, run candor init again with --force; the old file is kept beside the new one"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const UNREADABLE: Entry = Entry {
    code: Code::ConfigUnreadable,
    class: Class::Config,
    title: "Configuration file cannot be read",
    cause: "The configuration file {path} cannot be read.\nReason: {reason}",
    steps: &[
        run("chmod u+r {path}"),
        check("See who owns it and who may read it", "ls -ld {path}"),
        check("See which user you are", "id"),
        by_hand("If another user owns {path}, run Candor as that user or have the file handed over"),
    ],
    verify: Some("test -r {path}"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_A_FILE: Entry = Entry {
    code: Code::ConfigNotAFile,
    class: Class::Config,
    title: "Configuration is not a file",
    cause: "{path} should be a file, and it is {kind}.",
    steps: &[
        check("See what it is", "ls -ld {path}"),
        by_hand("Name a file in its place; or, if nothing else needs it there, move it away"),
        check("Write a configuration in the usual place", "candor init"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_UTF8: Entry = Entry {
    code: Code::ConfigNotUtf8,
    class: Class::Config,
    title: "Configuration file is not UTF-8",
    cause: "{path} holds bytes that are not UTF-8 text, first at line {line}, column {column}.",
    steps: &[
        by_hand("Open {path} in an editor, correct line {line}, and save it in the encoding UTF-8"),
        check("See whether any such bytes are left", "iconv -f UTF-8 -t UTF-8 {path} > /dev/null"),
        run("candor config check"),
    ],
    verify: Some("iconv -f UTF-8 -t UTF-8 {path} > /dev/null"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const TOO_LARGE: Entry = Entry {
    code: Code::ConfigTooLarge,
    class: Class::Config,
    title: "Configuration file is too large",
    cause: "{path} is {size} long; a configuration file may be at most {limit} long.",
    steps: &[
        check("See whether this is a configuration file at all", "head -n 20 {path}"),
        by_hand(
            "Move long texts out of {path}, such as a prompt into the file that system_prompt_file names",
        ),
        run("candor config check"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const TOO_COMPLEX: Entry = Entry {
    code: Code::ConfigTooComplex,
    class: Class::Config,
    title: "Configuration file is too complex",
    cause: "{path} is built in a more involved way than a configuration file may be.\nLimit: {limit}",
    steps: &[
        by_hand("In {path}, write YAML aliases out as plain values, and nest less deeply"),
        check("See the shape the keys have", "candor config schema"),
        run("candor config check"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const UNKNOWN_KEY: Entry = Entry {
    code: Code::ConfigUnknownKey,
    class: Class::Config,
    title: "Unknown configuration key",
    cause: "{path} sets {key}. There is no such key, so it has no effect.",
    steps: &[
        by_hand("If {nearest} is what you want, rename {key} to {nearest} in {path}"),
        by_hand("Otherwise remove {key} from {path}"),
        check("See every key there is", "candor config schema"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const EXPOSED_SECRET: Entry = Entry {
    code: Code::ConfigExposedSecret,
    class: Class::Config,
    title: "Secret in a file that others can read",
    cause: "{path} holds a secret in {key}, and its mode {mode} lets other users of this machine read it.",
    steps: &[
        run("chmod 600 {path}"),
        by_hand("If somebody may have read it, replace the secret where it was issued"),
        by_hand(
            "To keep the secret out of the file, use {key}_env, {key}_file or {key}_command in place of {key}",
        ),
    ],
    verify: Some("ls -ldL {path} | grep -q '^-...------'"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_FOR_WORKSPACE: Entry = Entry {
    code: Code::ConfigNotForWorkspace,
    class: Class::Policy,
    title: "Setting that a workspace may not make",
    cause: "{path} sets {key} in a way that only your own configuration may. A workspace can make Candor more \
            careful, not less.",
    steps: &[
        by_hand("Remove {key} from {path}"),
        check(
            "If you trust this workspace, find your own configuration file and set it there",
            "candor config path",
        ),
        check("See which value holds and where it comes from", "candor config show --origin"),
    ],
    verify: Some("candor config check"),
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const WATCH_FAILED: Entry = Entry {
    code: Code::ConfigWatchFailed,
    class: Class::Runtime,
    title: "Configuration cannot be watched",
    cause: "Candor does not notice changes to {path}; an edit takes effect after a restart.\nReason: {reason}",
    steps: &[
        by_hand("Restart Candor after each edit until this is repaired"),
        check("See whether the folder is there", "ls -ld {path}"),
        check(
            "See how much may be watched at once; an administrator can raise it with sysctl",
            "cat /proc/sys/fs/inotify/max_user_instances /proc/sys/fs/inotify/max_user_watches",
        ),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};
