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

/// `90s`, `10m`, `1h30m`, `2d`: numbers with their units, added up.
fn age(text: &str) -> Option<SignedDuration> {
    let mut seconds: i64 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at_checked(digits).filter(|(number, _)| !number.is_empty())?;
        let unit = after.chars().next()?;
        let seconds_each = match unit {
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            'w' => 7 * 24 * 60 * 60,
            _ => return None,
        };
        // An age beyond counting is an age all the same: it is refused with the others that reach before all time.
        let count = number.parse::<i64>().unwrap_or(i64::MAX);
        seconds = seconds.saturating_add(count.saturating_mul(seconds_each));
        rest = after.get(unit.len_utf8()..)?;
    }
    (!text.is_empty()).then(|| SignedDuration::from_secs(seconds))
}

fn civil(text: &str) -> Option<Timestamp> {
    Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok()
}
