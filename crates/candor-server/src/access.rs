//! The token: whoever can read the file `token` of the home may use the server.
//!
//! It is read again for every client that asks to be let in, so that writing another one into the file is all it takes
//! to shut the old one out. Sockets that are open are closed then, too: whenever something goes through any of them, or a
//! client comes, the file is looked at again, at most once a second. A socket through which nothing goes learns it later,
//! and has learned nothing else meanwhile.
//!
//! The file is small and local, so it is read without leaving the thread.

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::Error;

/// 256 bits: nobody guesses that.
const RANDOM_BYTES: usize = 32;
/// A shorter token than this, written by hand, is taken for none at all: it could be guessed.
const TOKEN_BYTES_MIN: usize = 32;
/// A file longer than this is no token.
const TOKEN_BYTES_MAX: usize = 1024;
/// How often the file is looked at while something goes through sockets.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Who may use the server.
#[derive(Debug)]
pub struct Access {
    file: PathBuf,
    /// A plain lock: it is held for a look at a small file and never across a wait.
    state: Mutex<State>,
}

/// How the token came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// It was there.
    Before,
    /// There was none.
    Now,
    /// There was one that others could read, or that could be guessed; it no longer counts.
    Anew,
}

#[derive(Debug)]
struct State {
    token: Option<String>,
    stamp: Option<Stamp>,
    looked: Instant,
    /// Cancelled once the token is another one.
    valid: CancellationToken,
}

/// What changes when a file is written or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    mode: u32,
    changed: (i64, i64),
}

impl Access {
    /// Reads the token in the file, or makes one that only the owner can read.
    pub fn open(file: PathBuf) -> Result<(Self, Made), Error> {
        let fail = |source| Error::Token { path: file.clone(), source };
        let made = match read(&file) {
            Ok(Some(_)) => Made::Before,
            Ok(None) => {
                replace(&file).map_err(fail)?;
                Made::Anew
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                create(&file).map_err(fail)?;
                Made::Now
            }
            Err(error) => return Err(fail(error)),
        };
        let token = read(&file).map_err(fail)?;
        let state =
            State { token, stamp: stamp(&file), looked: Instant::now(), valid: CancellationToken::new() };
        Ok((Self { file, state: Mutex::new(state) }, made))
    }

    /// The token in force, to be masked wherever it could appear.
    pub fn token(&self) -> Option<String> {
        self.state().token.clone()
    }

    /// Whether this is the token. If so, what is given is cancelled once it no longer is.
    pub(crate) fn admits(&self, offered: Option<&[u8]>) -> Option<CancellationToken> {
        let mut state = self.state();
        state.read_again(&self.file);
        let token = state.token.as_deref()?;
        is_same(offered?, token.as_bytes()).then(|| state.valid.clone())
    }

    /// Looks whether the token is another one, unless somebody has just looked.
    pub(crate) fn look(&self) {
        let mut state = self.state();
        if state.looked.elapsed() < LOOK_INTERVAL {
            return;
        }
        state.looked = Instant::now();
        if state.stamp != stamp(&self.file) {
            state.read_again(&self.file);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn read_again(&mut self, file: &Path) {
        // Before the content: a change in between is seen at the next look.
        self.stamp = stamp(file);
        // A file that cannot be read lets nobody in.
        let token = read(file).ok().flatten();
        if token != self.token {
            self.token = token;
            std::mem::take(&mut self.valid).cancel();
        }
    }
}

/// Takes as long for a wrong token as for the right one, whatever the length of what is offered.
fn is_same(offered: &[u8], token: &[u8]) -> bool {
    let mut differ = offered.len() ^ token.len();
    for (at, byte) in token.iter().enumerate() {
        differ |= usize::from(byte ^ offered.get(at).copied().unwrap_or_default());
    }
    black_box(differ) == 0
}

/// The token in the file; none when others can read it too, or when it could be guessed.
fn read(file: &Path) -> io::Result<Option<String>> {
    let mut text = String::new();
    // Before it is opened: a pipe would be waited for, and everybody with it.
    match fs::metadata(file)? {
        found if found.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        found if !found.is_file() => return Err(io::Error::other("it is not a file")),
        _ => {}
    }
    let opened = File::open(file)?;
    if opened.metadata()?.mode() & 0o077 != 0 {
        return Ok(None);
    }
    opened.take(TOKEN_BYTES_MAX as u64 + 1).read_to_string(&mut text)?;
    let token = text.trim();
    let sound = (TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&token.len());
    Ok((sound && token.bytes().all(|byte| byte.is_ascii_graphic())).then(|| token.to_owned()))
}

fn stamp(file: &Path) -> Option<Stamp> {
    let data = fs::metadata(file).ok()?;
    let changed = (data.ctime(), data.ctime_nsec());
    Some(Stamp { inode: data.ino(), bytes: data.len(), mode: data.mode(), changed })
}

/// Puts a new token there, unless another process has just done so.
fn create(file: &Path) -> io::Result<()> {
    let draft = draft(file)?;
    let linked = match fs::hard_link(&draft, file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        other => other,
    };
    fs::remove_file(&draft)?;
    linked
}

/// Puts a new token in the place of one that does not count.
fn replace(file: &Path) -> io::Result<()> {
    fs::rename(draft(file)?, file)
}

/// A new token in a file beside it, so that nobody ever reads half a token.
fn draft(file: &Path) -> io::Result<PathBuf> {
    let mut random = [0; RANDOM_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let text = hex::encode(random);
    let draft = file.with_extension(format!("new-{}", std::process::id()));
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft);
    let mut opened = match made {
        // What a process with our number, which is no more, has left behind.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(&draft)?;
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?
        }
        other => other?,
    };
    writeln!(opened, "{text}")?;
    opened.sync_all()?;
    Ok(draft)
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
