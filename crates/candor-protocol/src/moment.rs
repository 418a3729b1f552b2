//! A point in time, as it is written everywhere: RFC 3339 in UTC with milliseconds.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

/// A point in time, to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment(Timestamp);

impl Moment {
    /// This moment.
    pub fn now() -> Self {
        Self::at(Timestamp::now())
    }

    /// A moment, cut to the millisecond: what is written must compare equal to what is read back.
    pub fn at(timestamp: Timestamp) -> Self {
        // In range: a timestamp's own milliseconds.
        Self(Timestamp::from_millisecond(timestamp.as_millisecond()).unwrap_or(timestamp))
    }

    /// Milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// The moment so many milliseconds after 1970; one that no calendar holds is taken for 1970.
    pub fn from_millis(millis: i64) -> Self {
        Self(Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Offset::UTC.to_datetime(self.0);
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            civil.year(),
            civil.month(),
            civil.day(),
            civil.hour(),
            civil.minute(),
            civil.second(),
            civil.millisecond()
        )
    }
}

impl FromStr for Moment {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        text.parse().map(Self::at)
    }
}

impl TryFrom<String> for Moment {
    type Error = jiff::Error;

    fn try_from(text: String) -> Result<Self, jiff::Error> {
        text.parse()
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.to_string()
    }
}
