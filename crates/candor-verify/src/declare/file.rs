//! Reads a file of the workspace, and only of the workspace.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// Largest file that declarations are read from. A hundred services are 50 KB; a megabyte is a mistake or an attack.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// How often the kernel is asked again when somebody renamed a folder under its eyes.
const RETRIES_MAX: usize = 32;
/// A pipe must not be waited for.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// What came of reading a file.
#[derive(Debug)]
pub(super) enum Content {
    /// There is none.
    Missing,
    /// Its text, with `\n` at the end of each line and no mark at its beginning.
    Text(String),
    /// Why it was not read, and the line and column that are meant, or twice 0.
    Refused(String, u32, u32),
}

/// Reads a file at a path relative to the workspace.
///
/// The kernel resolves the whole path at once and refuses a step out of the workspace: the lines of any file of the owner's
/// would otherwise be shown as mistakes.
pub(super) fn read(root: &Path, path: &Path) -> Content {
    let refused = |why: String| Content::Refused(why, 0, 0);
    let file = match open(root, path) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT | Errno::NOTDIR) => return Content::Missing,
        Err(Errno::XDEV) => {
            return refused(
                "this is a link that leads out of the workspace, and is not read; put the file itself here"
                    .to_owned(),
            );
        }
        Err(Errno::LOOP) => {
            return refused("this is a link that cannot be followed; put the file itself here".to_owned());
        }
        Err(error) => return refused(format!("this cannot be read: {}", std::io::Error::from(error))),
    };
    match content(file) {
        Ok(content) => content,
        Err(error) => refused(format!("this cannot be read: {error}")),
    }
}

fn content(file: File) -> std::io::Result<Content> {
    if !file.metadata()?.is_file() {
        return Ok(Content::Refused("this is no file; declarations are read from a file".to_owned(), 0, 0));
    }
    let mut bytes = Vec::new();
    // One more than is allowed tells whether there is more, also where it grows meanwhile.
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let message = format!("this is larger than {FILE_BYTES_MAX} bytes, and is not read");
        return Ok(Content::Refused(message, 0, 0));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Content::Text(tidied(&text)),
        Err(error) => {
            let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let good = tidied(&String::from_utf8_lossy(good));
            let last = good.rsplit('\n').next().unwrap_or_default();
            let (line, column) = (good.split('\n').count(), last.chars().count() + 1);
            let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            Content::Refused(
                "this is not UTF-8 text from here on; save the file as UTF-8".to_owned(),
                number(line),
                number(column),
            )
        }
    })
}

/// One kind of line end, and no byte order mark, so that lines and columns are those of an editor.
fn tidied(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

fn open(root: &Path, path: &Path) -> Result<OwnedFd, Errno> {
    let folder = openat(CWD, root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..RETRIES_MAX {
        match openat2(&folder, path, READ, Mode::empty(), beneath) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::NOSYS | Errno::PERM) => return walk(&folder, path),
            opened => return opened,
        }
    }
    Err(Errno::AGAIN)
}

/// The same where the kernel cannot: one step at a time, and no link is followed at all.
fn walk(root: impl AsFd, path: &Path) -> Result<OwnedFd, Errno> {
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = openat(root, ".", step, Mode::empty())?;
    let mut components = path.components().peekable();
    while let Some(component) = components.next() {
        let Component::Normal(name) = component else { return Err(Errno::XDEV) };
        if components.peek().is_none() {
            return openat(&folder, name, READ | OFlags::NOFOLLOW, Mode::empty());
        }
        folder = openat(&folder, name, step, Mode::empty())?;
    }
    Err(Errno::NOENT)
}
