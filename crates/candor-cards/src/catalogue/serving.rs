//! The server cannot be had, or was asked for something it does not know.

use candor_protocol::{Class, Code};

use super::{EXIT_STOPPED, EXIT_USAGE};
use crate::Entry;
use crate::entry::{by_hand, check};

pub(super) const ADDRESS: Entry = Entry {
    code: Code::ServeAddress,
    class: Class::Precondition,
    title: "Cannot listen",
    cause: "The address {address} cannot be listened on: {reason}",
    steps: &[
        by_hand("If another candor serve has it, use that one, or end it first"),
        by_hand("Or choose another address: candor serve --listen 127.0.0.1:7778, or server.listen"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const NOT_LOOPBACK: Entry = Entry {
    code: Code::ServeNotLoopback,
    class: Class::Precondition,
    title: "Only this machine may connect",
    cause: "{address} can be reached from other machines; this version serves its own machine only.",
    steps: &[
        by_hand("Listen on 127.0.0.1, or on ::1"),
        by_hand("To reach it from elsewhere, forward the port over SSH: ssh -L 7777:127.0.0.1:7777 HOST"),
        check("See what is set", "candor config show --origin"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_STOPPED,
};

pub(super) const FRAME_INVALID: Entry = Entry {
    code: Code::FrameInvalid,
    class: Class::Usage,
    title: "Frame not understood",
    cause: "A frame on the socket cannot be followed: {reason}",
    steps: &[
        by_hand(
            "Send one JSON object a frame, with a type: send_message, steer, cancel, answer or subscribe",
        ),
        check("See which sessions there are", "candor sessions list --all"),
    ],
    verify: None,
    retryable: false,
    exit_code: EXIT_USAGE,
};
