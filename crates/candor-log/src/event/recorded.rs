//! How the fields of an event reach the log's layer.
//!
//! `tracing` carries numbers, truth values and strings, and everything else only as its `Debug` form. Our events use
//! that last way for values whose `Debug` form is JSON, and the layer takes them as they are.

use std::fmt;
use std::time::Duration;

use candor_protocol::SessionId;
use serde::Serialize;
use tracing::Value;
use tracing::field::{DebugValue, debug};

pub(super) trait Recorded {
    type Value<'v>: Value
    where
        Self: 'v;

    fn recorded(&self) -> Self::Value<'_>;
}

macro_rules! as_it_is {
    ($($type:ty),*) => { $(
        impl Recorded for $type {
            type Value<'v> = $type;

            fn recorded(&self) -> $type {
                *self
            }
        }
    )* };
}

as_it_is!(bool, u16, u32, u64);

impl Recorded for &str {
    type Value<'v>
        = &'v str
    where
        Self: 'v;

    fn recorded(&self) -> &str {
        self
    }
}

/// Whole milliseconds.
impl Recorded for Duration {
    type Value<'v> = u64;

    fn recorded(&self) -> u64 {
        u64::try_from(self.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Recorded for SessionId {
    type Value<'v> = DebugValue<Quoted<Self>>;

    fn recorded(&self) -> Self::Value<'_> {
        debug(Quoted(*self))
    }
}

impl Recorded for &[&str] {
    type Value<'v>
        = DebugValue<Json<'v, [&'v str]>>
    where
        Self: 'v;

    fn recorded(&self) -> Self::Value<'_> {
        debug(Json(self))
    }
}

impl Recorded for &serde_json::Value {
    type Value<'v>
        = DebugValue<Json<'v, serde_json::Value>>
    where
        Self: 'v;

    fn recorded(&self) -> Self::Value<'_> {
        debug(Json(self))
    }
}

/// What is not there is left out of the line.
impl<T: Recorded> Recorded for Option<T> {
    type Value<'v>
        = Option<T::Value<'v>>
    where
        Self: 'v;

    fn recorded(&self) -> Self::Value<'_> {
        self.as_ref().map(T::recorded)
    }
}

/// Text that needs no escape, between quotes.
pub(super) struct Quoted<T>(T);

impl<T: fmt::Display> fmt::Debug for Quoted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

/// A structured value as JSON.
pub(super) struct Json<'v, T: ?Sized>(&'v T);

impl<T: Serialize + ?Sized> fmt::Debug for Json<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self.0).map_err(|_| fmt::Error)?)
    }
}
