//! The types that keys have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_protocol::Level;
use serde_json::Value as Json;

use crate::decode::Decoder;
use crate::node::{Node, Table, Value};
use crate::setting::{Kind, Setting, Unit};
use crate::units;

impl Setting for String {
    fn kind() -> Kind {
        Kind::Text
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        decoder.text(node)
    }

    fn show(&self) -> Json {
        self.as_str().into()
    }
}

impl Setting for bool {
    fn kind() -> Kind {
        Kind::Flag
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        match &node.value {
            Value::Bool(flag) => Some(*flag),
            Value::Raw(text) if matches!(text.as_str(), "true" | "1" | "yes" | "on") => Some(true),
            Value::Raw(text) if matches!(text.as_str(), "false" | "0" | "no" | "off") => Some(false),
            _ => decoder.expected("true or false", node),
        }
    }

    fn show(&self) -> Json {
        (*self).into()
    }
}

impl Setting for PathBuf {
    fn kind() -> Kind {
        Kind::Path
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        decoder.path(node)
    }

    fn show(&self) -> Json {
        self.display().to_string().into()
    }
}

/// A path that has its place in the home unless someone says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HomePath {
    /// The usual place, relative to the home.
    Usual(&'static str),
    /// Somewhere else.
    At(PathBuf),
}

impl HomePath {
    /// The path, given the home.
    pub fn resolve(&self, home: &Path) -> PathBuf {
        match self {
            Self::Usual(name) => home.join(name),
            Self::At(path) => path.clone(),
        }
    }
}

impl Setting for HomePath {
    fn kind() -> Kind {
        Kind::Path
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        decoder.path(node).map(Self::At)
    }

    fn show(&self) -> Json {
        match self {
            Self::Usual(name) => format!("~/.candor/{name}").into(),
            Self::At(path) => path.show(),
        }
    }
}

/// A path that may stand in the user's home directory, whoever the user is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserPath {
    /// Relative to the user's home directory; only defaults are.
    InHome(&'static str),
    /// Anywhere.
    At(PathBuf),
}

impl UserPath {
    /// The path, given the user's home directory; nothing where there is none.
    pub fn resolve(&self, user_home: Option<&Path>) -> Option<PathBuf> {
        match self {
            Self::InHome(name) => user_home.map(|home| home.join(name)),
            Self::At(path) => Some(path.clone()),
        }
    }
}

impl Setting for UserPath {
    fn kind() -> Kind {
        Kind::Path
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        decoder.path(node).map(Self::At)
    }

    fn show(&self) -> Json {
        match self {
            Self::InHome(name) => format!("~/{name}").into(),
            Self::At(path) => path.show(),
        }
    }
}

impl Setting for Level {
    fn kind() -> Kind {
        Kind::Word(&["error", "warn", "info", "debug"])
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        decoder.word(node, &["error", "warn", "info", "debug"])?.parse().ok()
    }

    fn show(&self) -> Json {
        self.as_str().into()
    }
}

impl<T: Setting> Setting for Option<T> {
    fn kind() -> Kind {
        T::kind()
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        match node.value {
            Value::Null => Some(None),
            _ => T::decode(node, decoder).map(Some),
        }
    }

    fn decode_in(table: &Table, name: &'static str, decoder: &mut Decoder<'_>) -> Option<Self> {
        match table.get(name) {
            Some(node) if matches!(node.value, Value::Null) => Some(None),
            _ => T::decode_in(table, name, decoder).map(Some),
        }
    }

    fn show(&self) -> Json {
        self.as_ref().map_or(Json::Null, Setting::show)
    }
}

impl<T: Setting> Setting for Vec<T> {
    fn kind() -> Kind {
        Kind::List(T::kind)
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        let items = match &node.value {
            Value::List(items) => items.clone(),
            Value::Raw(text) => split(text, node),
            _ => return decoder.expected("a list", node),
        };
        let read: Vec<_> = items.iter().map(|item| T::decode(item, decoder)).collect();
        read.into_iter().collect()
    }

    fn show(&self) -> Json {
        self.iter().map(Setting::show).collect()
    }
}

/// A list in a variable or flag: separated by commas.
fn split(text: &str, node: &Node) -> Vec<Node> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| Node { value: Value::Raw(part.to_owned()), place: node.place.clone() }).collect()
}

impl<T: Setting> Setting for BTreeMap<String, T> {
    fn kind() -> Kind {
        Kind::Map(T::kind)
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        let table = match &node.value {
            Value::Table(table) => table,
            Value::Null => Table::EMPTY,
            _ => return decoder.expected("a table of names", node),
        };
        let read = table.iter().filter_map(|entry| {
            let value = decoder.inside(&entry.key, |decoder| T::decode(&entry.node, decoder))?;
            Some((entry.key.clone(), value))
        });
        Some(read.collect())
    }

    fn show(&self) -> Json {
        Json::Object(self.iter().map(|(name, value)| (name.clone(), value.show())).collect())
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole<const MIN: u64, const MAX: u64>(pub u64);

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> Setting for Whole<MIN, MAX> {
    fn kind() -> Kind {
        Kind::Whole { min: MIN, max: MAX }
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        let number = match &node.value {
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::Raw(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number.filter(|number| (MIN..=MAX).contains(number)) {
            Some(number) => Some(Self(number)),
            None => decoder.expected(&whole_range(MIN, MAX), node),
        }
    }

    fn show(&self) -> Json {
        self.0.into()
    }
}

pub(crate) fn whole_range(min: u64, max: u64) -> String {
    match (min, max) {
        (0, u64::MAX) => "a whole number, not negative".to_owned(),
        (min, u64::MAX) => format!("a whole number of at least {min}"),
        (min, max) => format!("a whole number from {min} to {max}"),
    }
}

/// An amount of money, or another number with a fraction; not negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Amount(pub f64);

impl Setting for Amount {
    fn kind() -> Kind {
        Kind::Amount
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        let number = match &node.value {
            #[expect(clippy::cast_precision_loss, reason = "amounts are small")]
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            Value::Raw(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number.filter(|number| number.is_finite() && *number >= 0.0) {
            Some(number) => Some(Self(number)),
            None => decoder.expected("a number, not negative", node),
        }
    }

    fn show(&self) -> Json {
        self.0.into()
    }
}

/// Declares a quantity whose bare numbers count one unit and which is also read with a unit written out.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident($inner:ty), $kind:ident, $unit:ident, $parse:path, $scale:expr, $show:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name<const MIN: u64>(pub $inner);

        impl<const MIN: u64> $name<MIN> {
            /// The quantity.
            pub const fn get(self) -> $inner {
                self.0
            }
        }

        impl<const MIN: u64> Setting for $name<MIN> {
            fn kind() -> Kind {
                Kind::$kind { unit: Unit::$unit, min: MIN }
            }

            fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
                let scale = $scale;
                let found: Option<$inner> = match &node.value {
                    Value::Int(number) => u64::try_from(*number).ok().and_then(scale),
                    Value::Raw(text) => text.trim().parse().ok().and_then(scale).or_else(|| $parse(text)),
                    Value::Text(text) => $parse(text),
                    _ => None,
                };
                match found.filter(|found| scale(MIN).is_none_or(|least| *found >= least)) {
                    Some(found) => Some(Self(found)),
                    None => decoder.expected(&Self::kind().describe(), node),
                }
            }

            fn show(&self) -> Json {
                $show(self.0).into()
            }
        }
    };
}

quantity!(
    /// A length of time; a bare number counts milliseconds.
    Millis(Duration), Duration, Milliseconds, units::duration,
    |number: u64| Some(Duration::from_millis(number)), units::show_duration
);
quantity!(
    /// A length of time; a bare number counts seconds.
    Seconds(Duration), Duration, Seconds, units::duration,
    |number: u64| Some(Duration::from_secs(number)), units::show_duration
);
quantity!(
    /// A number of bytes.
    Bytes(u64), Size, Bytes, units::size_bytes, |number: u64| Some(number), units::show_size
);
quantity!(
    /// A number of bytes; a bare number counts megabytes.
    Megabytes(u64), Size, Megabytes, units::size_bytes,
    |number: u64| number.checked_mul(1_000_000), units::show_size
);
