//! The catalogue: one flat table a group, put together here in the order of the codes.

mod commands;
mod config;
mod context;
mod files;
mod hooks;
mod internal;
mod log;
mod mcp;
mod provider;
mod runs;
mod secrets;
mod serving;
mod sessions;
mod skills;
mod tools;
mod usage;
mod verify;
mod web;

use candor_protocol::Code;

use crate::Entry;

/// The failure of the work itself.
const EXIT_FAILED: u8 = 1;
/// The command was called wrongly.
const EXIT_USAGE: u8 = 2;
/// A limit or a missing precondition stopped the work.
const EXIT_STOPPED: u8 = 4;
/// A person's yes was missing.
const EXIT_NEEDS_APPROVAL: u8 = 6;

/// Succeeds when the disk that holds `path` has a mebibyte left; a disk with a few stray blocks is still a full one.
const DISK_HAS_ROOM: &str =
    "test \"$(df -Pk \"$(dirname {path})\" | awk 'NR == 2 {{ print $4 }}')\" -gt 1024";

static CATALOGUE: [Entry; Code::ALL.len()] = [
    usage::UNKNOWN_ARGUMENT,
    usage::MISSING_ARGUMENT,
    usage::INVALID_VALUE,
    usage::CONFLICT,
    usage::UNKNOWN_COMMAND,
    usage::UNKNOWN_CODE,
    usage::NOT_IN_THIS_BUILD,
    usage::NEEDS_TERMINAL,
    config::SYNTAX,
    config::INVALID,
    config::BOTH_FORMATS,
    config::FORMAT_UNKNOWN,
    config::NOT_FOUND,
    config::EXISTS,
    config::UNREADABLE,
    config::NOT_A_FILE,
    config::NOT_UTF8,
    config::TOO_LARGE,
    config::TOO_COMPLEX,
    config::UNKNOWN_KEY,
    config::EXPOSED_SECRET,
    config::NOT_FOR_WORKSPACE,
    config::WATCH_FAILED,
    secrets::MISSING,
    secrets::FILE_UNREADABLE,
    secrets::COMMAND_FAILED,
    secrets::COMMAND_TIMEOUT,
    files::HOME_NOT_FOUND,
    files::HOME_NOT_WRITABLE,
    files::HOME_NOT_PRIVATE,
    log::OPEN_FAILED,
    log::WRITE_FAILED,
    log::DISK_FULL,
    log::LINES_DROPPED,
    log::NOT_FOUND,
    log::DAMAGED,
    files::NOT_FOUND,
    files::PERMISSION,
    files::IS_DIRECTORY,
    files::NOT_UTF8,
    files::TOO_LARGE,
    files::EXISTS,
    files::IO,
    files::DISK_FULL,
    files::DISK_READ_ONLY,
    provider::RATE_LIMITED,
    provider::UNAVAILABLE,
    provider::TIMEOUT,
    provider::UNREACHABLE,
    provider::UNAUTHORIZED,
    provider::BAD_REQUEST,
    provider::MODEL_UNKNOWN,
    provider::NOT_CONFIGURED,
    provider::OUT_OF_QUOTA,
    provider::STREAM_CUT,
    provider::CONTEXT_TOO_LONG,
    provider::NOT_A_SERVER,
    provider::ANSWER_TOO_LARGE,
    provider::ANSWER_CUT,
    provider::ANSWER_EMPTY,
    provider::REFUSED,
    provider::SCRIPT_INVALID,
    tools::TIMEOUT,
    tools::BLOCKED,
    tools::DENIED,
    tools::UNAPPROVED,
    tools::UNKNOWN,
    tools::ARGUMENTS,
    tools::INTERRUPTED,
    tools::FILE_INVALID,
    skills::INVALID,
    skills::UNKNOWN,
    skills::UNTRUSTED,
    hooks::FILE_INVALID,
    hooks::UNTRUSTED,
    hooks::BLOCKED,
    hooks::FAILED,
    tools::SCHEDULE_INVALID,
    tools::SANDBOX_TOO_WEAK,
    tools::SANDBOX_FAILED,
    tools::SANDBOX_READ_ONLY,
    tools::SANDBOX_NO_REPOSITORY,
    commands::FAILED,
    commands::NOT_FOUND,
    commands::NOT_EXECUTABLE,
    commands::KILLED,
    commands::CRASHED,
    commands::TERMINATED,
    commands::INTERRUPTED,
    commands::TIMED_OUT,
    commands::RECIPE_INVALID,
    commands::HARNESS_NO_IDS,
    commands::HARNESS_INVALID,
    runs::TURNS_SPENT,
    runs::COST_SPENT,
    runs::TIME_SPENT,
    runs::STUCK,
    runs::INTERRUPTED,
    runs::DELEGATE_LIMIT,
    runs::SESSION_UNKNOWN,
    runs::SESSION_AMBIGUOUS,
    runs::SESSION_NONE,
    runs::SESSION_BUSY,
    sessions::QUEUE_FULL,
    sessions::EXISTS,
    sessions::IMPORT_INVALID,
    runs::PLACEHOLDER_UNKNOWN,
    verify::SERVICE_ENDED,
    verify::SERVICE_BACKGROUND,
    verify::NOT_READY,
    verify::PORT_TAKEN,
    verify::PROBE_FAILED,
    verify::LOG_ERRORS,
    verify::LACKS,
    verify::NOTHING,
    verify::BUDGET,
    verify::STUCK,
    verify::PLAN_INVALID,
    web::ADDRESS_REFUSED,
    web::SECRET,
    web::ROBOTS,
    web::FETCH_FAILED,
    web::STATUS,
    web::CONTENT,
    web::SEARCH_FAILED,
    web::SEARCH_KEY,
    serving::ADDRESS,
    serving::NOT_LOOPBACK,
    serving::FRAME_INVALID,
    mcp::CONFIG,
    mcp::UNKNOWN,
    mcp::UNTRUSTED,
    mcp::START,
    mcp::GIVEN_UP,
    mcp::DIED,
    mcp::TIMEOUT,
    mcp::PROTOCOL,
    mcp::CALL,
    mcp::LOGIN,
    context::PATH,
    context::NOT_INITIALIZED,
    context::CONFIG_INVALID,
    context::LOCKED,
    context::PRIME_NOT_FOUND,
    context::PACK_MISSING,
    context::PACK_EMPTY,
    context::PACK_STALE,
    context::PACK_DAMAGED,
    context::UNKNOWN_ID,
    runs::STORE_UNAVAILABLE,
    runs::STORE_SERVER,
    runs::STORE_NEWER,
    internal::STORE_DAMAGED,
    internal::PANIC,
];

// A code without an entry, or an entry out of place, does not compile; `entry` relies on it.
const _: () = {
    let mut at = 0;
    while at < CATALOGUE.len() {
        assert!(CATALOGUE[at].code as usize == at, "the catalogue follows the order of Code::ALL");
        at += 1;
    }
};

/// Every entry, in the order of [`Code::ALL`].
pub fn catalogue() -> &'static [Entry] {
    &CATALOGUE
}

/// The entry of a code.
pub fn entry(code: Code) -> &'static Entry {
    // In bounds: the assertion above checks that each code is the index of its own entry.
    &CATALOGUE[code as usize]
}
