//! No walls.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpStream};

use crate::paths::without_dots;
use crate::{Error, Level, Policy, Walls};

/// Why there are none.
const WHY: &str = "walls are made of parts of the Linux kernel, and this system is ";

/// The opened walls of one session. Here there are none.
#[derive(Debug, Clone)]
pub struct Sandbox(());

impl Sandbox {
    /// No walls, for what runs with the user's own rights.
    pub fn bare() -> Self {
        Self(())
    }

    /// Opens the strongest walls that stand on this machine. None does, so that it is an error for every minimum: there is
    /// another way to ask for none.
    pub fn open(_: &Policy, minimum: Level) -> Result<Self, Error> {
        let minimum = minimum.max(Level::Landlock);
        Err(Error::TooWeak { reached: Level::None, minimum, why: why() })
    }

    /// Opens the walls of this level and of no other.
    #[doc(hidden)]
    #[expect(clippy::needless_pass_by_value, reason = "walls keep it")]
    pub fn open_at(policy: Policy, level: Level) -> Result<Self, Error> {
        if level == Level::None { Ok(Self::bare()) } else { Self::open(&policy, level) }
    }

    /// Opens these walls and no others.
    #[doc(hidden)]
    pub fn open_with(policy: Policy, walls: Walls) -> Result<Self, Error> {
        Self::open_at(policy, walls.level())
    }

    /// How strong the walls are.
    pub fn level(&self) -> Level {
        Level::None
    }

    /// Where a path that a process inside names is on the host.
    pub fn host_path(&self, seen: &Path) -> PathBuf {
        without_dots(seen)
    }

    /// What processes inside need in their environment.
    pub fn env(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Whether what listens inside can be reached with [`dial`](Self::dial).
    pub fn can_dial(&self) -> bool {
        true
    }

    /// Connects to what listens at this address inside.
    pub async fn dial(&self, address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(address).await
    }

    /// Listens inside, on 127.0.0.1 and on any port, for what runs there.
    pub async fn listen(&self) -> io::Result<TcpListener> {
        TcpListener::bind(("127.0.0.1", 0)).await
    }

    /// Whether processes inside reach other machines as they like.
    pub fn may_leave(&self) -> bool {
        true
    }
}

/// What this machine can do, and why not more.
pub fn best_level() -> (Level, String) {
    (Level::None, why())
}

fn why() -> String {
    format!("{WHY}{}", std::env::consts::OS)
}
