//! Log files while they are written.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use regex::Regex;

use super::files::{Globs, Identity};
use super::{ENTRIES_MAX, LogRules, Scanner};
use crate::found::{LogFindings, LogSource};

/// How many files are watched at once, rotated ones among them.
const FILES_MAX: usize = 64;
/// How much one poll reads.
const POLL_BYTES: usize = 8 << 20;
/// How much is read at once.
const PIECE_BYTES: usize = 256 * 1024;
/// How soon the folders are looked at again.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How much longer than a look itself the time to the next one is: a glob over a large tree must not take a core.
const LOOK_SHARE: u32 = 20;
/// How many files that match are looked at, those written last.
const LOOKED_AT_MAX: usize = 1_024;
/// What of a file's beginning tells whether it is still the same.
const BEGINNING_BYTES: usize = 64;
/// In how much of a file a line is looked for.
const LINES_BYTES: usize = 1 << 20;
/// How many findings are given. A file that is cut every moment would give one each time.
const FINDINGS_MAX: usize = 256;

/// What came of watching.
#[derive(Debug)]
pub struct Watched {
    /// What was found, file by file.
    pub findings: Vec<LogFindings>,
    /// How many files were written to and not read, since there were too many.
    pub left_out: usize,
}

/// Log files by globs, from the moment it begins.
///
/// A file that is there when it begins is read from its end, one that appears later from its first byte. A file that got
/// shorter, or whose beginning is another, was written anew, and is read from its first byte. A file that was renamed is
/// read to its end through what is open of it, and whatever has its name now is another file.
///
/// Only so many files are open at once. Those that were there when it began and have not grown since need not be: there is
/// nothing new in them. One that grows and finds no room is left out, and counted.
#[derive(Debug)]
pub struct Watch {
    globs: Globs,
    rules: Arc<LogRules>,
    source: LogSource,
    since: SystemTime,
    files: Vec<Open>,
    /// What was found in files that are no more, or were something else before.
    done: Vec<LogFindings>,
    /// The files that were there when it began and are not open, with how long they were: what is new begins there.
    waiting: HashMap<Identity, u64>,
    left_out: usize,
    next_look: Instant,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Open {
    file: File,
    identity: Identity,
    path: PathBuf,
    /// Where it is read from.
    from: u64,
    /// Where the next byte is read.
    place: u64,
    beginning: Vec<u8>,
    scanner: Scanner,
    /// Whether its name is its own no more.
    is_detached: bool,
}

impl Watch {
    /// Begins now: what is in the files already is not looked at.
    pub fn begin(root: &Path, globs: &[String], rules: Arc<LogRules>, source: LogSource) -> Self {
        let mut watch = Self {
            globs: Globs::new(root, globs),
            rules,
            source,
            since: SystemTime::now(),
            files: Vec::new(),
            done: Vec::new(),
            waiting: HashMap::new(),
            left_out: 0,
            next_look: Instant::now(),
            buffer: Vec::new(),
        };
        watch.start();
        watch
    }

    /// Reads what is new, and no more than a bounded part of it; true if there may be more at once.
    pub fn poll(&mut self) -> bool {
        if Instant::now() >= self.next_look {
            self.look();
        }
        self.read(POLL_BYTES)
    }

    /// A line that matches, in what was written since it began; of a long file, in the end of that.
    pub fn line(&mut self, pattern: &Regex) -> Option<String> {
        if Instant::now() >= self.next_look {
            self.look();
        }
        self.files.iter().find_map(|watched| watched.line(pattern))
    }

    /// Reads what is left, and gives what was found, file by file. At most 200 entries are kept, over all of them.
    pub fn finish(mut self) -> Watched {
        self.look();
        // What is there now is read; a writer that never rests does not keep us.
        let mut left: u64 = self.files.iter().map(Open::unread).sum();
        while left > 0 && self.read(POLL_BYTES) {
            left = left.saturating_sub(POLL_BYTES as u64);
        }
        for watched in self.files.drain(..) {
            self.done.push(watched.scanner.finish());
        }
        let mut findings = self.done;
        findings.retain(|found| found.count > 0 || found.range.from < found.range.to);
        findings.sort_by(|one, other| one.range.file.cmp(&other.range.file));
        let mut kept = 0;
        for found in &mut findings {
            found.entries.truncate(ENTRIES_MAX - kept);
            kept += found.entries.len();
        }
        Watched { findings, left_out: self.left_out }
    }

    /// Opens the files that were written last, and notes how long all others are.
    fn start(&mut self) {
        for (_, path) in self.globs.matching() {
            // What cannot be opened is gone again, or no log.
            let Ok(file) = self.globs.open(&path) else { continue };
            let Ok(identity) = Identity::of(&file) else { continue };
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            // A second name of the same file is no other file.
            if self.files.iter().any(|watched| watched.identity == identity) {
                continue;
            }
            if self.files.len() < FILES_MAX {
                let opened = self.opened(file, identity, path, length);
                self.files.push(opened);
            } else {
                self.waiting.insert(identity, length);
            }
        }
    }

    /// Looks for files that are new or have grown, and for names that have moved.
    fn look(&mut self) {
        let started = Instant::now();
        let (mut named, mut fresh) = (Vec::new(), Vec::new());
        let all = self.globs.matching();
        self.left_out = all.iter().skip(LOOKED_AT_MAX).filter(|(time, _)| *time >= self.since).count();
        for (_, path) in all.into_iter().take(LOOKED_AT_MAX) {
            let Ok(file) = self.globs.open(&path) else { continue };
            let Ok(identity) = Identity::of(&file) else { continue };
            // Known, renamed, or a second name of the same file.
            if self.files.iter().any(|watched| watched.identity == identity) {
                named.push(identity);
                continue;
            }
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            match self.waiting.get(&identity) {
                Some(before) if *before == length => {}
                // Shorter than it was: it was written anew.
                Some(before) if *before > length => fresh.push((identity, path, 0)),
                Some(before) => fresh.push((identity, path, *before)),
                None => fresh.push((identity, path, 0)),
            }
        }
        for watched in &mut self.files {
            watched.is_detached = !named.contains(&watched.identity);
        }
        for (identity, path, place) in fresh {
            if self.files.iter().any(|watched| watched.identity == identity) {
                continue;
            }
            if self.files.len() >= FILES_MAX && !self.drop_detached() && !self.drop_quiet() {
                self.left_out += 1;
                continue;
            }
            // Not all of them are held open at once, so that it may be another one by now: the next look sees that.
            let Ok(file) = self.globs.open(&path) else { continue };
            if Identity::of(&file).is_ok_and(|now| now == identity) {
                self.waiting.remove(&identity);
                let opened = self.opened(file, identity, path, place);
                self.files.push(opened);
            }
        }
        self.next_look = Instant::now() + LOOK_EVERY.max(started.elapsed() * LOOK_SHARE);
    }

    fn opened(&self, file: File, identity: Identity, path: PathBuf, place: u64) -> Open {
        let (scanner, beginning) = (self.scanner(&path, place), beginning(&file, place));
        Open { file, identity, path, from: place, place, beginning, scanner, is_detached: false }
    }

    /// Makes room: a file to which nothing was written since it began waits again.
    fn drop_quiet(&mut self) -> bool {
        let is_quiet = |watched: &Open| watched.place == watched.from && watched.unread() == 0;
        let quiet = self.files.iter().rposition(|watched| is_quiet(watched) && !watched.was_cut());
        let Some(index) = quiet else { return false };
        let watched = self.files.swap_remove(index);
        self.waiting.insert(watched.identity, watched.place);
        true
    }

    /// Makes room: a file without a name goes, after it has been read to its end.
    fn drop_detached(&mut self) -> bool {
        let is_over = |watched: &Open| watched.is_detached && watched.unread() < POLL_BYTES as u64;
        let Some(index) = self.files.iter().position(is_over) else { return false };
        let mut watched = self.files.swap_remove(index);
        watched.read(POLL_BYTES, &mut vec![0; PIECE_BYTES]);
        self.keep(watched.scanner.finish());
        true
    }

    fn scanner(&self, path: &Path, place: u64) -> Scanner {
        let name = path.to_string_lossy().into_owned();
        Scanner::new(Arc::clone(&self.rules), self.source, name, place, Some(self.since))
    }

    /// Reads up to so many bytes; true if there may be more.
    fn read(&mut self, bytes_max: usize) -> bool {
        let share = (bytes_max / self.files.len().max(1)).max(PIECE_BYTES);
        let mut more = false;
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(PIECE_BYTES, 0);
        for index in 0..self.files.len() {
            self.start_anew_if_cut(index);
            if let Some(watched) = self.files.get_mut(index) {
                more |= watched.read(share, &mut buffer);
            }
        }
        self.buffer = buffer;
        more
    }

    fn start_anew_if_cut(&mut self, index: usize) {
        let Some(watched) = self.files.get(index) else { return };
        if !watched.was_cut() {
            return;
        }
        let fresh = self.scanner(&watched.path, 0);
        if let Some(watched) = self.files.get_mut(index) {
            let old = std::mem::replace(&mut watched.scanner, fresh);
            (watched.from, watched.place, watched.beginning) = (0, 0, Vec::new());
            self.keep(old.finish());
        }
    }

    /// Keeps findings, within bounds: past them, the count goes to the last one.
    fn keep(&mut self, found: LogFindings) {
        let is_full = self.done.len() >= FINDINGS_MAX;
        match self.done.last_mut() {
            Some(last) if is_full => last.count += found.count,
            _ => self.done.push(found),
        }
    }
}

impl Open {
    fn line(&self, pattern: &Regex) -> Option<String> {
        let length = self.file.metadata().ok()?.len();
        let from = self.from.max(length.saturating_sub(LINES_BYTES as u64));
        let mut bytes = vec![0; usize::try_from(length.saturating_sub(from)).ok()?.min(LINES_BYTES)];
        let read = self.file.read_at(&mut bytes, from).ok()?;
        bytes.truncate(read);
        let text = String::from_utf8_lossy(&bytes);
        text.lines().find(|line| pattern.is_match(line)).map(str::to_owned)
    }

    fn unread(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len()).saturating_sub(self.place)
    }

    /// Whether it was written anew: it is shorter than what was read of it, or begins with something else.
    fn was_cut(&self) -> bool {
        let Ok(metadata) = self.file.metadata() else { return false };
        if metadata.len() < self.place {
            return true;
        }
        let has_grown = metadata.len() > self.place;
        has_grown && !beginning(&self.file, self.place).starts_with(&self.beginning)
    }

    /// Reads up to so many bytes; true if there may be more.
    fn read(&mut self, bytes_max: usize, buffer: &mut [u8]) -> bool {
        let mut read = 0;
        while read < bytes_max {
            let count = match self.file.read_at(buffer, self.place) {
                Ok(count) if count > 0 => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                _ => return false,
            };
            self.scanner.push(buffer.get(..count).unwrap_or_default());
            self.place += count as u64;
            read += count;
            if self.beginning.len() < BEGINNING_BYTES {
                self.beginning = beginning(&self.file, self.place);
            }
        }
        true
    }
}

/// The first bytes of what was read of a file.
fn beginning(file: &File, place: u64) -> Vec<u8> {
    let length = usize::try_from(place).map_or(BEGINNING_BYTES, |place| place.min(BEGINNING_BYTES));
    let mut bytes = vec![0; length];
    let read = file.read_at(&mut bytes, 0).unwrap_or(0);
    bytes.truncate(read);
    bytes
}
