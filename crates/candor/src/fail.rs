//! How a command ends.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

use candor_protocol::{Code, Failure, Status};

/// A command ended as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing is wrong.
    Good,
    /// The command did its work, and what it found is bad.
    Bad,
    /// A run ended, and its status decides.
    Ran(Status),
    /// What came last did not end well, and its card was shown: the card decides.
    Shown(u8),
}

/// A command could not do its work.
#[derive(Debug)]
pub(crate) enum Fail {
    /// For a reason that has a card.
    Card(Failure),
    /// The same, where the exit code of its card would be taken for something else.
    CardWithExit(Failure, u8),
    /// Nothing was asked for: what there is to ask for is shown.
    Help,
    /// The person at the terminal stopped it, and was told what became of it.
    Stopped,
    /// Whoever read our output has gone, which is no failure of ours and needs no words.
    Hangup,
}

impl Fail {
    /// Ends the process with this code where the card would with 1, for commands in which 1 is an answer.
    pub(crate) fn instead_of_1(self, exit: u8) -> Self {
        match self {
            Self::Card(failure) if candor_cards::card(&failure).exit_code == 1 => {
                Self::CardWithExit(failure, exit)
            }
            other => other,
        }
    }
}

impl From<Failure> for Fail {
    fn from(failure: Failure) -> Self {
        Self::Card(failure)
    }
}

impl From<candor_config::Error> for Fail {
    fn from(error: candor_config::Error) -> Self {
        Self::Card(error.failure())
    }
}

impl From<candor_log::Error> for Fail {
    fn from(error: candor_log::Error) -> Self {
        Self::Card(error.failure())
    }
}

thread_local! {
    /// What the last panic on this thread said: the hook hears it, and the place that catches the panic needs it.
    static LAST_PANIC: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Runs a command so that a panic becomes a card like any other failure.
pub(crate) fn guard(run: impl FnOnce() -> Result<Exit, Fail>) -> Result<Exit, Fail> {
    panic::set_hook(Box::new(remember));
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let failure = LAST_PANIC.with_borrow_mut(Option::take);
        Err(Fail::Card(failure.unwrap_or_else(|| panic_failure("unknown", "unknown"))))
    })
}

/// Keeps what a panic said, for the card.
pub(crate) fn remember(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or("a panic without a message");
    let location = info.location().map_or_else(|| "unknown".to_owned(), ToString::to_string);
    LAST_PANIC.set(Some(panic_failure(message, &location)));
}

fn panic_failure(message: &str, location: &str) -> Failure {
    Failure::new(Code::InternalPanic).with("message", message).with("location", location)
}

#[cfg(test)]
#[path = "fail_tests.rs"]
mod tests;
