//! Reads one log as it grows.

use std::sync::Arc;
use std::time::SystemTime;

use candor_protocol::LogRange;

use super::candidate::{self, Marks, marks};
use super::crash::{self, Crash};
use super::join::{Keeps, Open};
use super::level::Level;
use super::line::{Begin, Form, Line, TEXT_BYTES_MAX, level};
use super::rules::Search;
use super::stamp::Stamp;
use super::{ENTRIES_MAX, LogRules, clean, stamp};
use crate::found::{LogEntry, LogFindings, LogSource};

/// How much of the beginning of a line is kept. Log entries with a whole request in them are this long; more is data.
const LINE_BYTES_MAX: usize = 256 * 1024;
/// How much of the end of a longer line is kept: in JSON the level may stand there.
const END_BYTES: usize = 4 * 1024;
/// How much of the line before is remembered: enough for its level.
const PREVIOUS_BYTES: usize = 512;

/// Reads one log as it grows, and keeps what tells of a failure.
#[derive(Debug)]
pub struct Scanner {
    rules: Arc<LogRules>,
    source: LogSource,
    file: String,
    since: Option<SystemTime>,
    from: u64,
    /// How much was read.
    read: u64,
    /// The last line, which may go on.
    partial: Partial,
    /// The last byte was a carriage return; a line feed after it belongs to it.
    after_return: bool,
    /// The beginning of the line before.
    previous: Vec<u8>,
    open: Option<Open>,
    entries: Vec<LogEntry>,
    count: u64,
    /// The last time that was judged, and whether it was too old: entries of one moment have the same.
    judged: Option<(Stamp, bool)>,
}

/// A line that has not ended yet.
#[derive(Debug, Default)]
struct Partial {
    head: Vec<u8>,
    /// What came behind the head and has not been dropped.
    rest: Vec<u8>,
    offset: u64,
    is_denied: bool,
}

impl Scanner {
    /// A reader whose first byte stands at `offset`. Entries that say they are older than `since` are not new.
    pub fn new(
        rules: Arc<LogRules>,
        source: LogSource,
        file: String,
        offset: u64,
        since: Option<SystemTime>,
    ) -> Self {
        Self {
            rules,
            source,
            file,
            since,
            from: offset,
            read: 0,
            partial: Partial::default(),
            after_return: false,
            previous: Vec::new(),
            open: None,
            entries: Vec::new(),
            count: 0,
            judged: None,
        }
    }

    /// Takes what was written next, in pieces of any size.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        let mut offset = self.from + self.read;
        self.read += bytes.len() as u64;
        if self.after_return && !bytes.is_empty() {
            self.after_return = false;
            if let Some(rest) = bytes.strip_prefix(b"\n") {
                bytes = rest;
                offset += 1;
            }
        }
        if !self.partial.is_empty() {
            let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
                self.partial.add(bytes, &self.rules);
                return;
            };
            self.partial.add(bytes.get(..end).unwrap_or_default(), &self.rules);
            self.end_partial();
            let skip = self.line_end(bytes, end);
            offset += skip as u64;
            bytes = bytes.get(skip..).unwrap_or_default();
        }
        let whole = memchr::memrchr2(b'\n', b'\r', bytes).map_or(0, |end| end + 1);
        let (lines, rest) = bytes.split_at_checked(whole).unwrap_or((bytes, &[]));
        self.scan(lines, offset);
        if !rest.is_empty() {
            self.after_return = false;
            self.partial.begin(offset + whole as u64);
            self.partial.add(rest, &self.rules);
        }
    }

    /// What was found. A last line without an end is read as it is.
    pub fn finish(mut self) -> LogFindings {
        if !self.partial.is_empty() {
            self.end_partial();
        }
        self.close();
        let range = LogRange { file: self.file, from: self.from, to: self.from + self.read };
        LogFindings { entries: self.entries, count: self.count, range }
    }

    /// Reads whole lines.
    fn scan(&mut self, lines: &[u8], offset: u64) {
        // What borrows the rules must not borrow the scanner.
        let rules = Arc::clone(&self.rules);
        let mut picks = Picks::new(lines, rules.search(lines));
        let mut start = 0;
        while start < lines.len() {
            if self.open.is_none() {
                start = picks.next(start);
                if start >= lines.len() {
                    break;
                }
            }
            let rest = lines.get(start..).unwrap_or_default();
            let end = memchr::memchr2(b'\n', b'\r', rest).map_or(lines.len(), |end| start + end);
            let line = lines.get(start..end).unwrap_or_default();
            if line.len() > LINE_BYTES_MAX {
                self.partial.begin(offset + start as u64);
                self.partial.add(line, &rules);
                self.end_partial();
            } else {
                let before = (start > 0).then(|| last_line(lines.get(..start).unwrap_or_default()));
                self.line(Line { head: line, end: &[], offset: offset + start as u64 }, Denied::No, before);
            }
            start = self.line_end(lines, end);
        }
        if !lines.is_empty() {
            // Of a line end of two bytes, the second may still come.
            self.after_return = lines.ends_with(b"\r");
            self.remember(last_line(lines));
        }
    }

    /// Reads the line that came in pieces.
    fn end_partial(&mut self) {
        let partial = std::mem::take(&mut self.partial);
        let line = Line { head: &partial.head, end: partial.end(), offset: partial.offset };
        let is_picked = |bytes: &[u8]| Picks::new(bytes, self.rules.search(bytes)).next(0) < bytes.len();
        let denied = if partial.is_denied { Denied::Yes } else { Denied::No };
        if self.open.is_some() || partial.is_denied || is_picked(line.head) || is_picked(line.end) {
            self.line(line, denied, None);
        }
        self.remember(&partial.head);
    }

    /// Reads one line that belongs to an entry or could begin one.
    fn line(&mut self, line: Line<'_>, denied: Denied, before: Option<&[u8]>) {
        let text = line.text();
        if let Some(open) = &mut self.open {
            if open.takes(&text) {
                open.is_allowed = open.is_allowed || self.rules.allows(&text);
                return;
            }
            self.close();
        }
        let is_denied = match denied {
            Denied::Yes => true,
            Denied::No if !self.rules.has_denied() => false,
            Denied::No if line.head.len() > TEXT_BYTES_MAX => self.rules.denies(&clean::text(line.head)),
            Denied::No => self.rules.denies(&text),
        };
        let by_itself = line.begins(&text);
        let denied = is_denied.then(|| Begin { form: Form::Levelled, stamp: stamp::in_line(&text) });
        let Some(begin) = by_itself.or(denied) else { return };
        // Where no more are kept and nothing is allowed, nobody will read its lines.
        let keeps = if self.is_full() { Keeps::Nothing } else { Keeps::Lines };
        let mut open = Open::new(begin, &text, line.offset, keeps);
        open.is_allowed = self.rules.allows(&text)
            || !is_denied && (self.rules.expects(&text) || self.is_of_a_warning(begin, &text, before));
        self.open = Some(open);
    }

    /// Whether it is the exception that a Java logger puts below a warning. What nobody caught has another form in Java, so
    /// that this one was caught; in Python it has not, and a traceback counts wherever it stands.
    fn is_of_a_warning(&self, begin: Begin, text: &str, before: Option<&[u8]>) -> bool {
        begin.form == Form::Crash(Crash::Exception)
            && crash::is_java_exception(text)
            && level(&clean::text(before.unwrap_or(&self.previous))) == Some(Level::Warning)
    }

    /// Ends the entry that may go on.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        if !open.is_failure() || self.is_old(open.stamp) {
            return;
        }
        if !self.is_full() {
            let message = open.message();
            // A pattern may be about several lines.
            if self.rules.allows(&message) {
                return;
            }
            if self.entries.len() < ENTRIES_MAX {
                let now = stamp::millis(SystemTime::now());
                self.entries.push(LogEntry {
                    source: self.source,
                    file: self.file.clone(),
                    message,
                    timestamp: open.stamp.map(|stamp| stamp.millis(now)),
                    offset: open.offset,
                });
            }
        }
        self.count += 1;
    }

    /// Whether the lines of further entries are of no use.
    fn is_full(&self) -> bool {
        self.entries.len() >= ENTRIES_MAX && !self.rules.has_allowed()
    }

    /// Whether an entry says that it is older than what is looked for.
    fn is_old(&mut self, stamp: Option<Stamp>) -> bool {
        let (Some(since), Some(stamp)) = (self.since, stamp) else { return false };
        if let Some((judged, is_old)) = self.judged
            && judged == stamp
        {
            return is_old;
        }
        let is_old = stamp.is_before(since, stamp::millis(SystemTime::now()));
        self.judged = Some((stamp, is_old));
        is_old
    }

    fn remember(&mut self, line: &[u8]) {
        self.previous.clear();
        self.previous.extend_from_slice(line.get(..PREVIOUS_BYTES).unwrap_or(line));
    }

    /// The place behind the line end at this place.
    fn line_end(&mut self, bytes: &[u8], end: usize) -> usize {
        match bytes.get(end..) {
            Some([b'\r', b'\n', ..]) => end + 2,
            Some([b'\r']) => {
                self.after_return = true;
                end + 1
            }
            _ => end + 1,
        }
    }
}

/// Whether a pattern was found in a part of a line that is no more.
#[derive(Debug, Clone, Copy)]
enum Denied {
    Yes,
    No,
}

impl Partial {
    fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    fn begin(&mut self, offset: u64) {
        *self = Self { offset, ..Self::default() };
    }

    /// Adds a piece. What is dropped has been searched, in windows that do not depend on how the pieces were cut.
    fn add(&mut self, bytes: &[u8], rules: &LogRules) {
        let mut bytes = bytes;
        if self.head.is_empty() {
            // A file that was cut while its writer kept its place begins with a hole.
            let hole = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len().saturating_sub(1));
            bytes = bytes.get(hole..).unwrap_or_default();
        }
        bytes = fill(&mut self.head, bytes);
        while !bytes.is_empty() {
            bytes = fill(&mut self.rest, bytes);
            if self.rest.len() == LINE_BYTES_MAX {
                self.is_denied =
                    self.is_denied || rules.has_denied() && rules.denies(&clean::text(&self.rest));
                self.rest.drain(..LINE_BYTES_MAX - END_BYTES);
            }
        }
    }

    fn end(&self) -> &[u8] {
        self.rest.get(self.rest.len().saturating_sub(END_BYTES)..).unwrap_or_default()
    }
}

/// Fills a buffer up to its bound, and gives what did not fit.
fn fill<'a>(buffer: &mut Vec<u8>, bytes: &'a [u8]) -> &'a [u8] {
    let room = LINE_BYTES_MAX.saturating_sub(buffer.len());
    let (fits, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
    buffer.extend_from_slice(fits);
    rest
}

/// The last line of several whole ones.
fn last_line(lines: &[u8]) -> &[u8] {
    let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
    let lines = lines.strip_suffix(b"\r").unwrap_or(lines);
    let start = memchr::memrchr2(b'\n', b'\r', lines).map_or(0, |end| end + 1);
    lines.get(start..).unwrap_or_default()
}

/// The lines of a chunk that could begin an entry.
struct Picks<'a> {
    lines: &'a [u8],
    marks: Marks<'a>,
    /// The first mark that was not passed yet.
    mark: usize,
    search: Search<'a>,
    denied: usize,
    has_begun: bool,
}

impl<'a> Picks<'a> {
    fn new(lines: &'a [u8], search: Search<'a>) -> Self {
        Self { lines, marks: marks(lines), mark: 0, search, denied: 0, has_begun: false }
    }

    /// Where the first such line at or after a line's beginning begins; the end of the chunk if there is none.
    fn next(&mut self, start: usize) -> usize {
        if !self.has_begun || self.mark < start {
            self.mark = self.marks.next(start).unwrap_or(self.lines.len());
        }
        if !self.has_begun || self.denied < start {
            self.denied = self.next_denied(start);
        }
        self.has_begun = true;
        let found = self.mark.min(self.denied);
        let until = if found < self.lines.len() { self.line_of(start, found) } else { self.lines.len() };
        self.letter(start, until)
    }

    fn next_denied(&mut self, start: usize) -> usize {
        match self.search {
            Search::Nowhere => self.lines.len(),
            Search::Everywhere => start,
            Search::By(regex) => {
                let Some(found) = regex.find_at(self.lines, start) else { return self.lines.len() };
                // A pattern that reaches over line ends would go through the same lines again and again.
                if memchr::memchr(b'\n', found.as_bytes()).is_some() {
                    self.search = Search::Everywhere;
                }
                found.start()
            }
        }
    }

    fn line_of(&self, start: usize, place: usize) -> usize {
        let before = self.lines.get(start..place).unwrap_or_default();
        memchr::memrchr2(b'\n', b'\r', before).map_or(start, |end| start + end + 1)
    }

    /// The first line from here to there that begins with its level; there if none does.
    fn letter(&self, start: usize, until: usize) -> usize {
        let begins = |place: usize| candidate::begins(self.lines.get(place..).unwrap_or_default());
        if start < until && begins(start) {
            return start;
        }
        let between = self.lines.get(start..until).unwrap_or_default();
        let line = memchr::memchr2_iter(b'\n', b'\r', between).map(|end| start + end + 1);
        line.filter(|line| *line < until).find(|line| begins(*line)).unwrap_or(until)
    }
}
