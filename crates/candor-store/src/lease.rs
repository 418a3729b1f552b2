//! The right to write a session, held by one process at a time.
//!
//! There is no clock in it and no heartbeat: the kernel, or the server, gives it back when its holder dies. For a file it
//! is a lock on a file in a folder beside the database; for a server it is an advisory lock of the connection that
//! writes.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_protocol::SessionId;
use rustix::fs::OFlags;
use tokio::sync::Notify;

use crate::database::Database;
use crate::{Error, Store};

/// What is added to the name of the database for the folder with the locks.
const SUFFIX: &str = "-locks";

/// Read and written by its owner.
const FILE_MODE: u32 = 0o600;
/// Entered by its owner.
const FOLDER_MODE: u32 = 0o700;

/// How often a file that is removed under us is made again.
const ATTEMPTS_MAX: usize = 16;

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

/// Locks on files, one for each session that is held. A lock belongs to the open file, not to the process: two stores of one
/// process exclude each other. Locks on bytes of one file would need no folder; not every system has those that a process
/// does not lose whenever it closes that file.
#[derive(Debug)]
pub(crate) struct FileLeases {
    folder: PathBuf,
    held: Mutex<HashMap<SessionId, File>>,
}

impl FileLeases {
    fn beside(path: &Path) -> Self {
        // The same folder, by whichever link the database is reached.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut name = OsString::from(path);
        name.push(SUFFIX);
        Self { folder: name.into(), held: Mutex::default() }
    }

    fn take(&self, session: SessionId) -> io::Result<bool> {
        let mut held = locked(&self.held);
        if held.contains_key(&session) {
            return Ok(false);
        }
        let lock = lock(&self.path(session))?;
        Ok(lock.is_some_and(|file| held.insert(session, file).is_none()))
    }

    fn give_back(&self, session: SessionId) {
        let mut held = locked(&self.held);
        if let Some(file) = held.remove(&session) {
            // Removed as long as it is ours: whoever has it open already sees that it is not the one at this path any more. One that
            // stays, here or because its holder was killed, is used again.
            let path = self.path(session);
            if is_at(&file, &path).unwrap_or(false) {
                let _ = fs::remove_file(&path);
            }
            // Not only by closing it: a process that is just being started may have a copy of it for a moment.
            let _ = file.unlock();
        }
    }

    fn path(&self, session: SessionId) -> PathBuf {
        self.folder.join(session.to_string())
    }
}

/// Locks the file at this path. Nothing: somebody else has.
fn lock(path: &Path) -> io::Result<Option<File>> {
    for _ in 0..ATTEMPTS_MAX {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if is_at(&file, path)? {
            return Ok(Some(file));
        }
    }
    // Others take it and give it back all the time.
    Ok(None)
}

/// Whether the file at this path is this one.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    let is_same = |now: fs::Metadata| (now.dev(), now.ino()) == (ours.dev(), ours.ino());
    Ok(fs::symlink_metadata(path).is_ok_and(is_same))
}

/// Opens it, or makes it; not through a link, and nothing that would be waited for.
fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits()).unwrap_or_default();
    let open = || {
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .custom_flags(flags)
            .open(path)
    };
    let told = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let opened = match (open(), path.parent()) {
        (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => {
            make(folder).and_then(|()| open()).map_err(told)?
        }
        (opened, _) => opened.map_err(told)?,
    };
    let is_file = opened.metadata()?.is_file();
    if is_file { Ok(opened) } else { Err(told(io::Error::other("it is not a file"))) }
}

/// Makes the folder, and none above it: where the database's own is gone, there is nothing to write a session to.
fn make(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// The random bits of an id, as a number for an advisory lock.
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    fn beside() -> (tempfile::TempDir, FileLeases, SessionId) {
        let directory = tempfile::tempdir().unwrap();
        let leases = FileLeases::beside(&directory.path().join("a.db"));
        (directory, leases, SessionId::now())
    }

    #[test]
    fn who_gives_back_what_somebody_took_away_leaves_the_next_ones_alone() {
        let (directory, one, session) = beside();
        let [other, third] = [(); 2].map(|()| FileLeases::beside(&directory.path().join("a.db")));
        assert!(one.take(session).unwrap());
        fs::remove_file(one.path(session)).unwrap();
        assert!(other.take(session).unwrap());
        one.give_back(session);
        assert!(!third.take(session).unwrap());
        other.give_back(session);
        assert!(third.take(session).unwrap());
    }

    #[test]
    fn a_copy_of_a_lock_does_not_keep_it() {
        let (directory, one, session) = beside();
        assert!(one.take(session).unwrap());
        let copy = locked(&one.held)[&session].try_clone().unwrap();
        let name = one.path(session);
        fs::rename(&name, directory.path().join("aside")).unwrap();
        one.give_back(session);
        fs::rename(directory.path().join("aside"), &name).unwrap();
        assert!(one.take(session).unwrap());
        drop(copy);
    }

    #[test]
    fn what_is_no_file_of_ours_is_an_error_and_nothing_is_made_elsewhere() {
        let (directory, leases, session) = beside();
        assert!(leases.take(session).unwrap());
        leases.give_back(session);
        let outside = directory.path().join("outside");
        std::os::unix::fs::symlink(&outside, leases.path(session)).unwrap();
        assert!(leases.take(session).is_err() && !outside.exists());
        fs::remove_file(leases.path(session)).unwrap();
        fs::create_dir(leases.path(session)).unwrap();
        assert!(leases.take(session).is_err());
        // A home that is gone is not made again.
        fs::remove_dir_all(directory.path()).unwrap();
        let error = leases.take(session).unwrap_err().to_string();
        assert!(error.contains("a.db-locks") && !directory.path().exists(), "{error}");
    }

    #[test]
    fn however_often_a_lease_changes_hands_it_has_one_holder() {
        let directory = tempfile::tempdir().unwrap();
        let (database, session) = (directory.path().join("a.db"), SessionId::now());
        let holders = AtomicUsize::new(0);
        let take_often = || {
            let leases = FileLeases::beside(&database);
            let mut left = 500;
            while left > 0 {
                if leases.take(session).unwrap() {
                    assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0, "somebody else has it");
                    // Time for another to take what is not theirs.
                    thread::yield_now();
                    holders.fetch_sub(1, Ordering::SeqCst);
                    leases.give_back(session);
                    left -= 1;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(take_often);
            }
        });
    }
}
