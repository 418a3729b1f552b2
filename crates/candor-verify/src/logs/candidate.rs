//! Finds lines that could tell of a failure, over whole chunks and without looking at lines.

use std::sync::LazyLock;

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, FindIter};

/// What stands somewhere in every line that can tell of a failure, other than at its beginning ([`begins`]). Three letters or
/// more each: with two, the vectorised search finds something everywhere. 64 is the most that it takes.
const MARKS: [&str; 63] = [
    "err",
    "Err",
    "ERR",
    "eror",
    "EROR",
    "fata",
    "Fata",
    "FATA",
    "FTL",
    "pani",
    "Pani",
    "PANI",
    "PNC",
    "crit",
    "Crit",
    "CRIT",
    "alert",
    "Alert",
    "ALERT",
    "emerg",
    "Emerg",
    "EMERG",
    "severe",
    "Severe",
    "SEVERE",
    "xception",
    "XCEPTION",
    "raceback",
    " fault",
    "ssert",
    "anitizer",
    "nhandled",
    "ncaught",
    "CRASH",
    "rashed",
    "exited with code",
    "core dumped",
    "** (",
    "[E]",
    "[F]",
    " E ",
    " F ",
    "fail:",
    "Failed to compile",
    " 50",
    "\":50",
    "\":60",
    "\": 60",
    "short_message",
    "\"s\":\"",
    ":in `",
    ":in '",
    ".pl line ",
    ".pm line ",
    ": line ",
    "not found",
    "not set",
    "No such",
    "ermission denied",
    "terminat",
    "corruption",
    "smashing",
    "invalid pointer",
];

/// The places of marks in a chunk.
pub(super) enum Marks<'a> {
    Packed { searcher: &'static Searcher, chunk: &'a [u8] },
    Walked(FindIter<'static, 'a>),
    None,
}

/// Finds the marks of a chunk.
pub(super) fn marks(chunk: &[u8]) -> Marks<'_> {
    static PACKED: LazyLock<Option<Searcher>> =
        LazyLock::new(|| Config::new().match_kind(MatchKind::LeftmostFirst).builder().extend(MARKS).build());
    // Where the processor has no such search. The limits of an automaton for sixty short words are far away.
    static WALKED: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(MARKS).ok());
    match (&*PACKED, &*WALKED) {
        (Some(searcher), _) if chunk.len() >= searcher.minimum_len() => Marks::Packed { searcher, chunk },
        (_, Some(walked)) => Marks::Walked(walked.find_iter(chunk)),
        (_, None) => Marks::None,
    }
}

impl Marks<'_> {
    /// The place of the first mark at or after `from`. Called with places that only grow.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        match self {
            Self::Packed { searcher, chunk } => {
                let span = aho_corasick::Span::from(from.min(chunk.len())..chunk.len());
                searcher.find_in(chunk, span).map(|found| found.start())
            }
            Self::Walked(found) => found.map(|found| found.start()).find(|start| *start >= from),
            // Then every line is looked at.
            Self::None => Some(from),
        }
    }
}

/// Whether a line begins as only lines of a few formats do, which say their level with its first letter: glog, Android,
/// syslog, ESP-IDF.
pub(super) fn begins(line: &[u8]) -> bool {
    match line {
        // A hole, as in a file that was cut while its writer kept its place. What it hides is looked at.
        [0, ..] => true,
        [b'<', digit, ..] => digit.is_ascii_digit(),
        [b'E' | b'F', second, ..] => second.is_ascii_digit() || matches!(second, b'/' | b' '),
        _ => false,
    }
}
