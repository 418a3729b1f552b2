//! Reads a file of the workspace, and only of the workspace.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

use candor_beneath::{Links, PLACE};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

/// Largest file that declarations are read from. A hundred services are 50 KB; a megabyte is a mistake or an attack.
const FILE_BYTES_MAX: u64 = 1 << 20;
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
    let folder = openat(CWD, root, PLACE, Mode::empty())?;
    candor_beneath::open(&folder, path, READ, Mode::empty(), Links::Inside)
}
