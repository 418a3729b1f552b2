//! The time of a line as text.

use jiff::Timestamp;
use jiff::tz::Offset;

const MILLIS_PER_SECOND: i64 = 1000;

/// How many bytes of the text name the day.
pub(crate) const DAY_BYTES: usize = "2025-02-11".len();

/// RFC 3339 in UTC with milliseconds.
///
/// A thread that logs much does so many times a second, so the text of the second is kept and only the milliseconds
/// are written anew.
pub(crate) struct Stamp {
    second: i64,
    text: [u8; 24],
}

impl Stamp {
    pub(crate) const fn new() -> Self {
        Self { second: 0, text: *b"1970-01-01T00:00:00.000Z" }
    }

    /// The text of a moment. A clock that is before 1970 is taken to say 1970: a year of fewer than four digits, or
    /// a sign, would not be RFC 3339.
    pub(crate) fn at(&mut self, now: Timestamp) -> &[u8; 24] {
        let millis = now.as_millisecond().max(0);
        let second = millis / MILLIS_PER_SECOND;
        if second != self.second {
            self.second = second;
            self.write_second(now);
        }
        let millis = (millis % MILLIS_PER_SECOND).unsigned_abs();
        self.text[20] = digit(millis / 100);
        self.text[21] = digit(millis / 10);
        self.text[22] = digit(millis);
        &self.text
    }

    fn write_second(&mut self, now: Timestamp) {
        let civil = Offset::UTC.to_datetime(now.max(Timestamp::UNIX_EPOCH));
        let year = u64::from(civil.year().unsigned_abs());
        self.text[0] = digit(year / 1000);
        self.text[1] = digit(year / 100);
        let pairs = [
            (2, year),
            (5, u64::from(civil.month().unsigned_abs())),
            (8, u64::from(civil.day().unsigned_abs())),
            (11, u64::from(civil.hour().unsigned_abs())),
            (14, u64::from(civil.minute().unsigned_abs())),
            (17, u64::from(civil.second().unsigned_abs())),
        ];
        for (at, value) in pairs {
            self.text[at] = digit(value / 10);
            self.text[at + 1] = digit(value);
        }
    }
}

/// The last decimal digit of a number.
const fn digit(value: u64) -> u8 {
    b'0' + (value % 10) as u8
}
