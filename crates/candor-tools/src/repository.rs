//! Keeps a repository what it was.
//!
//! `.git/config` and `.git/hooks` are protected by the walls, but git can be pointed elsewhere: by a `commondir` file, or
//! by spoiling what makes `.git` a repository, so that git takes the workspace itself for one and reads its `config`. Git
//! writes all these places in ordinary work, so the walls cannot close them; what was done to them is put right when the
//! one who did it has ended.

use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use candor_beneath::{self as beneath, Facts, Links, PLACE};
use rustix::fs::{
    Access, AtFlags, CWD, FileType, Mode, OFlags, accessat, fstat, mkdirat, openat, readlinkat, renameat,
    statat, symlinkat, unlinkat,
};

/// A reference or a hash.
const HEAD_BYTES_MAX: u64 = 4096;
/// Both lengths that a hash of git has in digits.
const HASH_CHARS: [usize; 2] = [40, 64];

/// Without one of these, git does not take a folder for a repository.
const FOLDERS: [&str; 2] = ["objects", "refs"];

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// A place below a folder that commands write. It is opened anew each time, as hundreds of them may be known.
#[derive(Debug, Clone)]
pub(crate) struct Whereabouts {
    /// The folder that commands write.
    pub(crate) root: PathBuf,
    /// Where it is in there; no link is followed on the way.
    pub(crate) below: PathBuf,
}

impl Whereabouts {
    /// Nothing, where it is in none of these folders.
    pub(crate) fn of(path: &Path, roots: &[PathBuf]) -> Option<Self> {
        let root = roots.iter().find(|root| path.starts_with(root))?;
        Some(Self { root: root.clone(), below: path.strip_prefix(root).ok()?.to_owned() })
    }

    /// The folder that commands write, open.
    pub(crate) fn open_root(&self) -> Option<OwnedFd> {
        openat(CWD, &self.root, PLACE, Mode::empty()).ok()
    }

    /// Opens it, where it is a folder.
    pub(crate) fn open(&self) -> Option<OwnedFd> {
        let below = if self.below.as_os_str().is_empty() { Path::new(".") } else { &self.below };
        beneath::open(self.open_root()?, below, FOLDER, Mode::empty(), Links::Never).ok()
    }

    /// How it is called, for people.
    pub(crate) fn shown(&self, name: &str) -> String {
        self.below.join(name).to_string_lossy().escape_debug().to_string()
    }
}

/// A folder that git keeps what it knows in.
#[derive(Debug)]
pub(crate) struct Repository {
    place: Whereabouts,
    /// Nothing, as long as it is not there.
    was: Option<Was>,
}

/// How it was.
#[derive(Debug)]
struct Was {
    /// Which folder.
    file: (u64, u64),
    head: Option<Vec<u8>>,
    has_commondir: bool,
    has_folders: bool,
}

impl Was {
    fn of(git: &OwnedFd) -> Self {
        Self {
            file: file(git),
            head: head(git),
            has_commondir: exists(git, "commondir"),
            has_folders: FOLDERS.iter().all(|name| is_usable(git, name)),
        }
    }
}

impl Repository {
    /// Looks at one.
    pub(crate) fn at(place: Whereabouts) -> Self {
        let was = place.open().map(|git| Was::of(&git));
        Self { place, was }
    }

    /// What the person did meanwhile is how it was. Only what git itself takes for right counts: others may be there, too.
    pub(crate) fn look_again(&mut self) {
        let Some(git) = self.place.open() else { return };
        match &mut self.was {
            Some(was) if was.file == file(&git) => was.head = head(&git).or(was.head.take()),
            other => *other = Some(Was::of(&git)),
        }
    }

    /// Puts right what would have git believe another configuration; what was done.
    pub(crate) fn put_right(&mut self) -> Vec<String> {
        let mut done = Vec::new();
        let (Some(was), Some(git)) = (&mut self.was, self.place.open()) else { return done };
        let shown = |name: &str| self.place.shown(name);
        if !was.has_commondir && exists(&git, "commondir") {
            // Git reads no folder of this name.
            let _ = unlinkat(&git, "commondir", AtFlags::empty());
            let name = shown("commondir");
            done.push(format!(
                "`{name}` was made, and has been removed: git would have read another configuration"
            ));
        }
        match head(&git) {
            Some(now) => was.head = Some(now),
            None if was.head.as_ref().is_some_and(|before| put_back(&git, before).is_some()) => {
                done.push(format!("`{}` was gone or spoilt, and has been put back", shown("HEAD")));
            }
            None => {}
        }
        for name in FOLDERS {
            if was.has_folders && !is_usable(&git, name) && make_usable(&git, name).is_some() {
                let name = shown(name);
                done.push(format!(
                    "`{name}` was gone, and there is an empty one again: without it git believes another configuration"
                ));
            }
        }
        done
    }
}

/// A link that git follows to what it believes. The walls protect where it leads, and cannot protect the link.
#[derive(Debug)]
pub(crate) struct Link {
    place: Whereabouts,
    name: &'static str,
    text: CString,
}

impl Link {
    /// Nothing, where there is none of this name.
    pub(crate) fn at(place: Whereabouts, name: &'static str) -> Option<Self> {
        let text = readlinkat(place.open()?, name, Vec::new()).ok()?;
        Some(Self { place, name, text })
    }

    /// Puts it back; what was done. What stands in its place is kept by another name.
    pub(crate) fn put_right(&self) -> Option<String> {
        let folder = self.place.open()?;
        let now = readlinkat(&folder, self.name, Vec::new());
        if now.is_ok_and(|now| now == self.text) {
            return None;
        }
        let _ = renameat(&folder, self.name, &folder, format!("{}.set-aside", self.name));
        symlinkat(&*self.text, &folder, self.name).ok()?;
        Some(format!(
            "the link `{}` was gone or led elsewhere, and has been put back",
            self.place.shown(self.name)
        ))
    }
}

fn file(git: &OwnedFd) -> (u64, u64) {
    fstat(git).map_or((0, 0), |stat| stat.file())
}

fn put_back(git: &OwnedFd, head: &[u8]) -> Option<()> {
    let _ = unlinkat(git, "HEAD", AtFlags::empty());
    // An empty folder may stand in its place.
    let _ = unlinkat(git, "HEAD", AtFlags::REMOVEDIR);
    let made = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(git, "HEAD", made, Mode::from_raw_mode(0o644)).ok()?);
    file.write_all(head).ok()
}

/// What `HEAD` holds, where git takes that for one: a reference, or a hash. Of a link, which old repositories have, it is what a
/// file would hold in its place.
fn head(git: &OwnedFd) -> Option<Vec<u8>> {
    if let Ok(link) = readlinkat(git, "HEAD", Vec::new()) {
        return link.to_bytes().starts_with(b"refs/").then(|| [b"ref: ", link.to_bytes(), b"\n"].concat());
    }
    let bytes = read(git, "HEAD")?;
    let text = str::from_utf8(&bytes).ok()?;
    let names = text.strip_prefix("ref:").is_some_and(|name| name.trim_start().starts_with("refs/"));
    let hash = text.split_ascii_whitespace().next().unwrap_or_default();
    let is_hash = HASH_CHARS.contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (names || is_hash).then_some(bytes)
}

fn read(git: &OwnedFd, name: &str) -> Option<Vec<u8>> {
    let file = File::from(openat(git, name, READ, Mode::empty()).ok()?);
    let mut bytes = Vec::new();
    file.take(HEAD_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    (!bytes.is_empty()).then_some(bytes)
}

fn exists(git: &OwnedFd, name: &str) -> bool {
    statat(git, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

/// Whether it is a folder that can be looked into, as git asks.
fn is_usable(git: &OwnedFd, name: &str) -> bool {
    let is_folder = |found: rustix::fs::Stat| FileType::from_raw_mode(found.st_mode).is_dir();
    statat(git, name, AtFlags::empty()).is_ok_and(is_folder)
        && accessat(git, name, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

fn make_usable(git: &OwnedFd, name: &str) -> Option<()> {
    // What is no folder is in the way of one. A folder that nobody can look into is kept, by another name: to change its mode could
    // change that of whatever a link leads to, if one is put there meanwhile.
    let _ = unlinkat(git, name, AtFlags::empty());
    let _ = renameat(git, name, git, format!("{name}.closed"));
    mkdirat(git, name, Mode::from_raw_mode(0o755)).ok()
}
