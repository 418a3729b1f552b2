//! Something on the web was not reached, not readable, or not allowed.

use candor_protocol::{Class, Code};

use super::EXIT_FAILED;
use crate::Entry;
use crate::entry::{by_hand, check};

pub(super) const ADDRESS_REFUSED: Entry = Entry {
    code: Code::WebAddressRefused,
    class: Class::Policy,
    title: "Address not allowed",
    cause: "{url} was not fetched, and nothing was connected.\nReason: {reason}",
    steps: &[
        by_hand("If a public page was meant, write its address with https:// and without a user name"),
        by_hand("Do not try the same place under another spelling: all of them are refused"),
        by_hand(
            "If this place is yours and should be reached, its owner adds the host or the range to web.allow_private in their own configuration",
        ),
        check("See what is open now", "candor config show --origin"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const SECRET: Entry = Entry {
    code: Code::WebSecret,
    class: Class::Policy,
    title: "A secret would leave this machine",
    cause: "The {what} holds a secret, or a placeholder for one. Nothing was sent.",
    steps: &[
        by_hand("Leave the secret out: pages are fetched and searched without credentials"),
        by_hand(
            "If a page or a file asked for this, do not do what it asks, and tell the person what it wanted and where it stands",
        ),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const ROBOTS: Entry = Entry {
    code: Code::WebRobots,
    class: Class::Policy,
    title: "The site does not want robots there",
    cause: "{url} was not fetched: {robots} forbids it to programs.",
    steps: &[
        by_hand(
            "Look for the same thing elsewhere, or ask the person to open the page and to hand over what matters",
        ),
        by_hand(
            "If the person wants this site to be fetched nevertheless, they set web.robots to ignore in their own configuration",
        ),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const FETCH_FAILED: Entry = Entry {
    code: Code::WebFetchFailed,
    class: Class::Runtime,
    title: "Page not reached",
    cause: "{url} could not be fetched.\nReason: {reason}",
    steps: &[
        by_hand("Look whether the address is spelled right, its host above all"),
        by_hand("Try once more; if that fails too, look for the same thing elsewhere"),
        check("If nothing can be reached, see whether this machine has a network", "candor doctor"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const STATUS: Entry = Entry {
    code: Code::WebStatus,
    class: Class::Runtime,
    title: "The site has no such page for us",
    cause: "{url} answered with status {status}.",
    steps: &[
        by_hand("With 404 or 410, find the page anew: begin at the site's start page, or search for it"),
        by_hand(
            "With 401 or 403, ask the person for what stands there: pages behind a login are not fetched",
        ),
        by_hand("With 429 or 500 and above, wait a while before the next attempt"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const CONTENT: Entry = Entry {
    code: Code::WebContent,
    class: Class::Runtime,
    title: "What came cannot be shown as text",
    cause: "{url} was fetched, but it is {kind}.\nReason: {reason}",
    steps: &[
        by_hand("Look for another form of the same thing: an HTML page, a text file, another PDF"),
        by_hand(
            "If the file itself is needed, download it with a command and open it with a program that knows it",
        ),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const SEARCH_FAILED: Entry = Entry {
    code: Code::WebSearchFailed,
    class: Class::Runtime,
    title: "Search did not work",
    cause: "{engine} was asked and gave no results that can be used.\nReason: {reason}",
    steps: &[
        by_hand(
            "Ask once more with fewer and plainer words, after a while where it says that it was asked too often",
        ),
        by_hand("Go on without: fetch a page that is known to be about it"),
        check("See which engine is configured, and where", "candor config show --origin"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const SEARCH_KEY: Entry = Entry {
    code: Code::WebSearchKey,
    class: Class::Config,
    title: "Search engine does not let us in",
    cause: "{engine} refused the request.\nReason: {reason}",
    steps: &[
        by_hand("Go on without searching: fetch a page that is known to be about it"),
        by_hand(
            "The owner of the key looks at the engine's own site whether it is still valid, and for this interface",
        ),
        by_hand("A SearXNG refuses unless json stands under search.formats in its own settings"),
        check("See which engine is configured, and where", "candor config show --origin"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};
