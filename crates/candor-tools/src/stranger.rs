//! A repository that the index names and that nobody knew when the walls went up: a command may have made it, and git goes into
//! it by itself. So may it have made one of the very folder in which the person stands.
//!
//! It is left where it is if its configuration names nothing that git would run. All else is set aside, by another name: it may
//! be somebody's work. Folders are opened one below the other and no link is followed: who made it may still be there.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use candor_beneath::{self as beneath, Facts, Links};
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, Stat, chmod, fstat, openat, renameat, renameat_with,
    statat,
};
use rustix::io::Errno;
use uuid::Uuid;

use crate::harmless::is_harmless;
use crate::lookalike::is_repository;

/// A longer configuration was not written by git for a new repository.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// A path, and what stands before it.
const GITFILE_BYTES_MAX: u64 = 8192;
/// So many names are tried before one that nobody can have taken.
const NAMES_MAX: usize = 64;
/// Of so many hooks it is known how they were.
const HOOKS_MAX: usize = 256;

const PLACE: OFlags = beneath::PLACE.union(OFlags::NOFOLLOW);
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// What is found where an index names a repository.
pub(crate) enum Met {
    /// None.
    Nothing,
    /// One that git runs nothing for.
    Harmless,
    /// Any other.
    Doubtful(Doubtful),
}

/// What makes git go there, and where it lies.
pub(crate) struct Doubtful {
    folder: OwnedFd,
    name: OsString,
    /// Both as they are called below the root.
    path: PathBuf,
}

/// When a file was changed last, as nobody but the kernel can say.
pub(crate) type Stamp = ((u64, u64), FileType, u32, i64, (i64, i64));

/// Looks at a path below a root. `closed` is what no command can write.
pub(crate) fn meet(root: impl AsFd, path: &Path, closed: &[PathBuf]) -> Met {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = path.file_name() else { return Met::Nothing };
    // Git goes over no link on the way either.
    let Ok(above) = beneath::open(root, above, PLACE, Mode::empty(), Links::Never) else {
        return Met::Nothing;
    };
    let Ok(found) = statat(&above, name, AtFlags::SYMLINK_NOFOLLOW) else { return Met::Nothing };
    match kind(&found) {
        FileType::Directory => {}
        // Not every git looks whether it is one.
        FileType::Symlink if statat(&above, Path::new(name).join(".git"), AtFlags::empty()).is_ok() => {
            return Met::Doubtful(Doubtful { folder: above, name: name.to_owned(), path: path.to_owned() });
        }
        _ => return Met::Nothing,
    }
    let Ok(folder) = openat(&above, name, PLACE, Mode::empty()) else { return Met::Nothing };
    let Ok(git) = statat(&folder, ".git", AtFlags::SYMLINK_NOFOLLOW) else { return Met::Nothing };
    let is_harmless = match kind(&git) {
        FileType::Directory => {
            let git = openat(&folder, ".git", FOLDER, Mode::empty());
            git.is_ok_and(|git| runs_nothing(&git).is_some())
        }
        FileType::RegularFile => leads_into(&folder, closed).is_some(),
        _ => false,
    };
    if is_harmless {
        return Met::Harmless;
    }
    Met::Doubtful(Doubtful { folder, name: ".git".into(), path: path.join(".git") })
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Looks at a folder that git takes for a repository although it is not called `.git`. Without its `HEAD` it is none.
pub(crate) fn meet_itself(folder: OwnedFd) -> Met {
    if !is_repository(&folder) {
        return Met::Nothing;
    }
    if runs_nothing(&folder).is_some() {
        return Met::Harmless;
    }
    Met::Doubtful(Doubtful { folder, name: "HEAD".into(), path: "HEAD".into() })
}

/// Whether git runs nothing for a repository, of which this is the folder.
fn runs_nothing(git: &OwnedFd) -> Option<()> {
    let is_missing = |name: &str| matches!(statat(git, name, AtFlags::SYMLINK_NOFOLLOW), Err(Errno::NOENT));
    let has_plain_config = is_missing("config")
        || read(git, "config", CONFIG_BYTES_MAX).is_some_and(|config| is_harmless(&config));
    let has_no_hooks = is_missing("hooks")
        || names(git, "hooks")?
            .all(|name| name.is_some_and(|name| name.as_encoded_bytes().ends_with(b".sample")));
    let is_all = is_missing("commondir") && is_missing("config.worktree");
    (has_plain_config && has_no_hooks && is_all).then_some(())
}

/// Whether its `.git` is a file that leads to where no command can write: what is there is the person's.
fn leads_into(folder: &OwnedFd, closed: &[PathBuf]) -> Option<()> {
    let text = read(folder, ".git", GITFILE_BYTES_MAX)?;
    let place = text.strip_prefix("gitdir: ")?;
    let place = place.strip_suffix('\n').unwrap_or(place);
    // Git takes all of the file for the path.
    if place.is_empty() || place.contains(char::is_control) {
        return None;
    }
    let place = beneath::name(folder).ok()?.join(place).canonicalize().ok()?;
    closed.iter().any(|closed| place.starts_with(closed)).then_some(())
}

/// A file that is one, and text, and not longer than this.
fn read(folder: &OwnedFd, name: &str, bytes_max: u64) -> Option<String> {
    let file = File::from(openat(folder, name, READ, Mode::empty()).ok()?);
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok().filter(|text| text.len() as u64 <= bytes_max)
}

/// What is in a folder; nothing for a name that could not be read.
fn names(folder: &OwnedFd, name: &str) -> Option<impl Iterator<Item = Option<OsString>>> {
    let folder = openat(folder, name, FOLDER, Mode::empty()).ok()?;
    let entries = Dir::new(folder).ok()?;
    let is_own = |name: &CStr| name == c"." || name == c"..";
    let name = |name: &CStr| OsStr::from_bytes(name.to_bytes()).to_owned();
    Some(entries.filter_map(move |entry| match entry {
        Ok(entry) => (!is_own(entry.file_name())).then(|| Some(name(entry.file_name()))),
        Err(_) => Some(None),
    }))
}

/// How a file is; nothing, where there is none. Of a folder only which it is: git writes into it.
pub(crate) fn stamp(folder: impl AsFd, name: impl rustix::path::Arg) -> Option<Stamp> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(stamp_of(&stat))
}

fn stamp_of(stat: &Stat) -> Stamp {
    let (size, changed) = if kind(stat).is_dir() { (0, (0, 0)) } else { (stat.st_size, stat.changed()) };
    (stat.file(), kind(stat), stat.permissions(), size, changed)
}

impl Doubtful {
    /// How all is that git believes there. The person may have had it before there were any walls.
    pub(crate) fn print(&self) -> Vec<Option<Stamp>> {
        let mut print = vec![stamp(&self.folder, &*self.name)];
        let Ok(git) = openat(&self.folder, &*self.name, FOLDER, Mode::empty()) else { return print };
        print.extend(["config", "config.worktree", "commondir", "hooks"].map(|name| stamp(&git, name)));
        if let (Ok(hooks), Some(names)) = (openat(&git, "hooks", FOLDER, Mode::empty()), names(&git, "hooks"))
        {
            let mut names: Vec<OsString> = names.flatten().take(HOOKS_MAX).collect();
            names.sort();
            print.extend(names.iter().map(|name| stamp(&hooks, &**name)));
        }
        print
    }

    /// Gives it another name; says so.
    pub(crate) fn set_aside(&self) -> String {
        let name = |path: &Path| path.to_string_lossy().escape_debug().to_string();
        let here = name(&self.path);
        match self.renamed() {
            Some(aside) => {
                let aside = name(&self.path.with_file_name(aside));
                format!(
                    "`{here}` was set aside as `{aside}`: git would have run what its configuration names, or could be made to"
                )
            }
            None => format!(
                "`{here}` could not be set aside: git may run what its configuration names, so no git is to be used here before a person has looked at it"
            ),
        }
    }

    fn renamed(&self) -> Option<OsString> {
        let numbered = (0..NAMES_MAX).map(|at| if at == 0 { String::new() } else { format!(".{at}") });
        let mut may_open_up = true;
        for end in numbered.chain([format!(".{}", Uuid::now_v7())]) {
            let mut aside = self.name.clone();
            aside.push(format!(".set-aside{end}"));
            let mut renamed = self.rename_to(&aside);
            if matches!(renamed, Err(Errno::ACCESS | Errno::PERM)) && may_open_up {
                may_open_up = false;
                self.open_up();
                renamed = self.rename_to(&aside);
            }
            match renamed {
                Ok(()) => return Some(aside),
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::ISDIR | Errno::NOTDIR) => {}
                Err(_) => return None,
            }
        }
        None
    }

    fn rename_to(&self, aside: &OsStr) -> Result<(), Errno> {
        match renameat_with(&self.folder, &*self.name, &self.folder, aside, RenameFlags::NOREPLACE) {
            // Not every file system can.
            Err(Errno::INVAL | Errno::NOSYS) if stamp(&self.folder, aside).is_none() => {
                renameat(&self.folder, &*self.name, &self.folder, aside)
            }
            Err(Errno::INVAL | Errno::NOSYS) => Err(Errno::EXIST),
            renamed => renamed,
        }
    }

    /// In a folder that may not be written, nothing can be given another name; it is the person's all the same.
    fn open_up(&self) {
        // Not through the descriptor, which is only a hold.
        if let (Ok(stat), Ok(name)) = (fstat(&self.folder), beneath::name(&self.folder)) {
            let _ = chmod(name, beneath::mode(stat.permissions() | 0o700));
        }
    }
}
