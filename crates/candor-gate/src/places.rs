//! Where a path points to, and what that means for deleting and writing.

use std::path::Path;

use crate::call::UNKNOWN;
use crate::scene::Scene;

/// Directories at the top whose loss ends a system or somebody's work.
const TOPS: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
    "bin",
    "boot",
    "dev",
    "efi",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "media",
    "mnt",
    "nix",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "snap",
    "srv",
    "sys",
    "usr",
    "var",
];

/// The tops below which everything belongs to the system.
const SYSTEM: &[&str] = &[
    "System", "bin", "boot", "dev", "efi", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys",
    "usr",
];

/// Everybody's scratch space.
const SCRATCH: &[&str] = &["/tmp", "/var/tmp", "/private/tmp", "/dev/shm", "/private/var/tmp"];

/// Devices that swallow or show what is written to them.
const HARMLESS_DEVICES: &[&str] =
    &["null", "zero", "full", "stdin", "stdout", "stderr", "tty", "random", "urandom", "ptmx", "console"];

/// What a path is, seen from a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Root,
    /// A directory at the top.
    Top,
    Home,
    /// A directory that holds the workspace.
    AboveWorkspace,
    Workspace,
    /// The workspace's own `.git`.
    Repository,
    /// Below the workspace, another writable directory or the scratch space.
    Inside,
    /// The scratch space itself, which others use too.
    Scratch,
    /// Below a directory of the system.
    System,
    Outside,
    /// Its beginning is not known before the command runs.
    Unknown,
}

/// The scene, with paths as text.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    /// Where the command is; `cd` moves it.
    pub(crate) cwd: String,
    pub(crate) home: String,
    workspace: String,
    writable: Vec<String>,
}

impl Ground {
    pub(crate) fn new(scene: &Scene<'_>) -> Self {
        let absolute = |path: &Path| normalise("/", &path.to_string_lossy());
        Self {
            cwd: absolute(scene.cwd),
            // A home that nobody knows is still not the workspace.
            home: scene.home.map_or_else(|| "/~".to_owned(), absolute),
            workspace: absolute(scene.workspace),
            writable: scene.writable.iter().map(|path| absolute(path)).collect(),
        }
    }

    /// The path that a word names; nothing when its beginning is not known.
    pub(crate) fn path(&self, word: &str) -> Option<String> {
        if word.starts_with(UNKNOWN) || (!word.starts_with('/') && self.cwd.contains(UNKNOWN)) {
            return None;
        }
        Some(normalise(&self.cwd, word))
    }

    /// What a deletion of this word would hit.
    pub(crate) fn place(&self, word: &str) -> Place {
        let Some(path) = self.path(word) else { return Place::Unknown };
        self.place_of(all_of(&path))
    }

    /// Whether nobody wants this directory to be lost, or anything in it.
    pub(crate) fn is_precious(&self, word: &str) -> bool {
        matches!(
            self.place(word),
            Place::Root | Place::Top | Place::Home | Place::AboveWorkspace | Place::System
        )
    }

    fn place_of(&self, path: &str) -> Place {
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return Place::Root };
        let below = parts.count();
        if first.contains(['*', '?', '[']) {
            return Place::Root;
        }
        if below == 0 && TOPS.contains(&first) {
            return Place::Top;
        }
        let is_somebodys_home = below == 1 && matches!(first, "home" | "Users");
        if path == self.home || (is_somebodys_home && path != self.workspace) {
            return Place::Home;
        }
        if path == self.workspace {
            return Place::Workspace;
        }
        if is_below(&self.workspace, path) {
            return Place::AboveWorkspace;
        }
        if path.strip_suffix("/.git") == Some(&self.workspace) {
            return Place::Repository;
        }
        if SCRATCH.contains(&path) {
            return Place::Scratch;
        }
        let roots = std::iter::once(&self.workspace).chain(&self.writable).map(String::as_str);
        let mut roots = roots.filter(|root| *root != "/").chain(SCRATCH.iter().copied());
        if roots.any(|root| is_below(path, root)) || self.writable.iter().any(|root| root == path) {
            return Place::Inside;
        }
        if SYSTEM.contains(&first) { Place::System } else { Place::Outside }
    }

    /// What is wrong with writing to this word, if anything.
    pub(crate) fn written(&self, word: &str) -> Option<Written> {
        let path = self.path(word)?;
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            return Some(Written::Socket);
        }
        if let Some(device) = path.strip_prefix("/dev/") {
            let is_harmless = HARMLESS_DEVICES.contains(&device)
                || ["fd/", "pts/", "shm/", "tty", "mqueue/"].iter().any(|prefix| device.starts_with(prefix));
            return (!is_harmless).then_some(Written::Device);
        }
        if path.starts_with("/proc/self/") || path == "/proc" {
            return None;
        }
        if self.starts_programs(&path) {
            return Some(Written::Autostart);
        }
        match self.place_of(&path) {
            Place::System if is_below(&path, "/usr/local") => Some(Written::Local),
            Place::System | Place::Root => Some(Written::System),
            Place::Top if SYSTEM.iter().any(|top| path[1..] == **top) => Some(Written::System),
            _ => None,
        }
    }

    /// Files that a shell, a login, a timer or git runs later.
    fn starts_programs(&self, path: &str) -> bool {
        if path.contains("/.git/hooks/") || path.ends_with("/.git/hooks") || path.ends_with("/.git/config") {
            return true;
        }
        if path.starts_with("/var/spool/cron") || path.ends_with("/.ssh/authorized_keys") {
            return true;
        }
        let Some(name) = self.in_a_home(path) else { return false };
        RC_FILES.contains(&name) || RC_FOLDERS.iter().any(|folder| name == *folder || is_below(name, folder))
    }

    /// Files with keys and passwords.
    pub(crate) fn is_secret(&self, word: &str) -> bool {
        let Some(path) = self.path(word) else { return false };
        if matches!(path.as_str(), "/etc/shadow" | "/etc/gshadow" | "/etc/sudoers") {
            return true;
        }
        let Some(name) = self.in_a_home(&path) else { return false };
        let is_public =
            [".pub", "known_hosts", "config", "allowed_signers"].iter().any(|end| name.ends_with(end));
        SECRET_FILES.contains(&name)
            || (!is_public && (is_below(name, ".ssh") || is_below(name, ".gnupg/private-keys-v1.d")))
    }

    /// The rest of a path below a home, be it ours or another's.
    fn in_a_home<'p>(&self, path: &'p str) -> Option<&'p str> {
        if let Some(rest) = path.strip_prefix(self.home.as_str()).and_then(|rest| rest.strip_prefix('/')) {
            return Some(rest);
        }
        if let Some(rest) = path.strip_prefix("/root").and_then(|rest| rest.strip_prefix('/')) {
            return Some(rest);
        }
        let rest = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
        rest.split_once('/').map(|(_, rest)| rest)
    }
}

/// Why a write is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Socket,
    Device,
    System,
    Local,
    Autostart,
}

const RC_FILES: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".gitconfig",
    ".inputrc",
    ".kshrc",
    ".login",
    ".mkshrc",
    ".netrc",
    ".pam_environment",
    ".profile",
    ".tcshrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    ".config/git/config",
];
const RC_FOLDERS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".config/autostart",
    ".config/systemd",
    ".config/fish",
    ".config/environment.d",
    ".local/share/systemd",
    "Library/LaunchAgents",
    ".aws",
    ".kube",
];
const SECRET_FILES: &[&str] =
    &[".aws/credentials", ".git-credentials", ".netrc", ".pgpass", ".pypirc", ".docker/config.json"];

/// A path that means everything in a directory is that directory.
fn all_of(path: &str) -> &str {
    let mut path = path;
    while let Some((parent, last)) = path.rsplit_once('/') {
        let is_all = last.contains(['*', '?']) && last.chars().all(|c| "*?.[]!^".contains(c));
        if !is_all {
            break;
        }
        path = if parent.is_empty() { "/" } else { parent };
    }
    path
}

/// Below, and not the same.
fn is_below(path: &str, root: &str) -> bool {
    root == "/" && path != "/"
        || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
}

/// An absolute path without `.`, `..` and empty parts. Links are not followed: nothing is read here.
pub(crate) fn normalise(cwd: &str, word: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let before = if word.starts_with('/') { "" } else { cwd };
    for part in before.split('/').chain(word.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
