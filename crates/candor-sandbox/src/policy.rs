//! What the processes of a session may touch.

use std::path::PathBuf;

/// What the processes of a session may touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Subtrees that may be written. They must exist.
    pub writable: Vec<PathBuf>,
    /// What may be read. `None`: everything that is not hidden. `Some`: only these, the writable ones, and what a
    /// program needs to start. Names, sizes and modes of other files stay visible; what is in them does not.
    pub readable: Option<Vec<PathBuf>>,
    /// What stays where it is, to be read, although it lies in `/tmp` and everything else there is the session's own. This
    /// says nothing about what may be read elsewhere.
    pub shown: Vec<PathBuf>,
    /// Files or directories that nobody inside can read or list. This wins over all else. One that does not exist is
    /// looked for again when the next process starts.
    pub hidden: Vec<PathBuf>,
    /// Paths inside writable roots that are read-only nevertheless. One that does not exist yet cannot be created.
    pub protected: Vec<PathBuf>,
    /// Whom they can talk to.
    pub network: Network,
    /// How much they can take.
    pub limits: Limits,
    /// A private temporary directory on the host, made if it is missing. Inside it is `/tmp` where namespaces allow
    /// that; elsewhere `TMPDIR` names it.
    pub temp: Option<PathBuf>,
}

/// Whom the processes of a session can talk to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Network {
    /// Nobody.
    #[default]
    None,
    /// Each other, on a loopback device that belongs to the session, and these ports of the host's loopback device.
    Loopback {
        /// The ports.
        forward: Vec<u16>,
    },
    /// Each other, and these hosts through a proxy: `host:port`, or `*.host:port` for all names below a host.
    List(Vec<String>),
    /// Everybody.
    All,
}

/// How much one process, and all it starts, can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Processes and threads at a time. Without namespaces, and before Linux 6.14 also with them, it does not hold for root:
    /// the kernel counts them and lets root go on.
    pub processes: Option<u64>,
    /// The size of one file.
    pub file_bytes: Option<u64>,
    /// Open files of one process.
    pub open_files: Option<u64>,
    /// The memory one process can write to. Address space that is only reserved does not count.
    pub memory_bytes: Option<u64>,
}

impl Default for Limits {
    /// Enough for a large build, and not enough to take the machine down: a fork bomb ends at the first, a runaway log
    /// at the second.
    fn default() -> Self {
        Self {
            processes: Some(4096),
            file_bytes: Some(16 << 30),
            open_files: Some(16 << 10),
            memory_bytes: None,
        }
    }
}
