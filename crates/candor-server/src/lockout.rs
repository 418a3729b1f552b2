//! Guessing at the token: after too many wrong ones nobody may guess for a while.
//!
//! It counts for the whole server, because every client has the same address. Whoever has the token is never shut out:
//! otherwise any web page could lock the owner out of their own machine.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many wrong tokens are answered before guessing is shut. A person who copies badly needs a handful.
const WRONG_MAX: usize = 20;
/// Within how long they count together.
const WINDOW: Duration = Duration::from_secs(60);
/// How long guessing stays shut.
pub(crate) const SHUT: Duration = Duration::from_secs(60);

/// The wrong tokens of late.
#[derive(Debug, Default)]
pub(crate) struct Lockout {
    wrong: VecDeque<Instant>,
    shut_until: Option<Instant>,
}

/// What to answer to a wrong token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// That it is wrong.
    Wrong,
    /// That nobody looks at it now.
    Shut,
}

impl Lockout {
    /// Notes a wrong token.
    pub(crate) fn wrong(&mut self, now: Instant) -> Answer {
        if self.shut_until.is_some_and(|until| now < until) {
            return Answer::Shut;
        }
        self.shut_until = None;
        while self.wrong.front().is_some_and(|at| now.duration_since(*at) >= WINDOW) {
            self.wrong.pop_front();
        }
        if self.wrong.len() >= WRONG_MAX {
            self.wrong.clear();
            self.shut_until = Some(now + SHUT);
            return Answer::Shut;
        }
        self.wrong.push_back(now);
        Answer::Wrong
    }
}

#[cfg(test)]
#[path = "lockout_tests.rs"]
mod tests;
