//! The lines of an output that tell most about why a command failed.

/// How many lines a card shows.
const LINES_MAX: usize = 6;
/// How much of a line it shows.
const LINE_CHARS_MAX: usize = 240;
/// How much of the end of an output is read for them.
const TAIL_BYTES: usize = 256 * 1024;

/// Words of lines that say what went wrong, the stronger ones first.
const STRONG: &[&str] = &[
    "error:",
    "fatal:",
    "panic",
    "exception",
    "traceback",
    "error[",
    "err!",
    "failed:",
    "fail:",
    "abort",
    "critical",
    "assert",
    "segmentation",
];
const WEAK: &[&str] = &[
    "error",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable",
    "denied",
    "refused",
    "not found",
    "no such",
    "invalid",
    "unknown",
    "missing",
    "undefined",
    "unexpected",
    "failed",
    "failure",
    "expected",
    "unsupported",
    "conflict",
    "timed out",
    "timeout",
    "warning: unused",
    "fehler",
    "erreur",
    "errore",
    "erro:",
    "ошибка",
    "错误",
    "エラー",
];
/// Words of lines that only sum up.
const SUMS: &[&str] =
    &["0 errors", "no errors", "error 1", "exit code", "exit status", "npm err! a complete log", "warning:"];

/// The most telling lines, in the order they stand; the last ones where none tells more than another.
pub(crate) fn telling(text: &str) -> Vec<String> {
    let tail =
        text.get(text.floor_char_boundary(text.len().saturating_sub(TAIL_BYTES))..).unwrap_or_default();
    let lines: Vec<&str> = tail.lines().map(str::trim_end).filter(|line| is_readable(line)).collect();
    let mut scored: Vec<(i32, usize)> =
        lines.iter().enumerate().map(|(at, line)| (score(line), at)).collect();
    // Of two lines that tell as much, the later one; the sort is stable.
    scored.sort_by_key(|(score, at)| (-score, usize::MAX - at));
    let best = scored.first().map_or(0, |(score, _)| *score);
    let mut chosen: Vec<usize> = if best > 0 {
        scored.into_iter().filter(|(score, _)| *score > 0).map(|(_, at)| at).take(LINES_MAX).collect()
    } else {
        (lines.len().saturating_sub(LINES_MAX)..lines.len()).collect()
    };
    chosen.sort_unstable();
    let mut told: Vec<String> =
        chosen.into_iter().filter_map(|at| lines.get(at)).map(|line| shortened(line)).collect();
    told.dedup();
    told
}

fn score(line: &str) -> i32 {
    let line = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let mut score = 0;
    if has(STRONG) {
        score += 4;
    }
    if has(WEAK) {
        score += 2;
    }
    if has(SUMS) {
        score -= 3;
    }
    score
}

/// Whether a line says something to a reader: more than marks and more than bytes.
fn is_readable(line: &str) -> bool {
    let (mut letters, mut strange) = (0, 0);
    for c in line.chars().take(LINE_CHARS_MAX) {
        if c.is_alphanumeric() {
            letters += 1;
        } else if c == '\u{fffd}' || (c.is_control() && c != '\t') {
            strange += 1;
        }
    }
    letters > strange * 4 && letters > 1
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
