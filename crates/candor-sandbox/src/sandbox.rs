//! The walls of one session, opened once and used for each of its processes.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libc::sock_filter;
use rustix::io::Errno;

use crate::net::Bridges;
use crate::paths::without_dots;
use crate::policy::{Network, Policy};
use crate::resolved::{Resolved, prepare, resolve};
use crate::walls::bubblewrap::{self, Wrapped};
use crate::walls::filter::{self, Sockets};
use crate::walls::landlock::{self, Grants};
use crate::walls::plan::TEMPORARY;
use crate::walls::space::{NetworkKind, Space, USER_NAMESPACE};
use crate::walls::trial;
use crate::{Error, Level, Spec, Walls, services};

/// The opened walls of one session. Clones are the same walls.
#[derive(Clone)]
pub struct Sandbox(Arc<Inner>);

struct Inner {
    level: Level,
    walls: Walls,
    policy: Option<Policy>,
    space: Option<Space>,
    /// The program that puts up the walls in our place.
    wrapper: Option<PathBuf>,
    /// The ways to the host's network. They end with the walls.
    _bridges: Bridges,
    filter: Option<Vec<sock_filter>>,
    env: Vec<(String, String)>,
}

impl Sandbox {
    /// No walls, for what runs with the user's own rights.
    pub fn bare() -> Self {
        let walls = Walls { namespaces: false, landlock: false, seccomp: false };
        Self(Arc::new(Inner {
            level: Level::None,
            walls,
            policy: None,
            space: None,
            wrapper: None,
            _bridges: Bridges::default(),
            filter: None,
            env: Vec::new(),
        }))
    }

    /// Opens the strongest walls that stand on this machine.
    ///
    /// The machine decides which level that is, and never the policy: what lies in a workspace must not choose weaker walls.
    /// A policy that its walls cannot keep is an error. Where the strongest that stands is weaker than `minimum`, that is an
    /// error too, and so it is where none stands at all.
    pub fn open(policy: &Policy, minimum: Level) -> Result<Self, Error> {
        let mut why = Vec::new();
        for level in [Level::Namespaces, Level::Bubblewrap, Level::Landlock] {
            let opened = Self::open_at(policy.clone(), level);
            // With nothing to keep, only the machine can refuse.
            let refused = opened.as_ref().err().and_then(|_| Self::open_at(Policy::default(), level).err());
            match refused {
                Some(error) => why.push(format!("{level}: {}", told(&error))),
                None if level >= minimum => return opened,
                None => return Err(Error::TooWeak { reached: level, minimum, why: why.join("; ") }),
            }
        }
        // Without any wall the answer is the same for every minimum: there is another way to ask for none.
        let minimum = minimum.max(Level::Landlock);
        Err(Error::TooWeak { reached: Level::None, minimum, why: why.join("; ") })
    }

    /// Opens the walls of this level and of no other.
    #[doc(hidden)]
    pub fn open_at(policy: Policy, level: Level) -> Result<Self, Error> {
        match level {
            Level::None => Ok(Self::bare()),
            Level::Landlock => Self::open_with(policy, Walls::LANDLOCK),
            Level::Bubblewrap => Self::open_wrapped(policy),
            Level::Namespaces => Self::open_with(policy, Walls::NAMESPACES),
        }
    }

    /// Opens these walls and no others.
    #[doc(hidden)]
    pub fn open_with(policy: Policy, walls: Walls) -> Result<Self, Error> {
        let mut policy = prepare(policy)?;
        // Behind Landlock alone no such socket can be made. `bwrap` would not start where one has gone meanwhile.
        if walls.namespaces {
            policy = services::hide(policy);
        }
        let space = walls.namespaces.then(|| Space::new(network_kind(&policy.network))).transpose()?;
        if policy.readable.is_some() && !walls.landlock {
            return Err(Error::wall("limit what is read", io::Error::other("only Landlock can")));
        }
        let bridges = space.as_ref().map(|space| Bridges::open(&policy.network, space)).transpose()?;
        let bridges = bridges.unwrap_or_default();
        let filter = walls.seccomp.then(|| filter::program(sockets(&policy.network, walls.namespaces)));
        let mut env = env(&policy, walls.namespaces);
        env.extend(bridges.env.iter().cloned());
        let sandbox = Self(Arc::new(Inner {
            level: walls.level(),
            walls,
            policy: Some(policy),
            space,
            wrapper: None,
            _bridges: bridges,
            filter,
            env,
        }));
        trial::attempt(&sandbox)?;
        Ok(sandbox)
    }

    /// Opens walls that another program puts up.
    fn open_wrapped(policy: Policy) -> Result<Self, Error> {
        let missing = || Error::wall("find bwrap", io::ErrorKind::NotFound);
        let wrapper = bubblewrap::find().ok_or_else(missing)?;
        let policy = prepare(policy)?;
        let sandbox = Self(Arc::new(Inner {
            level: Level::Bubblewrap,
            walls: Walls { namespaces: false, landlock: false, seccomp: false },
            filter: Some(filter::program(sockets(&policy.network, true))),
            env: env(&policy, true),
            policy: Some(policy),
            space: None,
            wrapper: Some(wrapper),
            _bridges: Bridges::default(),
        }));
        trial::attempt_wrapped(&sandbox)?;
        Ok(sandbox)
    }

    /// How strong the walls are.
    pub fn level(&self) -> Level {
        self.0.level
    }

    /// Where a path that a process inside names is on the host.
    pub fn host_path(&self, seen: &Path) -> PathBuf {
        let path = without_dots(seen);
        let temp = self.0.policy.as_ref().and_then(|policy| policy.temp.as_deref());
        let (Some(policy), Some(temp), true) = (&self.0.policy, temp, self.covers_temp()) else {
            return path;
        };
        let readable = policy.readable.iter().flatten().chain(&policy.shown);
        if policy.writable.iter().chain(readable).any(|root| path.starts_with(root)) {
            return path;
        }
        let below = TEMPORARY.iter().find_map(|prefix| path.strip_prefix(prefix).ok());
        match below {
            Some(below) if below.as_os_str().is_empty() => temp.to_owned(),
            Some(below) => temp.join(below),
            None => path,
        }
    }

    /// What processes inside need in their environment. [`run`](crate::run()) and [`start`](crate::start) add it.
    pub fn env(&self) -> Vec<(String, String)> {
        self.0.env.clone()
    }

    /// Whether the temporary directory is called `/tmp` inside.
    fn covers_temp(&self) -> bool {
        self.0.level > Level::Landlock
    }

    pub(crate) fn is_bare(&self) -> bool {
        self.0.policy.is_none()
    }

    /// Whom processes inside can talk to; nothing, where there are no walls.
    pub(crate) fn network(&self) -> Option<&Network> {
        self.0.policy.as_ref().map(|policy| &policy.network)
    }

    pub(crate) fn space(&self) -> Option<&Space> {
        self.0.space.as_ref()
    }

    /// The filter that a process enters by itself.
    pub(crate) fn filter(&self) -> Option<&[sock_filter]> {
        self.0.filter.as_deref().filter(|_| self.0.wrapper.is_none())
    }

    /// Whether a process gives up its privileges by itself. A program that puts up walls may need them to.
    pub(crate) fn drops_privileges(&self) -> bool {
        !self.is_bare() && self.0.wrapper.is_none()
    }

    pub(crate) fn resolved(&self) -> Result<Option<Resolved>, Error> {
        self.0.policy.as_ref().map(resolve).transpose()
    }

    /// The Landlock rules for one process. They name what is on disk now.
    pub(crate) fn ruleset(&self, policy: &Resolved) -> Result<Option<OwnedFd>, Error> {
        if !self.0.walls.landlock {
            return Ok(None);
        }
        // Behind namespaces, mounts hide and protect, and do it without taking anything from what stands beside.
        let is_only_wall = !self.0.walls.namespaces;
        let writable: Vec<PathBuf> = policy.writable.iter().chain(&policy.temp).cloned().collect();
        let grants = Grants {
            writable: &writable,
            readable: policy.readable.as_deref(),
            hidden: if is_only_wall { &policy.hidden } else { &[] },
            protected: if is_only_wall { &policy.protected } else { &[] },
        };
        landlock::ruleset(&grants).map(Some)
    }

    /// The command line of the program that puts up the walls, where one does.
    pub(crate) fn wrapped(&self, spec: &Spec) -> Result<Option<Wrapped>, Error> {
        let (Some(wrapper), Some(policy)) = (&self.0.wrapper, &self.0.policy) else { return Ok(None) };
        let filter = self.0.filter.as_deref().unwrap_or_default();
        bubblewrap::wrap(wrapper, spec, &resolve(policy)?, &policy.network, filter).map(Some)
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("level", &self.0.level)
            .field("policy", &self.0.policy)
            .finish_non_exhaustive()
    }
}

const NONE_ALLOWED: &str = "the kernel allows no more of them (user.max_user_namespaces)";
const NONE_FOR_YOU: &str = "the kernel allows this user none (kernel.unprivileged_userns_clone, \
                            kernel.apparmor_restrict_unprivileged_userns, or the container that we are in)";

/// What this machine can do, and why not more.
pub fn best_level() -> (Level, String) {
    match Sandbox::open(&Policy::default(), Level::Landlock) {
        Ok(sandbox) if sandbox.level() == Level::Namespaces => (Level::Namespaces, String::new()),
        Ok(sandbox) => {
            let why = Sandbox::open_at(Policy::default(), Level::Namespaces).err();
            (sandbox.level(), why.map(|error| told(&error)).unwrap_or_default())
        }
        Err(Error::TooWeak { reached, why, .. }) => (reached, why),
        Err(error) => (Level::None, told(&error)),
    }
}

/// An error with its cause, on one line. What the kernel says of namespaces means something else everywhere else.
fn told(error: &Error) -> String {
    if let Error::Wall { stage: USER_NAMESPACE, source } = error {
        match Errno::from_io_error(source) {
            Some(Errno::NOSPC | Errno::USERS) => return format!("{USER_NAMESPACE}: {NONE_ALLOWED}"),
            Some(Errno::PERM | Errno::ACCESS) => return format!("{USER_NAMESPACE}: {NONE_FOR_YOU}"),
            _ => {}
        }
    }
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn network_kind(network: &Network) -> NetworkKind {
    match network {
        Network::All => NetworkKind::Host,
        Network::None => NetworkKind::Nothing,
        Network::Loopback { .. } | Network::List(_) => NetworkKind::Loopback,
    }
}

fn sockets(network: &Network, is_separate: bool) -> Sockets {
    let internet = match network {
        Network::All => true,
        Network::None => false,
        // Without a network of its own, a session that may reach a part of it reaches nothing.
        Network::Loopback { .. } | Network::List(_) => is_separate,
    };
    // Where no mounts hide the sockets of services, whoever can make one can speak to a service that starts programs as root.
    Sockets { internet, unix: is_separate }
}

fn env(policy: &Policy, covers_temp: bool) -> Vec<(String, String)> {
    let place = match &policy.temp {
        _ if covers_temp => Some("/tmp".to_owned()),
        Some(temp) => temp.to_str().map(str::to_owned),
        None => None,
    };
    place.map(|place| ("TMPDIR".to_owned(), place)).into_iter().collect()
}
