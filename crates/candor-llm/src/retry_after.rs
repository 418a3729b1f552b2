//! How long a provider wants us to wait, wherever it says so.

#[cfg(test)]
mod tests;

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::HeaderMap;

/// What stands before a waiting time in the text of an error, in small letters:
/// OpenAI and Groq `Please try again in 11.054s`, Azure `Please retry after 26 seconds`, Gemini `Please retry in 7.3s` and
/// `"retryDelay": "34s"`.
const LEADS: [&str; 5] = ["try again in", "retry in", "retry after", "again after", "retrydelay"];

/// How much of a text is searched. Providers say it in their first sentence.
const TEXT_BYTES_MAX: usize = 8 * 1024;

/// The waiting time that the headers name. `retry-after-ms` is the finer one and wins. Zero, the past and nonsense are no
/// waiting time: our own is used then.
pub(crate) fn from_headers(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let millis = header("retry-after-ms").and_then(|text| text.parse::<f64>().ok());
    if let Some(wait) = millis.and_then(|millis| seconds(millis / 1000.0)) {
        return Some(wait);
    }
    let text = header("retry-after")?;
    match text.parse::<f64>() {
        Ok(number) => seconds(number),
        Err(_) => until(text, now),
    }
}

/// The waiting time that stands in a text.
pub(crate) fn from_text(text: &str) -> Option<Duration> {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text[..end].to_ascii_lowercase();
    LEADS.iter().find_map(|lead| {
        let (at, lead) = text.match_indices(lead).next()?;
        let rest = text[at + lead.len()..].trim_start_matches(|c: char| " \"':=\\".contains(c));
        written(rest)
    })
}

/// The time until an HTTP date.
fn until(date: &str, now: Timestamp) -> Option<Duration> {
    let then = DateTimeParser::new().parse_timestamp(date).ok()?;
    Duration::try_from(then.duration_since(now)).ok().filter(|wait| !wait.is_zero())
}

/// A time such as `11.054s`, `350ms`, `1m30s` or `7 seconds`, at the beginning of a text.
fn written(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = 0.0;
    while let Some((value, unit, after)) = number_and_unit(rest) {
        total += value * unit;
        rest = after.trim_start_matches(' ');
    }
    seconds(total)
}

/// The number and the unit that a text begins with, the unit in seconds, and what follows them.
fn number_and_unit(text: &str) -> Option<(f64, f64, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let value = text[..digits].parse().ok()?;
    let rest = text[digits..].trim_start_matches(' ');
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let unit = match &rest[..letters] {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3600.0,
        _ => return None,
    };
    Some((value, unit, &rest[letters..]))
}

/// So many seconds, if that is a time one can wait.
fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok().filter(|wait| !wait.is_zero())
}
