//! What strace has seen: the calls of a whole run, each with its file, its bytes and its process.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::durable::{FIRST, Scene};

/// The calls that put something on a disk, on a wire or into another process.
pub(crate) const CALLS: &str = "write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync,ftruncate,fallocate,\
     openat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,clone,clone3,execve";

/// A line of a trace.
#[derive(Debug)]
pub(crate) enum Line {
    /// A call begins; most end in the same line.
    Begun(Call),
    /// A call of this name returns, of which the beginning was a line of its own.
    Returned { process: u32, name: String },
}

/// What is called, by whom, and on which file.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) process: u32,
    pub(crate) name: String,
    /// The file of the descriptor, or the path that is named; empty where there is none.
    pub(crate) file: String,
    /// The arguments as they are printed, and after them the result where it is in the same line.
    pub(crate) rest: String,
}

impl Call {
    /// Whether its result is in the same line.
    pub(crate) fn has_returned(&self) -> bool {
        !self.rest.ends_with("<unfinished ...>")
    }
}

/// Runs the scene to its end under strace, and gives what was seen.
#[track_caller]
pub(crate) fn record(scene: &Scene, more_flags: &[&str]) -> Vec<Line> {
    let file = scene.home.user().join("trace");
    let flags = ["-y", "-o", &file.display().to_string(), "-e", &format!("trace={CALLS}")].map(str::to_owned);
    let more_flags = more_flags.iter().map(|flag| (*flag).to_owned());
    scene.under_strace(&flags.into_iter().chain(more_flags).collect::<Vec<_>>(), &[FIRST]).run().ok();
    fs::read_to_string(file).expect("a trace").lines().filter_map(parse).collect()
}

/// A line such as `17 write(3</a/file>, "x", 1) = 1`, or `17 <... write resumed>) = 1`; nothing for signals and ends.
fn parse(line: &str) -> Option<Line> {
    let (process, line) = line.split_once(' ')?;
    let (process, line) = (process.parse().ok()?, line.trim_start());
    if let Some(resumed) = line.strip_prefix("<... ") {
        let (name, _) = resumed.split_once(" resumed>")?;
        return Some(Line::Returned { process, name: name.to_owned() });
    }
    let (name, rest) = line.split_once('(')?;
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let first = rest.split(',').next().unwrap_or_default();
    let of_descriptor = first.split_once('<').and_then(|(_, file)| file.split_once('>'));
    // A path that begins at the current folder is the one that is named.
    let file = match of_descriptor {
        Some((file, _)) if !first.starts_with("AT_FDCWD") => file,
        _ => rest.split('"').nth(1).unwrap_or_default(),
    };
    let file = String::from_utf8_lossy(&unescaped(file)).into_owned();
    Some(Line::Begun(Call { process, name: name.to_owned(), file, rest: rest.to_owned() }))
}

/// The bytes of a text in which `-xx` has written each byte as `\x2f`. Any other text is what it says.
pub(crate) fn unescaped(text: &str) -> Vec<u8> {
    let Some(digits) = text.strip_prefix("\\x") else {
        return text.as_bytes().to_vec();
    };
    let byte = |digits| u8::from_str_radix(digits, 16).unwrap_or_else(|error| panic!("{error}: {digits:?}"));
    digits.split("\\x").map(byte).collect()
}

/// Some calls of one kind on one file, or of one kind wherever strace cannot tell files apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) call: String,
    pub(crate) file: Option<String>,
}

/// How often each place was reached. strace counts for each thread by itself, so the highest count of a thread is what
/// can be reached by number, and the thread that comes first to a number is the one that is met there. A file is written
/// by one thread while a run goes on; only the first calls of the one that closes the database hide behind the other's.
pub(crate) fn places(lines: &[Line], root: &Path) -> BTreeMap<Place, usize> {
    let mut counts: BTreeMap<(Place, u32), usize> = BTreeMap::new();
    for line in lines {
        let Line::Begun(call) = line else { continue };
        let is_ours = Path::new(&call.file).starts_with(root);
        // Opening libraries is no step of a run, and there are hundreds of them.
        if call.name == "openat" && !is_ours {
            continue;
        }
        let place = Place { call: call.name.clone(), file: is_ours.then(|| call.file.clone()) };
        *counts.entry((place, call.process)).or_default() += 1;
    }
    let mut highest = BTreeMap::new();
    for ((place, _), count) in counts {
        let most = highest.entry(place).or_default();
        *most = count.max(*most);
    }
    highest
}

impl Place {
    /// What makes strace do something at the so-manieth call here, such as `signal=KILL:when=3`.
    pub(crate) fn inject(&self, what: &str) -> Vec<String> {
        let call = &self.call;
        let mut flags =
            vec!["-e".to_owned(), format!("trace={call}"), "-e".to_owned(), format!("inject={call}:{what}")];
        if let Some(file) = &self.file {
            flags.extend(["-P".to_owned(), file.clone()]);
        }
        flags
    }

    /// The same place in another home.
    pub(crate) fn moved(&self, from: &Path, to: &Path) -> Self {
        let file = self.file.as_ref().map(|file| {
            let inside = Path::new(file).strip_prefix(from).expect("a file of the scene");
            to.join(inside).display().to_string()
        });
        Self { call: self.call.clone(), file }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.file.as_deref().map(Path::new).and_then(Path::file_name);
        write!(f, "{}({})", self.call, name.unwrap_or_default().display())
    }
}
