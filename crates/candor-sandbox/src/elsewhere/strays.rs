//! What belongs to a call: its first process, and the group that this leads.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, test_kill_process_group, waitid,
};

/// The variable that marks a call.
pub(crate) const MARK_NAME: &str = "CANDOR_CALL";

/// How long is waited for what was killed to be gone. Longer means that it hangs in the kernel.
const GONE_TIME_MAX: Duration = Duration::from_millis(100);

/// How often it is looked.
const GONE_POLL: Duration = Duration::from_micros(500);

/// What tells the processes of one call from all others.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    value: String,
    first: Pid,
    /// Whether the first process leads a group of its own.
    leads: bool,
}

impl Mark {
    /// The call that was started with this value, in a group that is not its own.
    pub(crate) fn new(value: String, first: Pid, _: Instant) -> Self {
        Self { value, first, leads: false }
    }

    /// The same for a call whose first process leads a group.
    pub(crate) fn leading(value: String, first: Pid) -> Self {
        Self { value, first, leads: true }
    }

    /// The value of the variable.
    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// Its first process.
    pub(crate) fn first(&self) -> Pid {
        self.first
    }

    /// Asks all of the call's processes to end.
    pub(crate) fn ask_to_end(&self, signal: Signal) {
        self.signal(signal);
        // A stopped process hears the request only once it goes on.
        self.signal(Signal::CONT);
    }

    /// Kills all of the call's processes.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Waits until what was killed is gone, once the first process has been reaped: until then its group is there in any case.
    /// Mostly it is gone at once.
    pub(crate) fn wait_until_gone(&self) {
        let started = Instant::now();
        while started.elapsed() < GONE_TIME_MAX && test_kill_process_group(self.first).is_ok() {
            thread::sleep(GONE_POLL);
        }
    }

    /// As long as the first process has not been reaped, nobody else can get its number, dead or alive.
    fn signal(&self, signal: Signal) {
        if !self.is_unreaped() {
            return;
        }
        // Whoever is gone hears nothing, and that is what is wanted.
        let send = if self.leads { kill_process_group } else { kill_process };
        let _ = send(self.first, signal);
    }

    fn is_unreaped(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.first), options).is_ok()
    }
}
