//! Words: how a wrong one is shown, which one was meant, and what some mean.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// How much of a wrong value is shown.
const SHOWN_CHARS_MAX: usize = 60;
/// Similarity below which a suggestion would puzzle more than help.
const SIMILARITY_MIN: f64 = 0.8;
/// Words that other tools have for ours.
const OTHER_WORDS: &[(&str, &[&str])] = &[
    ("cmd", &["run", "command"]),
    ("command", &["run", "exec"]),
    ("run", &["command", "exec"]),
    ("script", &["run", "command", "exec"]),
    ("dir", &["cwd"]),
    ("directory", &["cwd"]),
    ("working_directory", &["cwd"]),
    ("environment", &["env"]),
    ("type", &["kind"]),
    ("uri", &["url"]),
    ("header", &["expect_headers"]),
    ("code", &["status", "exit"]),
    ("grpc_health", &["grpc"]),
    ("ws", &["websocket"]),
    ("query", &["sql"]),
    ("tests", &["checks"]),
    ("processes", &["services"]),
    ("healthcheck", &["ready"]),
];

/// A value as it is quoted in a sentence.
pub(super) fn shown(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    if cut.len() < text.len() { format!("{cut:?}…") } else { format!("{cut:?}") }
}

/// The name of a variable, as a shell takes it.
pub(super) fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The known key that is meant by an unknown one.
pub(super) fn meant(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let others = OTHER_WORDS.iter().find(|(other, _)| word.eq_ignore_ascii_case(other));
    let other = others.and_then(|(_, ours)| known.iter().find(|known| ours.contains(known)).copied());
    other.or_else(|| nearest(word, known))
}

pub(super) fn nearest<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let word = word.to_ascii_lowercase();
    words
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&word, candidate), *candidate))
        .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The path without `.` and `..`, if it stays where it starts.
pub(super) fn within(text: &str) -> Option<PathBuf> {
    if text.contains('\0') || text.starts_with('~') {
        return None;
    }
    let mut path = PathBuf::new();
    for component in Path::new(text).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Reads `250ms`, `30s`, `1m30s`, `2h`; a number alone is seconds.
pub(super) fn time(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Duration::try_from_secs_f64(rest.parse().ok()?).ok();
    }
    let mut total = Duration::ZERO;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let seconds = match unit {
            "ms" => 0.001,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
        total = total.checked_add(part)?;
        rest = after.trim_start();
        if rest.is_empty() {
            return Some(total);
        }
    }
}
