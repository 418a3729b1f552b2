//! Reads the JSON of frames without being strict about it.
//!
//! Providers leave fields out, send `null` for anything, and now and then a number where a text was promised. One odd
//! field must not cost the frame, so each type here accepts every JSON value and is empty where the value is of another
//! kind. Text is borrowed from the frame: `serde_json::Value` would allocate for each key of each of thousands of frames.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A text; a number is read as its digits (codes come either way), everything else is empty.
#[derive(Debug, Default, Clone)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Text<'_> {
    /// The text, unless it is empty.
    pub(crate) fn given(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&*self.0)
    }
}

/// A count; everything else, and everything below zero, is none.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Count(pub(crate) Option<u64>);

/// A list; everything else is an empty one.
#[derive(Debug, Clone)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// An object; everything else is none.
#[derive(Debug, Clone)]
pub(crate) struct Object<T>(pub(crate) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// An error as providers put it into a stream: an object with a message, or the bare message.
#[derive(Debug, Default, Clone)]
pub(crate) struct Problem<'a>(pub(crate) Option<ProblemFields<'a>>);

/// What such an object says.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct ProblemFields<'a> {
    #[serde(borrow)]
    pub(crate) message: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Text<'a>,
    #[serde(borrow)]
    pub(crate) code: Text<'a>,
    #[serde(borrow)]
    pub(crate) status: Text<'a>,
    #[serde(borrow)]
    pub(crate) details: Object<Details<'a>>,
}

/// Where Anthropic names the spend limit that its type keeps silent about.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct Details<'a> {
    #[serde(borrow)]
    pub(crate) error_code: Text<'a>,
}

impl ProblemFields<'_> {
    /// Everything that names the kind of error, as `classify::stream_error` wants it.
    pub(crate) fn kinds(&self) -> String {
        let mut kinds = String::new();
        let detail = self.details.0.as_ref().map(|details| &details.error_code);
        for kind in [&self.code, &self.kind, &self.status].into_iter().chain(detail) {
            let _ = write!(kinds, "{} ", &**kind);
        }
        kinds
    }
}

/// What a type makes of each kind of JSON value; what it does not name is empty.
pub(crate) trait Accept<'de>: Default {
    fn text(_text: Cow<'de, str>) -> Self {
        Self::default()
    }
    fn number(_digits: impl fmt::Display, _count: Option<u64>) -> Self {
        Self::default()
    }
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    fn object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

/// Reads whatever stands there.
pub(crate) fn any<'de, T: Accept<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    from.deserialize_any(Any(PhantomData))
}

struct Any<T>(PhantomData<T>);

impl<'de, T: Accept<'de>> Visitor<'de> for Any<T> {
    type Value = T;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("any value")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::text(Cow::Owned(text.to_owned())))
    }
    fn visit_string<E>(self, text: String) -> Result<T, E> {
        Ok(T::text(Cow::Owned(text)))
    }
    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok(T::number(number, Some(number)))
    }
    fn visit_i64<E>(self, number: i64) -> Result<T, E> {
        Ok(T::number(number, u64::try_from(number).ok()))
    }
    fn visit_f64<E>(self, number: f64) -> Result<T, E> {
        // Some servers count in floats; a count beyond the exact ones is nonsense either way.
        let count = (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then(|| format!("{number:.0}"));
        Ok(T::number(number, count.and_then(|digits| digits.parse().ok())))
    }
    fn visit_bool<E>(self, _: bool) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::list(list)
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T, A::Error> {
        T::object(object)
    }
}

impl<'de> Accept<'de> for Text<'de> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(text)
    }
    fn number(digits: impl fmt::Display, _: Option<u64>) -> Self {
        Self(Cow::Owned(digits.to_string()))
    }
}

impl Accept<'_> for Count {
    fn number(_: impl fmt::Display, count: Option<u64>) -> Self {
        Self(count)
    }
}

impl<'de, T: Deserialize<'de>> Accept<'de> for List<T> {
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Self(items))
    }
}

impl<'de, T: Deserialize<'de>> Accept<'de> for Object<T> {
    fn object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(|object| Self(Some(object)))
    }
}

impl<'de> Accept<'de> for Problem<'de> {
    fn text(message: Cow<'de, str>) -> Self {
        Self(Some(ProblemFields { message: Text(message), ..ProblemFields::default() }))
    }
    fn object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        ProblemFields::deserialize(MapAccessDeserializer::new(object)).map(|fields| Self(Some(fields)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        any::<Text<'de>, D>(from)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        any(from)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        any(from)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        any(from)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Problem<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        any::<Problem<'de>, D>(from)
    }
}

/// The frame with what strict JSON forbids replaced: halves of a surrogate pair (an emoji cut in two by a server that
/// escapes) by U+FFFD, raw control characters by a space. None where there is nothing of the kind.
pub(crate) fn mended(frame: &str) -> Option<String> {
    let mut out = String::with_capacity(frame.len());
    let mut rest = frame;
    let mut changed = false;
    while let Some(at) = rest.find(|c: char| c == '\\' || c.is_ascii_control()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match escaped_unit(rest) {
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(&rest[6..]), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                changed = true;
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            Some(_) => 6,
            None if rest.starts_with('\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            None => {
                changed = true;
                out.push(' ');
                rest = &rest[1..];
                continue;
            }
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// The code unit of a `\u` escape that the text begins with.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}
