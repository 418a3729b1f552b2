//! The Landlock rules of a policy.
//!
//! Where there are namespaces, mounts hide and protect, and Landlock is the second wall: it holds reading and writing to
//! what the policy grants. Where there are none it is the only wall around files. It can grant and cannot take away, so
//! a hidden path below a granted one is left out by granting all that stands beside it, level by level. The directories
//! on the way get nothing: they can be passed through and neither listed nor written to.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::sys::{self, Answer, Handled};
use crate::Error;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIRECTORY: u64 = 1 << 3;
const MAKE_CHARACTER_DEVICE: u64 = 1 << 6;
const MAKE_BLOCK_DEVICE: u64 = 1 << 11;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const DEVICE_CONTROL: u64 = 1 << 15;
/// All rights of the first version: the thirteen lowest.
const ALL_V1: u64 = (1 << 13) - 1;

const READ: u64 = EXECUTE | READ_FILE | READ_DIRECTORY;
/// What can be granted on something that is no directory.
const ON_FILE: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL;

const SCOPE_ABSTRACT_SOCKETS: u64 = 1;
const SCOPE_SIGNALS: u64 = 1 << 1;

/// The most rules for one policy. Past this a directory beside a hidden path is so full that to walk it for each
/// process would be felt.
const RULES_MAX: usize = 8192;

/// Devices that every program may use.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What the session has of its own inside, and may do everything with.
const OWN_DIRECTORIES: &[&CStr] = &[c"/dev/pts", c"/dev/shm", c"/tmp", c"/var/tmp"];

/// What a program needs to start, whatever it may read.
pub(crate) const NEEDED_TO_START: &[&str] = &[
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/dev",
    "/proc",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/run/systemd/resolve",
    "/var/lib/dpkg",
];

/// What is granted, and what is not.
pub(crate) struct Grants<'p> {
    /// Subtrees that may be written.
    pub(crate) writable: &'p [PathBuf],
    /// What may be read; nothing means everything.
    pub(crate) readable: Option<&'p [PathBuf]>,
    /// What nobody may read. Empty where mounts hide it.
    pub(crate) hidden: &'p [PathBuf],
    /// What nobody may write. Empty where mounts protect it.
    pub(crate) protected: &'p [PathBuf],
}

/// A rule that can be added only inside, where what it is about has been mounted.
#[derive(Debug)]
pub(crate) struct LateRule {
    path: &'static CStr,
    access: u64,
}

/// The rules for what is mounted anew inside. They are added by the process itself, before it enters the ruleset: a rule
/// for a directory of the host does not hold for what covers it.
pub(crate) fn late_rules() -> Vec<LateRule> {
    let handled = supported().map_or(0, handled);
    let all = handled & !(MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE);
    let own = OWN_DIRECTORIES.iter().map(|path| LateRule { path, access: all });
    let more =
        [LateRule { path: c"/dev/ptmx", access: all & ON_FILE }, LateRule { path: c"/proc", access: READ }];
    own.chain(more).collect()
}

impl LateRule {
    /// Adds it. It allocates nothing, as it is called between `clone` and `exec`.
    pub(crate) fn add(&self, ruleset: BorrowedFd<'_>) -> Answer<()> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        match rustix::fs::open(self.path, flags, Mode::empty()) {
            Ok(fd) => sys::landlock_allow(ruleset, fd.as_fd(), self.access),
            // What is not there needs no rule.
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// What a ruleset decides about.
fn handled(version: i64) -> u64 {
    let device_control = if version >= 5 { DEVICE_CONTROL } else { 0 };
    ALL_V1 | REFER | TRUNCATE | device_control
}

/// Whether this kernel has Landlock, and why not.
pub(crate) fn supported() -> Result<i64, String> {
    match sys::landlock_version() {
        None => Err("the kernel has no Landlock, or it is off".to_owned()),
        // Version 3 is the first that knows truncation; before it, a file could be emptied through any wall.
        Some(version @ ..3) => Err(format!("the kernel's Landlock is version {version}, and 3 is needed")),
        Some(version) => Ok(version),
    }
}

/// Makes the ruleset.
pub(crate) fn ruleset(grants: &Grants<'_>) -> Result<OwnedFd, Error> {
    let version = supported().map_err(|why| Error::wall("Landlock", io::Error::other(why)))?;
    let files = handled(version);
    let scopes = if version >= 6 { SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS } else { 0 };
    let handled = Handled { files, network: 0, scopes };
    let ruleset =
        sys::landlock_ruleset(&handled, version).map_err(|error| Error::wall("Landlock rules", error))?;
    let mut rules = Rules { ruleset, handled: files, count: 0 };
    let done = rules.add_all(grants);
    done.map_err(|source| Error::wall("Landlock rules", source))?;
    Ok(rules.ruleset)
}

struct Rules {
    ruleset: OwnedFd,
    handled: u64,
    count: usize,
}

impl Rules {
    fn add_all(&mut self, grants: &Grants<'_>) -> io::Result<()> {
        let write = self.handled & !(MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE | DEVICE_CONTROL);
        match grants.readable {
            None => self.grant_around(Path::new("/"), grants.hidden, READ)?,
            Some(readable) => {
                for path in NEEDED_TO_START.iter().map(Path::new).chain(readable.iter().map(PathBuf::as_path))
                {
                    // A link's target has its own rule, or none.
                    if let Ok(path) = path.canonicalize() {
                        self.grant_around(&path, grants.hidden, READ)?;
                    }
                }
            }
        }
        let unwritable = [grants.hidden, grants.protected].concat();
        for path in grants.writable {
            self.grant_around(path, grants.hidden, READ)?;
            self.grant_around(path, &unwritable, write)?;
        }
        for path in DEVICES {
            self.grant(Path::new(path), READ_FILE | WRITE_FILE | DEVICE_CONTROL)?;
        }
        Ok(())
    }

    /// Grants a path without what is denied below it.
    fn grant_around(&mut self, path: &Path, denied: &[PathBuf], access: u64) -> io::Result<()> {
        if denied.iter().any(|denied| path.starts_with(denied)) {
            return Ok(());
        }
        if !denied.iter().any(|denied| denied.starts_with(path)) {
            return self.grant(path, access);
        }
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            // What we cannot list, nobody inside can: to leave it out takes nothing from them but a direct way in.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                self.grant_around(&entry.path(), denied, access)?;
            }
        }
        Ok(())
    }

    fn grant(&mut self, path: &Path, access: u64) -> io::Result<()> {
        self.count += 1;
        if self.count > RULES_MAX {
            return Err(io::Error::other(format!(
                "more than {RULES_MAX} rules; {} is the next",
                path.display()
            )));
        }
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        // What is not there, or is not ours to reach, needs no rule.
        let Ok(fd) = rustix::fs::open(path, flags, Mode::empty()) else { return Ok(()) };
        let is_directory = rustix::fs::fstat(&fd)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir());
        let access = access & self.handled & if is_directory { u64::MAX } else { ON_FILE };
        match sys::landlock_allow(self.ruleset.as_fd(), fd.as_fd(), access) {
            // Pipes and the like, which are no files of a disk, take no rule.
            Ok(()) | Err(Errno::BADFD) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
