//! The signals by which the user, or the system, stops us.

use std::path::Path;

use candor_protocol::Failure;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// They are listened to from before a run until its end: one that comes between two events must not be missed.
pub(crate) struct Stops {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

/// Who stops us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The person at the terminal.
    Interrupt,
    /// The system, or a terminal that has gone.
    End,
}

impl Stops {
    pub(crate) fn listen() -> Result<Self, Failure> {
        let listen = |kind| signal(kind).map_err(|error| Failure::file(Path::new("/proc/self"), &error));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub(crate) async fn next(&mut self) -> Stop {
        tokio::select! {
            _ = self.interrupt.recv() => Stop::Interrupt,
            _ = self.terminate.recv() => Stop::End,
            _ = self.hangup.recv() => Stop::End,
        }
    }
}
