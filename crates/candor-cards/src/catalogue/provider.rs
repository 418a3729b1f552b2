//! The model provider did not give an answer.

use candor_protocol::{Class, Code};

use super::{EXIT_FAILED, EXIT_STOPPED};
use crate::Entry;
use crate::entry::{by_hand, check};

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
    cause: "{provider} answered with status {status}: it does not accept the key.\nKey from: {variable}\n\
            It said: {reason}",
    steps: &[
        by_hand("Give it a valid key of {provider}; this one came from: {variable}"),
        check(
            "See which providers and keys are set, and where; no key is shown",
            "candor config show --origin",
        ),
        by_hand("If the key is right, see with {provider} that it has not expired and may use this model"),
    ],
    verify: Some("candor models"),
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
        check("See which there are, and correct it to one of them", "candor models"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const NOT_CONFIGURED: Entry = Entry {
    code: Code::ProviderNotConfigured,
    class: Class::Precondition,
    title: "No provider configured",
    cause: "No model provider is configured, no key for one was found, and no local server answers.\n\
            Looked for: {variables}\nAsked at: {addresses}",
    steps: &[
        by_hand("With a key: set one of these to it, where Candor is started: {variables}"),
        by_hand("With a model on this machine: start Ollama, llama.cpp, vLLM or LM Studio on its usual port"),
        check("With anything else: write a configuration that names its address", "candor init"),
        check("To see Candor without any of them", "candor demo"),
    ],
    verify: Some("candor models"),
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const OUT_OF_QUOTA: Entry = Entry {
    code: Code::ProviderOutOfQuota,
    class: Class::Auth,
    title: "No quota left with the provider",
    cause: "{provider} will not answer with this key before its account has quota again.\nReason: {reason}",
    steps: &[
        by_hand("Add money or raise the spending limit in the account of {provider}"),
        by_hand("To go on meanwhile, use another provider: candor -p NAME"),
        check("See which keys are at hand", "candor doctor"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const STREAM_CUT: Entry = Entry {
    code: Code::ProviderStreamCut,
    class: Class::Network,
    title: "Answer was cut off",
    cause: "The connection to {provider} ended before the answer did.\nReason: {reason}",
    steps: &[
        by_hand("Send the same again"),
        by_hand(
            "If it stays so, see whether a proxy between here and {provider} limits how long an answer may take",
        ),
        check("See how often this happens", "candor logs --event provider_error"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const CONTEXT_TOO_LONG: Entry = Entry {
    code: Code::ProviderContextTooLong,
    class: Class::Resource,
    title: "Conversation is too long for the model",
    cause: "{provider} cannot read a conversation this long, not even the shortened one.\nReason: {reason}",
    steps: &[
        by_hand("Begin a new session, and say in it only what still matters"),
        by_hand("Or go on with a model that reads more: candor -m NAME"),
        check("See what takes the room besides the conversation", "candor prompt show"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const NOT_A_SERVER: Entry = Entry {
    code: Code::ProviderNotAServer,
    class: Class::Config,
    title: "No model server at this address",
    cause: "Something answers at {url}, but it is not the API of {provider}.\nReason: {reason}",
    steps: &[
        check("See whether the address is the right one and where it was set", "candor config show --origin"),
        by_hand("If a proxy or a login page of your network answers in its place, pass that first"),
        by_hand("Open {url} in a browser to see what answers"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const ANSWER_TOO_LARGE: Entry = Entry {
    code: Code::ProviderAnswerTooLarge,
    class: Class::Provider,
    title: "Answer is too large",
    cause: "The answer of {provider} went over a limit and was not read further.\nLimit: {limit}",
    steps: &[
        by_hand("Ask for less at once"),
        by_hand("If no sensible answer is this large, look at the server: it may be out of order"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const ANSWER_CUT: Entry = Entry {
    code: Code::ProviderAnswerCut,
    class: Class::Resource,
    title: "Answer reached its longest length",
    cause: "{model} of {provider} had more to say than one answer may hold; what it said is kept in the session.",
    steps: &[
        check("Let it go on", "candor -c 'Go on where you stopped'"),
        check(
            "To allow longer answers, find the configuration file and raise max_tokens in it",
            "candor config path",
        ),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const ANSWER_EMPTY: Entry = Entry {
    code: Code::ProviderAnswerEmpty,
    class: Class::Provider,
    title: "Model said nothing",
    cause: "{provider} gave an answer without words and without calls, twice.",
    steps: &[
        by_hand("Say the same in other words, or send it again"),
        by_hand("If it stays so, use another model: candor -m NAME"),
    ],
    verify: None,
    retryable: true,
    exit_code: EXIT_FAILED,
};

pub(super) const REFUSED: Entry = Entry {
    code: Code::ProviderRefused,
    class: Class::Policy,
    title: "Model would not answer",
    cause: "{provider} ended the answer with a refusal.\nIt said: {reason}",
    steps: &[
        by_hand("Say what the work is for, and leave out what may have been misread"),
        by_hand("Or begin a new session: what stands in this one is judged with it"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};

pub(super) const SCRIPT_INVALID: Entry = Entry {
    code: Code::ScriptInvalid,
    class: Class::Config,
    title: "Script cannot be played",
    cause: "The scripted provider cannot play {path}.\nReason: {reason}",
    steps: &[
        by_hand("Correct what the reason names; docs/scripted.md tells what a script may hold"),
        check("See the script", "cat {path}"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_FAILED,
};
