//! The time, handed in so that a test can cross midnight without waiting for it.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

/// Where the time of a line, of a rotation and of the retention comes from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The clock of the machine.
    pub fn system() -> Self {
        Self::new(Timestamp::now)
    }

    /// A clock that says what the function says. It is called by every thread that logs, so it must be quick.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time it is.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
