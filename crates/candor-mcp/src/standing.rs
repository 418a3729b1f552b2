//! Where a server is, for people.

/// Where a server is, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is not to be used.
    Disabled,
    /// Nobody has agreed to it.
    Untrusted,
    /// It is not started, and will be when it is needed.
    Away,
    /// It is being started.
    Starting,
    /// It is there.
    There,
    /// It failed, and is tried again when it is needed.
    Failed,
    /// It failed too often.
    GivenUp,
}
