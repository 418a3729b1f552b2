//! Moments as people type them.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::Error;

/// The moment a text names: an age such as `90s`, `10m`, `2h`, `3d` or `1w`, a date, or a date and time (RFC 3339; UTC
/// where it names no offset).
pub fn parse_moment(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    let text = text.trim();
    let moment = match age(text) {
        Some(age) => now.checked_sub(age).ok(),
        None => text.parse::<Timestamp>().ok().or_else(|| civil(text)),
    };
    moment.ok_or_else(|| Error::Time { text: text.to_owned() })
}

fn age(text: &str) -> Option<SignedDuration> {
    let unit = text.chars().next_back()?;
    let digits = text.strip_suffix(unit)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds_each = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    // An age beyond counting is an age all the same: it is refused with the others that reach before all time.
    let count = digits.parse::<i64>().unwrap_or(i64::MAX);
    Some(SignedDuration::from_secs(count.saturating_mul(seconds_each)))
}

fn civil(text: &str) -> Option<Timestamp> {
    Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok()
}
