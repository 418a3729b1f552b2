//! How strong the walls around a process are.

use std::fmt;

/// How strong the walls around a process are, from weakest to strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// There are none: it may do what its user may.
    None,
    /// Landlock is the only wall around files, and seccomp the only one around everything else.
    ///
    /// What it cannot do: names, sizes and modes of hidden files stay visible. Modes, owners and times of the user's
    /// files can be changed everywhere. Nothing new can be made in a directory that leads to a protected path, and a
    /// directory that leads to a hidden one cannot be listed. Processes outside are visible. There are no
    /// Unix sockets but pairs, as those of services could be reached. The number of processes has no limit. A network
    /// that is neither all nor none is none.
    Landlock,
    /// Namespaces made by the program `bwrap`, and seccomp.
    ///
    /// What it cannot do: each process has a loopback device of its own, nothing is forwarded, and listed hosts are
    /// not reached. The number of processes has no limit. A command that a signal ended is told as an exit with 128
    /// and its number. What bubblewrap says when it cannot start a command looks like an output of the command.
    Bubblewrap,
    /// Namespaces of our own, Landlock and seccomp.
    Namespaces,
}

const NAMES: [(Level, &str); 4] = [
    (Level::None, "none"),
    (Level::Landlock, "landlock+seccomp"),
    (Level::Bubblewrap, "bubblewrap+seccomp"),
    (Level::Namespaces, "namespaces+landlock+seccomp"),
];

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(level, _)| level == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// Which walls to put up. For tests, which try each of them alone.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walls {
    pub namespaces: bool,
    pub landlock: bool,
    pub seccomp: bool,
}

impl Walls {
    /// All that we can do ourselves.
    pub const NAMESPACES: Self = Self { namespaces: true, landlock: true, seccomp: true };
    /// What works where namespaces are forbidden.
    pub const LANDLOCK: Self = Self { namespaces: false, landlock: true, seccomp: true };

    pub(crate) fn level(self) -> Level {
        match self {
            Self { namespaces: true, .. } => Level::Namespaces,
            Self { landlock: true, .. } | Self { seccomp: true, .. } => Level::Landlock,
            _ => Level::None,
        }
    }
}
