//! Turns a policy into mount steps.

use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::mounts::{Step, VEIL_DIRECTORY, VEIL_FILE};
use super::placeholder::Placeholder;
use crate::Error;
use crate::resolved::Resolved;

/// Devices that are real ones inside, too.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Directories that programs share with strangers. Inside they are the session's own.
pub(crate) const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// Where services leave the sockets they are spoken to through, read-only mounts or not.
pub(crate) const SOCKETS: [&str; 2] = ["/run", "/var/run"];

/// Which name server to ask stands here on many machines, and a link in `/etc` leads to it.
pub(crate) const RESOLVER: &str = "/run/systemd/resolve";

const SHARED_MEMORY: &str = "/dev/shm";

/// For everybody, bounded, gone with the process.
const SCRATCH: &CStr = c"mode=1777,size=1g";
/// Only holds mount points.
const BARE: &CStr = c"mode=0755,size=64k";

/// The kernel keeps the lowest numbers back once it has given out the highest.
const RESERVED_PIDS: u64 = 301;
/// The first kernel in which each namespace has a highest number of its own. Before that it is the machine's!
const OWN_PID_MAX: (u32, u32) = (6, 14);

/// The steps, what they need room for, and what must stay while the process runs.
#[derive(Default)]
pub(crate) struct Mounts {
    pub(crate) steps: Vec<Step>,
    pub(crate) slot_count: usize,
    pub(crate) placeholders: Vec<Placeholder>,
}

/// Makes the list.
pub(crate) fn mounts(policy: &Resolved) -> Result<Mounts, Error> {
    let covers = Covers::look();
    let covered = covers.all();
    let mut plan = Mounts::default();
    plan.steps.push(Step::Private);
    // Trees are kept before anything is locked or covered.
    let writable = plan.keep_all(&policy.writable)?;
    let temporary: Vec<(usize, PathBuf)> = match &policy.temp {
        Some(temp) => {
            let kept = covers.temporary.iter().map(|at| Ok((plan.keep(temp)?, at.clone())));
            kept.collect::<Result<_, Error>>()?
        }
        None => Vec::new(),
    };
    let devices: Vec<PathBuf> = existing(DEVICES.iter().copied()).collect();
    let devices = plan.keep_all(&devices)?;
    let resolver = if policy.needs_names { existing([RESOLVER]).next() } else { None };
    let resolver = resolver.map(|path| Ok::<_, Error>((plan.keep(&path)?, path))).transpose()?;
    let shown = plan.keep_all(&policy.shown_below(&covered))?;

    for (slot, _) in writable.iter().chain(&temporary) {
        plan.steps.push(Step::Tame { slot: *slot, read_only: false });
    }
    for (slot, _) in shown.iter().chain(&resolver) {
        plan.steps.push(Step::Tame { slot: *slot, read_only: true });
    }
    let is_all_writable = policy.writable.iter().any(|path| path == Path::new("/"));
    plan.steps.push(Step::Lock { path: c"/".to_owned(), read_only: !is_all_writable });
    for path in &covers.sockets {
        plan.memory(path, BARE)?;
    }
    plan.temporary(&covers, temporary)?;
    for path in &covers.memory {
        plan.memory(path, SCRATCH)?;
    }
    let mut trees: Vec<(usize, PathBuf)> = [writable, shown, resolver.into_iter().collect()].concat();
    trees.retain(|(_, path)| path != Path::new("/"));
    trees.sort_by_key(|(_, path)| path.components().count());
    for (_, path) in &trees {
        plan.mount_point(path, &covered)?;
    }
    // Once the mount points are made, and before anything writable is below it.
    for path in &covers.sockets {
        plan.steps.push(Step::Lock { path: c_string(path)?, read_only: true });
    }
    for (slot, path) in trees {
        plan.put(slot, &path)?;
    }
    plan.devices(devices)?;
    plan.protect(policy)?;
    plan.hide(policy, &covered)?;
    plan.steps.push(Step::Processes { limit: process_limit(policy) });
    Ok(plan)
}

/// What is covered, so that what stands below it must be put back: the directories of the machine as they are called without
/// links.
pub(crate) struct Covers {
    pub(crate) temporary: Vec<PathBuf>,
    pub(crate) sockets: Vec<PathBuf>,
    memory: Vec<PathBuf>,
}

impl Covers {
    pub(crate) fn look() -> Self {
        Self {
            temporary: existing(TEMPORARY).collect(),
            sockets: existing(SOCKETS).collect(),
            memory: existing([SHARED_MEMORY]).collect(),
        }
    }

    pub(crate) fn all(&self) -> Vec<PathBuf> {
        self.temporary.iter().chain(&self.sockets).chain(&self.memory).cloned().collect()
    }
}

impl Mounts {
    fn keep(&mut self, path: &Path) -> Result<usize, Error> {
        let slot = self.slot_count;
        self.slot_count += 1;
        self.steps.push(Step::Keep { path: c_string(path)?, slot });
        Ok(slot)
    }

    fn keep_all(&mut self, paths: &[PathBuf]) -> Result<Vec<(usize, PathBuf)>, Error> {
        paths.iter().map(|path| Ok((self.keep(path)?, path.clone()))).collect()
    }

    fn put(&mut self, slot: usize, path: &Path) -> Result<(), Error> {
        self.steps.push(Step::Put { slot, path: c_string(path)? });
        Ok(())
    }

    fn memory(&mut self, path: &Path, options: &'static CStr) -> Result<(), Error> {
        self.steps.push(Step::Memory { path: c_string(path)?, options });
        Ok(())
    }

    /// The temporary directories: the session's own, or one that ends with the process.
    fn temporary(&mut self, covers: &Covers, kept: Vec<(usize, PathBuf)>) -> Result<(), Error> {
        if kept.is_empty() {
            for path in &covers.temporary {
                self.memory(path, SCRATCH)?;
            }
        }
        kept.into_iter().try_for_each(|(slot, path)| self.put(slot, &path))
    }

    /// What leads to a path below something covered is not there any more, and is made again.
    fn mount_point(&mut self, path: &Path, covered: &[PathBuf]) -> Result<(), Error> {
        let Some(cover) = covered.iter().find(|cover| path.starts_with(cover)) else { return Ok(()) };
        let below = path.strip_prefix(cover).unwrap_or(path);
        let mut at = cover.clone();
        for component in below.components() {
            at.push(component);
            self.steps.push(Step::Directory { path: c_string(&at)? });
        }
        Ok(())
    }

    fn devices(&mut self, kept: Vec<(usize, PathBuf)>) -> Result<(), Error> {
        for (slot, path) in kept {
            self.put(slot, &path)?;
        }
        if existing(["/dev/pts"]).next().is_none() {
            return Ok(());
        }
        self.steps.push(Step::Terminals);
        if Path::new("/dev/ptmx").symlink_metadata().is_ok_and(|found| !found.is_symlink()) {
            let slot = self.keep(Path::new("/dev/pts/ptmx"))?;
            self.put(slot, Path::new("/dev/ptmx"))?;
        }
        Ok(())
    }

    /// Protected paths become read-only mounts, and what leads to them cannot be moved.
    fn protect(&mut self, policy: &Resolved) -> Result<(), Error> {
        let protected = Protected::find(policy)?;
        self.anchor(anchors(policy, &protected.paths))?;
        for path in &protected.paths {
            let slot = self.keep(path)?;
            self.steps.push(Step::Tame { slot, read_only: true });
            self.put(slot, path)?;
        }
        self.placeholders = protected.placeholders;
        Ok(())
    }

    /// Hidden paths are covered by something that cannot be read.
    fn hide(&mut self, policy: &Resolved, covered: &[PathBuf]) -> Result<(), Error> {
        if policy.hidden.is_empty() {
            return Ok(());
        }
        let hidden = hidden(policy, covered);
        self.anchor(anchors(policy, &hidden))?;
        self.steps.push(Step::Veil);
        for path in hidden {
            let veil = if path.is_dir() { VEIL_DIRECTORY } else { VEIL_FILE };
            let slot = self.slot_count;
            self.slot_count += 1;
            self.steps.push(Step::Keep { path: veil.to_owned(), slot });
            // What lies outside comes and goes without us: the socket of a service, say. Nobody inside can take it away.
            match policy.root_of(&path) {
                Some(_) => self.put(slot, &path)?,
                None => self.steps.push(Step::Cover { slot, path: c_string(&path)? }),
            }
        }
        Ok(())
    }

    fn anchor(&mut self, paths: Vec<PathBuf>) -> Result<(), Error> {
        for path in paths {
            let slot = self.keep(&path)?;
            self.put(slot, &path)?;
        }
        Ok(())
    }
}

/// What is read-only inside writable roots, parents first.
pub(crate) struct Protected {
    pub(crate) paths: Vec<PathBuf>,
    /// They stand in for what does not exist.
    pub(crate) placeholders: Vec<Placeholder>,
}

impl Protected {
    /// Looks at what is there, and makes what stands in for the rest.
    pub(crate) fn find(policy: &Resolved) -> Result<Self, Error> {
        let mut found = Self { paths: Vec::new(), placeholders: Vec::new() };
        for path in &policy.protected {
            let Some(root) = policy.root_of(path) else { continue };
            let at = first_missing(path, root).unwrap_or_else(|| path.clone());
            // Of what is missing whole, one stand-in is enough.
            if found.paths.contains(&at) {
                continue;
            }
            if at.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
                let reason = format!("{} is a link, and a link cannot be protected", at.display());
                return Err(Error::wall("protect a path", io::Error::other(reason)));
            }
            if at.symlink_metadata().is_err() || Placeholder::is_at(&at) {
                let made =
                    Placeholder::new(&at).map_err(|source| Error::wall("stand in for a path", source))?;
                let Some(placeholder) = made else { continue };
                found.placeholders.push(placeholder);
            }
            found.paths.push(at);
        }
        found.paths.sort_by_key(|path| path.components().count());
        Ok(found)
    }
}

/// The directories that lead from a writable root to these paths. They become mounts as well: a mount point cannot be
/// renamed, so that nobody can move one away and make the path anew.
pub(crate) fn anchors(policy: &Resolved, paths: &[PathBuf]) -> Vec<PathBuf> {
    let between = |path: &PathBuf| -> Vec<PathBuf> {
        let Some(root) = policy.root_of(path) else { return Vec::new() };
        let parents = path.ancestors().skip(1).take_while(|at| at.starts_with(root) && *at != root);
        parents.map(Path::to_owned).collect()
    };
    let mut anchors: Vec<PathBuf> = paths.iter().flat_map(between).collect();
    anchors.sort_by(|one, other| (one.components().count(), one).cmp(&(other.components().count(), other)));
    anchors.dedup();
    anchors
}

/// What is to be covered. What lies below something hidden is hidden with it, and could not be reached any more.
pub(crate) fn hidden(policy: &Resolved, covered: &[PathBuf]) -> Vec<PathBuf> {
    let visible = policy.hidden.iter().filter(|path| policy.is_visible(path, covered));
    let mut hidden: Vec<PathBuf> = visible.cloned().collect();
    hidden.sort();
    hidden.dedup_by(|later, earlier| later.starts_with(&*earlier));
    hidden
}

/// The first part of a path below a root that does not exist, or that only stands in for one that does not.
fn first_missing(path: &Path, root: &Path) -> Option<PathBuf> {
    let mut from_top: Vec<&Path> = path.ancestors().take_while(|at| *at != root).collect();
    from_top.reverse();
    let is_missing = |at: &&Path| at.symlink_metadata().is_err() || Placeholder::is_at(at);
    from_top.into_iter().find(is_missing).map(Path::to_owned)
}

/// The ones that are there, as they are called without links.
pub(crate) fn existing<'a>(paths: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = PathBuf> {
    let mut seen = Vec::new();
    paths.into_iter().filter_map(move |path| {
        let path = Path::new(path).canonicalize().ok().filter(|path| !seen.contains(path))?;
        seen.push(path.clone());
        Some(path)
    })
}

fn process_limit(policy: &Resolved) -> Option<CString> {
    let release = rustix::system::uname();
    let mut numbers = release.release().to_str().unwrap_or_default().split(|c: char| !c.is_ascii_digit());
    let mut next = || numbers.next().and_then(|number| number.parse::<u32>().ok()).unwrap_or_default();
    let version = (next(), next());
    let limit = policy.limits.processes.filter(|_| version >= OWN_PID_MAX)?;
    CString::new((limit + RESERVED_PIDS).to_string()).ok()
}

pub(crate) fn c_string(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| Error::wall("name a path", io::Error::from(io::ErrorKind::InvalidInput)))
}
