//! The time that an entry says it was written.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use super::header;
use super::level::Level;

/// How far before the start something may say it was written and still be new: clocks of programs that round, and of
/// machines that disagree a little.
pub(super) const SLACK: Duration = Duration::from_secs(2);
/// How far into a line a time is looked for: behind a priority, a name and a bracket.
const PLACE_MAX: usize = 64;
/// How much the rules of a time zone may take. The largest is 4 KB.
const ZONE_BYTES_MAX: u64 = 64 * 1024;
/// A time without a year that would be further ahead than this was in the year before.
const AHEAD_MAX_MS: i64 = 24 * 3_600_000;

/// A time as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stamp {
    /// Milliseconds since 1970.
    Known(i64),
    /// Without a zone: in that of the machine, or in UTC, as containers have it.
    Zoneless(DateTime),
    /// Without a year besides.
    Yearless(DateTime),
}

/// Milliseconds since 1970.
pub(crate) fn millis(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    }
}

impl Stamp {
    /// Milliseconds since 1970, as well as can be told: of what it could mean, the latest that is not in the future.
    pub(super) fn millis(self, now: i64) -> i64 {
        let limit = now.saturating_add(millis_of(SLACK));
        let (first, second) = match self {
            Self::Known(millis) => return millis,
            Self::Zoneless(civil) => both(civil),
            Self::Yearless(civil) => both(with_year(civil, now)),
        };
        match (first <= limit, second <= limit) {
            (true, true) => first.max(second),
            (true, false) => first,
            (false, true) => second,
            // A clock that goes ahead.
            (false, false) => first.min(second),
        }
    }

    /// Whether it was written before that time. In doubt it was not.
    pub(super) fn is_before(self, start: SystemTime, now: i64) -> bool {
        self.millis(now) < millis(start).saturating_sub(millis_of(SLACK))
    }
}

fn millis_of(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// The moment in UTC and on this machine.
fn both(civil: DateTime) -> (i64, i64) {
    static LOCAL: LazyLock<Option<TimeZone>> = LazyLock::new(local);
    let utc = Offset::UTC.to_timestamp(civil).map_or(0, jiff::Timestamp::as_millisecond);
    let here = LOCAL.as_ref().and_then(|zone| zone.to_timestamp(civil).ok());
    (utc, here.map_or(utc, jiff::Timestamp::as_millisecond))
}

/// The zone of the machine, as its own file has it: no database is needed for that.
fn local() -> Option<TimeZone> {
    use std::io::Read;
    let mut rules = Vec::new();
    std::fs::File::open("/etc/localtime").ok()?.take(ZONE_BYTES_MAX).read_to_end(&mut rules).ok()?;
    TimeZone::tzif("local", &rules).ok()
}

/// In the year that puts it nearest to now without being far ahead.
fn with_year(civil: DateTime, now: i64) -> DateTime {
    let Ok(today) = jiff::Timestamp::from_millisecond(now) else { return civil };
    let year = Offset::UTC.to_datetime(today).year();
    let of = |year: i16| civil.with().year(year).build().ok();
    let this = of(year).filter(|this| {
        Offset::UTC
            .to_timestamp(*this)
            .is_ok_and(|at| at.as_millisecond() <= now.saturating_add(AHEAD_MAX_MS))
    });
    this.or_else(|| of(year - 1)).unwrap_or(civil)
}

/// A number in seconds, milli-, micro- or nanoseconds since 1970: whichever puts it into this century.
pub(super) fn epoch(number: f64) -> Option<Stamp> {
    [1e3, 1.0, 1e-3, 1e-6].into_iter().map(|factor| number * factor).find_map(|ms| {
        // From 2001 to 2096; every millisecond in there is exact.
        #[expect(clippy::cast_possible_truncation, reason = "in the range that was asked for just now")]
        (1e12..4e12).contains(&ms).then_some(Stamp::Known(ms as i64))
    })
}

/// A text that begins with a time.
pub(super) fn whole(text: &[u8]) -> Option<Stamp> {
    at(&mut Cursor { text, at: 0 })
}

/// The time of a line in any format.
pub(super) fn of_line(line: &str) -> Option<Stamp> {
    if line.trim_start().starts_with('{') {
        return super::json::read(line.as_bytes()).stamp;
    }
    super::logfmt::read(line).and_then(|(_, stamp)| stamp).or_else(|| in_line(line))
}

/// The time that stands before the message of a line. One further on is what the message is about, and says nothing of when
/// it was written: taken for it, it would make a new error an old one.
pub(super) fn in_line(line: &str) -> Option<Stamp> {
    let line = header::without_prefix(line);
    let bytes = line.as_bytes();
    if let Some(b'E' | b'F' | b'C' | b'W' | b'I' | b'D') = bytes.first()
        && let Some(stamp) = month_and_day(&mut Cursor { text: bytes, at: 1 })
    {
        return Some(stamp);
    }
    let mut place = 0;
    while place < PLACE_MAX {
        if bytes.get(place)?.is_ascii_alphanumeric() {
            if let Some(stamp) = at(&mut Cursor { text: bytes, at: place }) {
                return Some(stamp);
            }
            place = passed(line, place)?;
        } else {
            place = after_sign(line, place)?;
        }
    }
    None
}

/// The place behind a word that may stand before a time: a number, a letter, a day, a level. Behind any other, or behind
/// a colon, is the message; an access log has a user there, and then its time.
fn passed(line: &str, place: usize) -> Option<usize> {
    let rest = line.get(place..)?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (word, after) = rest.split_at_checked(end)?;
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_level = Level::named(word).is_some() && !after.starts_with(':');
    let is_user = after.starts_with(" [") && after.as_bytes().get(2).is_some_and(u8::is_ascii_digit);
    let passes = is_number || word.len() == 1 || header::is_month(word) || is_level || is_user;
    passes.then_some(place + end)
}

/// The place behind a sign, or behind brackets with a name in them.
fn after_sign(line: &str, place: usize) -> Option<usize> {
    let rest = line.get(place..)?;
    let next = rest.chars().next()?;
    if matches!(next, '"' | '\'' | '{' | '=' | '/') {
        return None;
    }
    let inner = rest.get(1..).unwrap_or_default();
    let word = inner.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_name = next == '[' && word.starts_with(|c: char| c.is_alphabetic()) && !header::is_month(word);
    let skip = if is_name { inner.find(']')? + 2 } else { next.len_utf8() };
    Some(place + skip)
}

fn at(cursor: &mut Cursor<'_>) -> Option<Stamp> {
    let start = cursor.at;
    for form in [year_first, day_first, month_first, month_and_day_with_dash] {
        cursor.at = start;
        if let Some(stamp) = form(cursor) {
            return Some(stamp);
        }
    }
    None
}

/// `2026-11-15T12:00:00.123Z`, `2026-11-15 12:00:00,123`, `2026/11/15 12:00:00`.
fn year_first(c: &mut Cursor<'_>) -> Option<Stamp> {
    let year = c.digits(4)?;
    let dash = c.one_of(b"-/")?;
    let month = c.digits(2)?;
    c.one_of(&[dash])?;
    let day = c.digits(2)?;
    c.one_of(b"T _t")?;
    c.skip(b"- ");
    let time = c.time()?;
    zoned(c, civil(year, month, day, time)?)
}

/// `15/Nov/2026:12:00:00 +0000`, `15-Nov-2026 12:00:00 UTC`.
fn day_first(c: &mut Cursor<'_>) -> Option<Stamp> {
    let day = c.digits(2).or_else(|| c.digits(1))?;
    let dash = c.one_of(b"/- ")?;
    let month = c.month()?;
    c.one_of(&[dash])?;
    let year = c.digits(4)?;
    c.one_of(b": ")?;
    let time = c.time()?;
    zoned(c, civil(year, month, day, time)?)
}

/// `Nov 15 12:00:00`, `Nov  5 12:00:00.123 2026`, `Nov 15, 2026 12:00:00 PM`.
fn month_first(c: &mut Cursor<'_>) -> Option<Stamp> {
    let month = c.month()?;
    c.one_of(b" ")?;
    c.skip(b" ");
    let day = c.digits(2).or_else(|| c.digits(1))?;
    let year = if c.one_of(b",").is_some() {
        c.one_of(b" ")?;
        Some(c.digits(4)?)
    } else {
        None
    };
    c.one_of(b" ")?;
    let mut time = c.time()?;
    if let Some(year) = year {
        time.hour = c.half_of_day(time.hour);
        return zoned(c, civil(year, month, day, time)?);
    }
    let place = c.at;
    if c.one_of(b" ").is_some()
        && let Some(year) = c.digits(4)
        && c.peek().is_none_or(|byte| !byte.is_ascii_digit() && byte != b'-')
    {
        return zoned(c, civil(year, month, day, time)?);
    }
    c.at = place;
    Some(Stamp::Yearless(civil(LEAP_YEAR, month, day, time)?))
}

/// Holds every day that there is.
const LEAP_YEAR: u32 = 2000;

/// `1115 12:00:00.000000`, as glog has it behind its letter.
fn month_and_day(c: &mut Cursor<'_>) -> Option<Stamp> {
    let (month, day) = (c.digits(2)?, c.digits(2)?);
    c.one_of(b" ")?;
    Some(Stamp::Yearless(civil(LEAP_YEAR, month, day, c.time()?)?))
}

/// `11-15 12:00:00.000`, as Android has it.
fn month_and_day_with_dash(c: &mut Cursor<'_>) -> Option<Stamp> {
    let month = c.digits(2)?;
    c.one_of(b"-")?;
    let day = c.digits(2)?;
    c.one_of(b" ")?;
    Some(Stamp::Yearless(civil(LEAP_YEAR, month, day, c.time()?)?))
}

fn civil(year: u32, month: u32, day: u32, time: Time) -> Option<DateTime> {
    let small = |number: u32| i8::try_from(number).ok();
    let second = small(time.second)?.min(59);
    DateTime::new(
        i16::try_from(year).ok()?,
        small(month)?,
        small(day)?,
        small(time.hour)?,
        small(time.minute)?,
        second,
        i32::try_from(time.millis * 1_000_000).ok()?,
    )
    .ok()
}

/// With the zone that follows, if one does.
fn zoned(c: &mut Cursor<'_>, civil: DateTime) -> Option<Stamp> {
    let Some(offset_seconds) = c.zone() else { return Some(Stamp::Zoneless(civil)) };
    let utc = Offset::UTC.to_timestamp(civil).ok()?.as_millisecond();
    Some(Stamp::Known(utc - i64::from(offset_seconds) * 1000))
}

#[derive(Clone, Copy)]
struct Time {
    hour: u32,
    minute: u32,
    second: u32,
    millis: u32,
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn one_of(&mut self, wanted: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| wanted.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, wanted: &[u8]) {
        while self.one_of(wanted).is_some() {}
    }

    /// Exactly so many digits.
    fn digits(&mut self, count: usize) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + count)?;
        let mut number = 0;
        for digit in digits {
            number = number * 10 + u32::from(digit.is_ascii_digit().then(|| digit - b'0')?);
        }
        self.at += count;
        Some(number)
    }

    fn month(&mut self) -> Option<u32> {
        const MONTHS: [&[u8; 3]; 12] =
            [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
        let word = self.text.get(self.at..self.at + 3)?;
        let month = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(word))?;
        self.at += 3;
        u32::try_from(month + 1).ok()
    }

    /// `12:00:00`, with a fraction or without, or `12:00`.
    fn time(&mut self) -> Option<Time> {
        let hour = self.digits(2).or_else(|| self.digits(1))?;
        self.one_of(b":")?;
        let minute = self.digits(2)?;
        let second = if self.one_of(b":").is_some() { self.digits(2)? } else { 0 };
        let mut millis = 0;
        if self.one_of(b".,").is_some() {
            let mut weight = 100;
            while let Some(digit) = self.digits(1) {
                millis += digit * weight;
                weight /= 10;
            }
        }
        Some(Time { hour, minute, second, millis })
    }

    fn half_of_day(&mut self, hour: u32) -> u32 {
        match self.text.get(self.at..self.at + 3) {
            Some(b" PM") if hour < 12 => hour + 12,
            Some(b" AM") if hour == 12 => 0,
            _ => hour,
        }
    }

    /// `Z`, `UTC`, `+00:00`, ` +0000`: how many seconds before UTC it is there.
    fn zone(&mut self) -> Option<i32> {
        let rest = self.text.get(self.at..)?;
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        if [&b"Z"[..], b"z", b"UTC", b"GMT"].iter().any(|name| rest.starts_with(name)) {
            return Some(0);
        }
        let sign = match rest.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let mut c = Cursor { text: rest, at: 1 };
        let hours = c.digits(2)?;
        let _ = c.one_of(b":");
        let minutes = c.digits(2).unwrap_or(0);
        Some(sign * i32::try_from(hours * 3600 + minutes * 60).ok()?)
    }
}
