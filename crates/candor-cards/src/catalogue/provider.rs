//! The model provider did not give an answer.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check, run};

pub(super) const RATE_LIMITED: Entry = Entry {
    code: Code::ProviderRateLimited,
    class: Class::RateLimit,
    title: "Too many requests to the provider",
    cause: "{provider} has had too many requests with this key for now. Time to wait: {wait}.",
    steps: &[
        by_hand("Wait, then send the same again"),
        check("See how often this happens", "candor logs --event provider_rate_limit"),
        by_hand("If it is often, have {provider} raise the limit, or use another model"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const UNAVAILABLE: Entry = Entry {
    code: Code::ProviderUnavailable,
    class: Class::Provider,
    title: "Provider is out of order",
    cause: "{provider} answered with status {status}: it is overloaded or out of order. Your request is not \
            the reason.",
    steps: &[
        by_hand("Wait a minute, then send the same again"),
        by_hand("If it stays so, look at the status page of {provider}"),
        check(
            "To go on meanwhile, find the configuration file and name another provider in it",
            "candor config path",
        ),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const TIMEOUT: Entry = Entry {
    code: Code::ProviderTimeout,
    class: Class::Network,
    title: "Provider took too long",
    cause: "{provider} gave no answer within {limit}.",
    steps: &[
        by_hand("Send the same again"),
        by_hand("If it stays so, look at the status page of {provider}, and ask for less at once"),
        check("See which address is used and where it was set", "candor config show --origin"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const UNREACHABLE: Entry = Entry {
    code: Code::ProviderUnreachable,
    class: Class::Network,
    title: "Provider cannot be reached",
    cause: "No connection to {provider} at {url}.\nReason: {reason}",
    steps: &[
        by_hand("See that this machine is online and that a proxy or firewall lets it reach {url}"),
        check("See whether the address is the right one and where it was set", "candor config show --origin"),
        by_hand("If a server of your own is at {url}, start it"),
        by_hand("Send the same again"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const UNAUTHORIZED: Entry = Entry {
    code: Code::ProviderUnauthorized,
    class: Class::Auth,
    title: "Provider refused the key",
    cause: "{provider} answered with status {status}: it does not accept the key.\nKey from: {variable}",
    steps: &[
        by_hand("Set {variable} to a valid key of {provider}, where Candor is started"),
        check("See whether it is set, without showing it", "printenv {variable} > /dev/null && echo set"),
        by_hand("If the key is right, see with {provider} that it has not expired and may use this model"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const BAD_REQUEST: Entry = Entry {
    code: Code::ProviderBadRequest,
    class: Class::Provider,
    title: "Provider refused the request",
    cause: "{provider} answered with status {status} and will not take the request as it is.\nReason: {reason}",
    steps: &[
        by_hand("Read the reason above: it usually names the setting or the part of the message to change"),
        check("See the model and the settings that were used", "candor config show --origin"),
        check("See the refused requests", "candor logs --event provider_error"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const MODEL_UNKNOWN: Entry = Entry {
    code: Code::ProviderModelUnknown,
    class: Class::Provider,
    title: "Unknown model",
    cause: "{provider} has no model called {model}, or this key may not use it.",
    steps: &[
        check("See where this name was set", "candor config show --origin"),
        by_hand("Correct it to a model that {provider} lists for your account"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_CONFIGURED: Entry = Entry {
    code: Code::ProviderNotConfigured,
    class: Class::Precondition,
    title: "No provider configured",
    cause: "No model provider is configured, and no key for one was found.\nLooked for: {variables}",
    steps: &[
        by_hand("Set one of these to your key, where Candor is started: {variables}"),
        check("Or write a configuration that names a provider", "candor init"),
        run("candor doctor"),
    ],
    verify: Some("candor doctor"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};
