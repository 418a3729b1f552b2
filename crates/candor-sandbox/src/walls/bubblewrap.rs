//! The same policy in the words of `bwrap`, for machines where that program may do what we may not.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use libc::sock_filter;
use rustix::fs::{MemfdFlags, memfd_create};

use super::landlock::NEEDED_TO_START;
use super::placeholder::Placeholder;
use super::plan::{self, Covers, Protected, RESOLVER, anchors};
use crate::resolved::Resolved;
use crate::streams::high;
use crate::{Error, Network, Spec};

/// Where the program is looked for. Never in `PATH`: who controls that would be the wall.
const PLACES: &[&str] = &["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];

/// Enters the directory and becomes the program. The one who puts up the walls must not do the first: it holds descriptors of the
/// host, and `/proc/self/fd` would lead to them.
const ENTER: &str = r#"cd -- "$0" && exec "$@""#;

/// The command line that puts up the walls and then starts a program.
pub(crate) struct Wrapped {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// The filter, which the program reads from this descriptor.
    pub(crate) filter: OwnedFd,
    pub(crate) placeholders: Vec<Placeholder>,
}

/// The program, where it is installed.
pub(crate) fn find() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Writes the command line.
pub(crate) fn wrap(
    program: &Path,
    spec: &Spec,
    policy: &Resolved,
    network: &Network,
    filter: &[sock_filter],
) -> Result<Wrapped, Error> {
    let filter = high(filter_file(filter).map_err(|source| Error::wall("write the filter", source))?)?;
    let protected = Protected::find(policy)?;
    let mut line = Line(Vec::new());
    line.add(["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"]);
    if *network != Network::All {
        line.add(["--unshare-net"]);
    }
    let covers = Covers::look();
    line.base(policy, &covers);
    for path in &policy.writable {
        line.bind("--bind", path);
    }
    for path in anchors(policy, &protected.paths) {
        line.bind("--bind", &path);
    }
    for path in &protected.paths {
        line.bind("--ro-bind", path);
    }
    for path in anchors(policy, &policy.hidden) {
        // Bound from where it is now inside: what is protected below it stays so.
        line.bind("--bind", &path);
        for path in protected.paths.iter().filter(|protected| protected.starts_with(&path)) {
            line.bind("--ro-bind", path);
        }
    }
    line.hide(policy, &covers.all());
    line.add(["--seccomp".to_owned(), filter.as_raw_fd().to_string()]);
    line.add(["--chdir", "/", "--", "/bin/sh", "-c", ENTER]);
    line.add([spec.cwd.as_os_str(), spec.program.as_os_str()]);
    line.add(spec.args.iter());
    Ok(Wrapped { program: program.to_owned(), args: line.0, filter, placeholders: protected.placeholders })
}

struct Line(Vec<OsString>);

impl Line {
    fn add<T: Into<OsString>>(&mut self, words: impl IntoIterator<Item = T>) {
        self.0.extend(words.into_iter().map(Into::into));
    }

    /// Binds a path to itself.
    fn bind(&mut self, how: &str, path: &Path) {
        self.add([how.as_ref(), path.as_os_str(), path.as_os_str()]);
    }

    /// What can be read, and what is the session's own.
    fn base(&mut self, policy: &Resolved, covers: &Covers) {
        match &policy.readable {
            None => self.bind("--ro-bind", Path::new("/")),
            Some(readable) => {
                for path in NEEDED_TO_START.iter().map(Path::new).chain(readable.iter().map(PathBuf::as_path))
                {
                    self.bind("--ro-bind-try", path);
                }
            }
        }
        // The settings of the kernel are in there, and root's are not kept from root by a user namespace.
        self.add(["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"]);
        for path in &covers.sockets {
            self.add(["--tmpfs".as_ref(), path.as_os_str()]);
            if policy.needs_names {
                self.bind("--ro-bind-try", Path::new(RESOLVER));
            }
        }
        for path in &covers.temporary {
            match &policy.temp {
                Some(temp) => self.add(["--bind".as_ref(), temp.as_os_str(), path.as_os_str()]),
                None => self.add(["--tmpfs".as_ref(), path.as_os_str()]),
            }
        }
        for path in policy.shown_below(&covers.temporary) {
            self.bind("--ro-bind", &path);
        }
    }

    fn hide(&mut self, policy: &Resolved, covered: &[PathBuf]) {
        for path in plan::hidden(policy, covered) {
            if path.is_dir() {
                self.add(["--perms".as_ref(), "0000".as_ref(), "--tmpfs".as_ref(), path.as_os_str()]);
                self.add(["--remount-ro".as_ref(), path.as_os_str()]);
            } else {
                // Nothing can be read from it, and what is written to it is gone.
                self.add(["--ro-bind".as_ref(), "/dev/null".as_ref(), path.as_os_str()]);
            }
        }
    }
}

/// The filter as the kernel has it in memory, in a file without a name.
fn filter_file(filter: &[sock_filter]) -> std::io::Result<OwnedFd> {
    let mut file = File::from(memfd_create(c"candor-filter", MemfdFlags::CLOEXEC)?);
    for step in filter {
        file.write_all(&step.code.to_ne_bytes())?;
        file.write_all(&[step.jt, step.jf])?;
        file.write_all(&step.k.to_ne_bytes())?;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(file.into())
}
