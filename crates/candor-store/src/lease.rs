//! The right to write a session, held by one process at a time.
//!
//! There is no clock in it and no heartbeat: the kernel, or the server, gives it back when its holder dies. For a file it
//! is a lock on one byte of a file beside the database; for a server it is an advisory lock of the connection that
//! writes.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_protocol::SessionId;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use tokio::sync::Notify;

use crate::database::Database;
use crate::{Error, Store};

/// What is added to the name of the database for the file with the locks. It stays when the last holder is gone: to
/// remove it would let two processes lock two files.
const SUFFIX: &str = "-leases";

/// Read and written by its owner.
const FILE_MODE: u32 = 0o600;

/// A time-ordered id ends in this many random bits.
const RANDOM_BITS: u32 = 62;

/// A session's lease. Dropping it gives it back.
#[derive(Debug)]
pub struct Lease {
    session: SessionId,
    leases: Arc<Leases>,
}

impl Lease {
    /// The session that it is for.
    pub fn session(&self) -> SessionId {
        self.session
    }

    pub(crate) fn new(session: SessionId, leases: Arc<Leases>) -> Self {
        Self { session, leases }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.leases.give_back(self.session);
    }
}

impl Store {
    /// Takes the lease of a session, or says that another process, or another holder in this one, has it. The session
    /// need not exist.
    pub async fn lease(&self, session: SessionId) -> Result<Option<Lease>, Error> {
        match &*self.leases {
            Leases::File(file) => {
                let taken = file.take(session).map_err(|error| Error::unavailable(self.name(), error))?;
                Ok(taken.then(|| Lease::new(session, Arc::clone(&self.leases))))
            }
            Leases::Server(_) => self.writer.lease(session).await,
        }
    }
}

/// The leases that one store holds.
#[derive(Debug)]
pub(crate) enum Leases {
    File(FileLeases),
    Server(ServerLeases),
}

impl Leases {
    pub(crate) fn of(database: &Database) -> Self {
        match database.file() {
            Some(path) => Self::File(FileLeases::beside(path)),
            None => Self::Server(ServerLeases::default()),
        }
    }

    /// Those that are kept by a server.
    pub(crate) fn on_server(&self) -> Option<&ServerLeases> {
        match self {
            Self::File(_) => None,
            Self::Server(server) => Some(server),
        }
    }

    fn give_back(&self, session: SessionId) {
        match self {
            Self::File(file) => file.give_back(session),
            Self::Server(server) => server.give_back(session),
        }
    }
}

/// Locks on bytes of a file. They belong to the open file, not to the process: two stores of one process exclude each
/// other, and one store must keep count itself.
#[derive(Debug)]
pub(crate) struct FileLeases {
    path: PathBuf,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    file: Option<File>,
    sessions: HashSet<SessionId>,
}

impl FileLeases {
    fn beside(path: &Path) -> Self {
        // The same file, by whichever link the database is reached.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut name = OsString::from(path);
        name.push(SUFFIX);
        Self { path: name.into(), held: Mutex::default() }
    }

    fn take(&self, session: SessionId) -> io::Result<bool> {
        let mut held = locked(&self.held);
        if held.sessions.contains(&session) {
            return Ok(false);
        }
        let file = match held.file.take() {
            Some(file) => file,
            None => open(&self.path)?,
        };
        let locked = lock(&file, session, libc::F_WRLCK);
        held.file = Some(file);
        match locked {
            Ok(()) => Ok(held.sessions.insert(session)),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn give_back(&self, session: SessionId) {
        let mut held = locked(&self.held);
        held.sessions.remove(&session);
        if let Some(file) = &held.file {
            // Nothing can be done about a lock that does not go; it goes with the process.
            let _ = lock(file, session, libc::F_UNLCK);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(FILE_MODE).open(path)
}

fn lock(file: &File, session: SessionId, kind: libc::c_int) -> nix::Result<()> {
    let request = libc::flock {
        // Constants of the kernel, all below ten.
        l_type: i16::try_from(kind).unwrap_or_default(),
        l_whence: i16::try_from(libc::SEEK_SET).unwrap_or_default(),
        l_start: key(session),
        l_len: 1,
        l_pid: 0,
    };
    fcntl(file, FcntlArg::F_OFD_SETLK(&request)).map(drop)
}

/// The random bits of an id, as a number that both a place in a file and an advisory lock can be.
pub(crate) fn key(session: SessionId) -> i64 {
    let digits: String = session.to_string().chars().filter(|c| *c != '-').collect();
    let low = digits.get(16..).and_then(|low| u64::from_str_radix(low, 16).ok()).unwrap_or_default();
    i64::try_from(low & ((1 << RANDOM_BITS) - 1)).unwrap_or_default()
}

/// What the writer knows of the advisory locks of its connection.
#[derive(Debug, Default)]
pub(crate) struct ServerLeases {
    state: Mutex<ServerState>,
    /// Rung when there is something to give back.
    pub(crate) bell: Notify,
}

#[derive(Debug, Default)]
struct ServerState {
    held: HashMap<SessionId, Hold>,
    /// Dropped here, and not yet given back to the server.
    dropped: Vec<SessionId>,
}

/// Whether the server agrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    Firm,
    /// The connection broke, and somebody else was quicker afterwards.
    Lost,
}

impl ServerLeases {
    pub(crate) fn hold(&self, session: SessionId) -> Option<Hold> {
        locked(&self.state).held.get(&session).copied()
    }

    pub(crate) fn note(&self, session: SessionId, hold: Hold) {
        locked(&self.state).held.insert(session, hold);
    }

    /// Notes it of a lease that may have been dropped meanwhile; its lock, if it is one, goes back then.
    pub(crate) fn note_if_held(&self, session: SessionId, hold: Hold) {
        let mut state = locked(&self.state);
        match state.held.get_mut(&session) {
            Some(known) => *known = hold,
            None if hold == Hold::Firm => state.dropped.push(session),
            None => {}
        }
    }

    /// After a break of the connection: who still relies on a lock that is gone.
    pub(crate) fn live(&self) -> Vec<SessionId> {
        let mut state = locked(&self.state);
        // The server gave these back by itself.
        state.dropped.clear();
        // One that was lost stays lost: somebody else may have written meanwhile.
        let firm = state.held.iter().filter(|(_, hold)| **hold == Hold::Firm);
        firm.map(|(session, _)| *session).collect()
    }

    pub(crate) fn take_dropped(&self) -> Vec<SessionId> {
        std::mem::take(&mut locked(&self.state).dropped)
    }

    fn give_back(&self, session: SessionId) {
        let mut state = locked(&self.state);
        if state.held.remove(&session) == Some(Hold::Firm) {
            state.dropped.push(session);
        }
        drop(state);
        self.bell.notify_one();
    }
}

/// No code here can panic while it holds a lock, so a poisoned one is as good as any.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
