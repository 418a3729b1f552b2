//! Lengths of time and numbers of bytes, as people write them.

use std::time::Duration;

/// Reads `250ms`, `30s`, `5m`, `1h30m`, `2d`.
pub fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, unit, after) = quantity(rest)?;
        let millis: u32 = match unit {
            "ms" => 1,
            "s" | "sec" | "secs" | "second" | "seconds" => 1000,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
            "h" | "hour" | "hours" => 3_600_000,
            "d" | "day" | "days" => 86_400_000,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number * f64::from(millis) / 1000.0).ok()?;
        total = total.checked_add(part)?;
        rest = after;
    }
    Some(total)
}

/// Reads `1024`, `64KiB`, `100MB`, `1.5GB`. `MB` is a million bytes, `MiB` is 2^20.
pub(crate) fn size_bytes(text: &str) -> Option<u64> {
    let (number, unit, after) = quantity(text.trim())?;
    if !after.is_empty() {
        return None;
    }
    let bytes: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return None,
    };
    #[expect(clippy::cast_precision_loss, reason = "the factor is a small power, exactly representable")]
    let exact = number * bytes as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be within range")]
    (exact < 1e18).then_some(exact as u64)
}

/// A number, its unit, and what follows.
fn quantity(text: &str) -> Option<(f64, &str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    let rest = rest.trim_start();
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (unit, after) = rest.split_at(letters);
    Some((number.parse().ok()?, unit, after.trim_start()))
}

/// A length of time in its shortest exact form: `1500ms`, `30s`, `2m`, `1h`, `30d`.
pub(crate) fn show_duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)];
    let whole = units.into_iter().find(|(_, unit)| millis > 0 && millis.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{millis}ms"), |(name, unit)| format!("{}{name}", millis / unit))
}

/// A number of bytes in its shortest exact form: `1024`, `100MB`.
pub(crate) fn show_size(bytes: u64) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)];
    let whole = units.into_iter().find(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit));
    whole.map_or_else(|| bytes.to_string(), |(name, unit)| format!("{}{name}", bytes / unit))
}
