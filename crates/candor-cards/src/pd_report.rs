//! The line with which `ctx get --pd-report` tells what it gave.

use serde_json::{Map, Value};

const NAME: &str = "PD_REPORT";
/// The keys whose values are whole numbers.
const NUMBERS: &[&str] =
    &["chunks_returned", "chunks_requested", "chars_returned_total", "strong_hit", "support"];
/// The keys whose values are words.
const WORDS: &[&str] = &["v", "stop_reason"];
/// The most of a line that is kept when it cannot be read.
const RAW_CHARS_MAX: usize = 500;

/// The report of an output: its last line that is not empty, or nothing.
///
/// The order of the keys does not matter and unknown ones are left out. Numbers become numbers; `v` stays a string. What is
/// not as agreed is kept as it is, with `_parse_error`.
pub fn pd_report(stdout: &str) -> Option<Map<String, Value>> {
    let line = stdout.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    let rest = line.strip_prefix(NAME)?;
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    Some(read(rest).unwrap_or_else(|| {
        let raw: String = line.chars().take(RAW_CHARS_MAX).collect();
        Map::from_iter([("raw".to_owned(), raw.into()), ("_parse_error".to_owned(), true.into())])
    }))
}

fn read(text: &str) -> Option<Map<String, Value>> {
    let given: Vec<(&str, &str)> =
        text.split_whitespace().map(|pair| pair.split_once('=')).collect::<Option<_>>()?;
    let value = |name: &str| given.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let mut report = Map::new();
    for name in WORDS {
        report.insert((*name).to_owned(), value(name)?.into());
    }
    for name in NUMBERS {
        report.insert((*name).to_owned(), value(name)?.parse::<u64>().ok()?.into());
    }
    Some(report)
}
