//! `search`: the lines of files that match a pattern.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use candor_protocol::ToolSpec;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use ignore::overrides::{Override, OverrideBuilder};
use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::FileType;
use serde_json::Value;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::arguments::AtLeast;
use crate::error::bounded;
use crate::first::First;
use crate::held::open_in;
use crate::output::counted;
use crate::shortened::{self, Shortened};
use crate::walk::{DotNames, Entry, Visitor, named, walk};
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "search";

const MATCHES: usize = 200;
const MATCHES_MAX: usize = 2000;
const CONTEXT_MAX: usize = 20;
/// The most of a line that is shown, and how much of that stands before a match that is far behind its beginning.
const LINE_BYTES_MAX: usize = 400;
const BEFORE_MATCH_BYTES: usize = 100;
/// The longest line that is held in memory.
const HEAP_BYTES_MAX: usize = 32 << 20;
/// What a pattern may take when it is compiled.
const PATTERN_BYTES_MAX: usize = 10 << 20;
/// What the line about a cut may take of the output.
const NOTE_BYTES_MAX: usize = 128;

arguments! {
    struct Args<'a> {
        pattern: &'a str = "regex";
        literal: Option<bool>;
        path: Option<&'a str>;
        glob: Option<&'a str>;
        ignore_case: Option<bool>;
        context: Option<u64> = "lines";
        max: Option<AtLeast<1>>;
    }
}

/// The lines of files that match a pattern.
pub(crate) struct Search {
    spec: ToolSpec,
}

/// What is sought, and where.
struct Query {
    path: String,
    pattern: String,
    glob: Option<String>,
    is_literal: bool,
    ignores_case: bool,
    context: usize,
    matches_max: usize,
    output_bytes_max: usize,
}

impl Search {
    pub(crate) fn new() -> Self {
        let description = "Search the text of files.\nHeeds .gitignore.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn search(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let query = Query::of(&arguments::of(NAME, args)?, context);
        let access = Access::new(NAME, context);
        let search = spawn_blocking(move || query.run(&access));
        let search = search.await.map_err(|_| Error::Interrupted { tool: NAME.to_owned() })??;
        Ok(shortened::told(search, NAME, context))
    }
}

impl Tool for Search {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["grep"]
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::search(args, context).await, context) })
    }
}

impl Query {
    fn of(args: &Args<'_>, context: &ToolContext) -> Self {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            path: args.path.unwrap_or(".").to_owned(),
            pattern: args.pattern.to_owned(),
            glob: args.glob.map(str::to_owned),
            is_literal: args.literal.unwrap_or(false),
            ignores_case: args.ignore_case.unwrap_or(false),
            context: args.context.map_or(0, number).min(CONTEXT_MAX),
            matches_max: args.max.map_or(MATCHES, |max| number(max.0)).min(MATCHES_MAX),
            output_bytes_max: context.rules.output_bytes_max,
        }
    }

    fn run(&self, access: &Access) -> Result<(ToolOutput, Option<Shortened>), Error> {
        let matcher = self.matcher()?;
        let root = access.hold(&self.path)?;
        let glob = self.glob.as_deref().map(|pattern| glob(NAME, root.real(), pattern)).transpose()?;
        // One more tells whether there are more.
        let first = First::new(self.matches_max + 1);
        let finder = Finder { query: self, regex: OnceLock::new() };
        let visitor = || FileSearch {
            access,
            finder: &finder,
            glob: glob.as_ref(),
            // Each thread its own: one for all would make them wait for the room that it works in.
            matcher: matcher.clone(),
            searcher: self.searcher(),
            matches_max: self.matches_max + 1,
            first: &first,
        };
        if root.is_directory() {
            let dots = self.glob.as_deref().map_or(DotNames::Skip, dots);
            walk(access, &root, dots, visitor)?;
        } else {
            visitor().search(Path::new(""), &root.file()?);
        }
        if access.context.cancel.is_cancelled() {
            return Err(Error::Interrupted { tool: NAME.to_owned() });
        }
        Ok(self.told(&first.into_results()))
    }

    fn regex(&self) -> String {
        if self.is_literal { regex_syntax::escape(&self.pattern) } else { self.pattern.clone() }
    }

    /// Finds where in a line the match is, for those that are too long to be shown. What the searcher uses tells only that
    /// there is one.
    fn finder(&self) -> Option<Regex> {
        let mut builder = RegexBuilder::new(&self.regex());
        builder.case_insensitive(self.ignores_case).multi_line(true);
        builder.size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_BYTES_MAX).build().ok()
    }

    fn matcher(&self) -> Result<RegexMatcher, Error> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(self.ignores_case)
            .multi_line(true)
            .line_terminator(Some(b'\n'))
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX);
        builder
            .build(&self.regex())
            .map_err(|error| Error::arguments(NAME, bounded(&format!("`pattern`: {error}"))))
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .before_context(self.context)
            .after_context(self.context)
            .heap_limit(Some(HEAP_BYTES_MAX))
            .build()
    }

    fn told(&self, results: &[(PathBuf, Vec<Line>)]) -> (ToolOutput, Option<Shortened>) {
        let room = self.output_bytes_max.saturating_sub(NOTE_BYTES_MAX);
        let (mut text, mut matches, mut files, mut found_bytes) = (String::new(), 0, 0, 0);
        let mut reason = None;
        for (path, lines) in results {
            let name = named(&self.path, path);
            files += usize::from(reason.is_none());
            for line in lines {
                let is_over = line.is_match && matches == self.matches_max;
                let shown = line.shown(&name, self.context > 0 && !text.is_empty());
                found_bytes += shown.len();
                if reason.is_none() && (is_over || found_bytes > room) {
                    reason = Some(if is_over { "there are more matches" } else { "the output is full" });
                }
                if reason.is_none() {
                    matches += usize::from(line.is_match);
                    text.push_str(&shown);
                }
            }
        }
        let shortened = reason.map(|_| Shortened::new(found_bytes, text.len()));
        if let Some(reason) = reason {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "[grep truncated] {reason}; narrow pattern, path or glob");
        } else if text.is_empty() {
            text.push_str("[nothing found]\n");
        }
        let matches = counted(matches as u64, "match", "matches");
        let for_people = format!("{matches} in {}", counted(files as u64, "file", "files"));
        (ToolOutput::success(text, for_people), shortened)
    }
}

/// A glob as in `.gitignore`: without a slash it is about names, with one about paths from here, and with a `!` about
/// everything else.
pub(crate) fn glob(tool: &str, root: &Path, pattern: &str) -> Result<Override, Error> {
    let built = OverrideBuilder::new(root).add(pattern).and_then(|builder| builder.build());
    built.map_err(|error| Error::arguments(tool, bounded(&format!("{pattern}: {error}"))))
}

/// Whoever writes a dot at the start of a name means such names.
pub(crate) fn dots(pattern: &str) -> DotNames {
    let is_dot = pattern.split('/').any(|name| name.starts_with('.') && name != "." && name != "..");
    if is_dot { DotNames::Walk } else { DotNames::Skip }
}

/// A line that is shown.
struct Line {
    number: u64,
    text: String,
    is_match: bool,
    /// Whether lines are left out before it.
    is_after_gap: bool,
}

impl Line {
    /// A line with a match shows that, if it cannot be shown as a whole.
    fn new(number: Option<u64>, bytes: &[u8], finder: Option<&Finder<'_>>, is_after_gap: bool) -> Self {
        let end = bytes.len() - bytes.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let line = &bytes[..end];
        let start =
            if end > LINE_BYTES_MAX { finder.map_or(0, |finder| first_shown(line, finder)) } else { 0 };
        let cut = end.min(start + LINE_BYTES_MAX);
        let mut text = String::from_utf8_lossy(&line[start..cut]).into_owned();
        if start > 0 {
            // The cuts may go through characters.
            text = format!("… {}", text.trim_start_matches(char::REPLACEMENT_CHARACTER));
        }
        if cut < end {
            text = format!("{} …", text.trim_end_matches(char::REPLACEMENT_CHARACTER));
        }
        Self { number: number.unwrap_or(0), text, is_match: finder.is_some(), is_after_gap }
    }

    fn shown(&self, name: &str, has_gaps: bool) -> String {
        let gap = if has_gaps && self.is_after_gap { "--\n" } else { "" };
        let mark = if self.is_match { ':' } else { '-' };
        format!("{gap}{name}{mark}{}{mark}{}\n", self.number, self.text)
    }
}

/// Finds where in a line the match is. It is made when the first long line is met.
struct Finder<'q> {
    query: &'q Query,
    regex: OnceLock<Option<Regex>>,
}

/// Where a part of a long line begins that holds the beginning of its match.
fn first_shown(line: &[u8], finder: &Finder<'_>) -> usize {
    let regex = finder.regex.get_or_init(|| finder.query.finder());
    let found = regex.as_ref().and_then(|regex| regex.find(line));
    let far = found.filter(|found| found.end() > LINE_BYTES_MAX);
    far.map_or(0, |found| found.start().saturating_sub(BEFORE_MATCH_BYTES).min(line.len() - LINE_BYTES_MAX))
}

/// Searches files on one thread.
struct FileSearch<'a> {
    access: &'a Access,
    glob: Option<&'a Override>,
    matcher: RegexMatcher,
    finder: &'a Finder<'a>,
    searcher: Searcher,
    matches_max: usize,
    first: &'a First<Vec<Line>>,
}

impl Visitor for FileSearch<'_> {
    fn wants(&self, path: &Path) -> bool {
        self.first.wants(path)
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        if entry.kind != FileType::RegularFile
            || self.glob.is_some_and(|glob| glob.matched(entry.real, false).is_ignore())
        {
            return;
        }
        let Ok((file, stat)) = open_in(entry.folder, entry.name) else { return };
        if self.access.check_read("", entry.real, Some(&stat)).is_ok() {
            self.search(&entry.path, &file);
        }
    }
}

impl FileSearch<'_> {
    fn search(&mut self, path: &Path, file: &File) {
        let mut lines = Lines {
            finder: self.finder,
            found: Vec::new(),
            matches: 0,
            matches_max: self.matches_max,
            is_gap: true,
        };
        let reader = Cancellable { file, cancel: &self.access.context.cancel };
        // A file that cannot be read to its end shows what was found until there.
        let _ = self.searcher.search_reader(&self.matcher, reader, &mut lines);
        if lines.matches > 0 {
            self.first.add(path, lines.matches, lines.found);
        }
    }
}

/// Gathers what is found in one file.
struct Lines<'a> {
    finder: &'a Finder<'a>,
    found: Vec<Line>,
    matches: usize,
    matches_max: usize,
    is_gap: bool,
}

impl Lines<'_> {
    fn add(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        let is_after_gap = std::mem::take(&mut self.is_gap);
        let finder = is_match.then_some(self.finder);
        self.found.push(Line::new(number, bytes, finder, is_after_gap));
        self.matches += usize::from(is_match);
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.add(found.line_number(), found.bytes(), true);
        Ok(self.matches < self.matches_max)
    }

    fn context(&mut self, _searcher: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        self.add(line.line_number(), line.bytes(), false);
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        self.is_gap = true;
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, end: &SinkFinish) -> io::Result<()> {
        // What looked like text at first was none.
        if end.binary_byte_offset().is_some() {
            self.found.clear();
            self.matches = 0;
        }
        Ok(())
    }
}

/// A file whose reading ends when the call does.
struct Cancellable<'a> {
    file: &'a File,
    cancel: &'a CancellationToken,
}

impl Read for Cancellable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() { Err(io::ErrorKind::Other.into()) } else { self.file.read(buffer) }
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
