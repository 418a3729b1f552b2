//! What a setting is: a type that can be read from the tree, shown, and described.
//!
//! One trait carries all three, so that the loader, `config show`, the JSON Schema and the reference page can never
//! disagree about a key.

use serde_json::Value as Json;

use crate::decode::Decoder;
use crate::node::{Node, Table};

/// A type that a key can have.
pub(crate) trait Setting: Sized {
    /// How the type is described.
    fn kind() -> Kind;

    /// Reads a value; what is wrong with it goes to the decoder.
    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self>;

    /// Reads the value of a key from the table it stands in; the default for types that one key carries.
    fn decode_in(table: &Table, name: &'static str, decoder: &mut Decoder<'_>) -> Option<Self> {
        decoder
            .one_of(table, &Self::kind().spellings(name))
            .and_then(|entry| decoder.inside(&entry.key, |decoder| Self::decode(&entry.node, decoder)))
    }

    /// The value as people may see it: secrets are masked.
    fn show(&self) -> Json;
}

/// The description of a type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// A path; `~` is the home directory, and a relative one starts at the file that names it.
    Path,
    /// `true` or `false`.
    Flag,
    /// A whole number within bounds.
    Whole {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// A number with a fraction, not negative.
    Amount,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A length of time.
    Duration {
        /// What a bare number counts.
        unit: Unit,
        /// The least, in that unit.
        min: u64,
    },
    /// A number of bytes.
    Size {
        /// What a bare number counts.
        unit: Unit,
        /// The least, in that unit.
        min: u64,
    },
    /// A secret, or where to get it.
    Secret,
    /// A list of one kind.
    List(fn() -> Kind),
    /// Names the user chooses, each with a value of one kind.
    Map(fn() -> Kind),
    /// Known keys.
    Table(&'static [Field]),
}

/// What a bare number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    Seconds,
    Bytes,
    Megabytes,
}

impl Unit {
    /// The unit as a word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Milliseconds => "milliseconds",
            Self::Seconds => "seconds",
            Self::Bytes => "bytes",
            Self::Megabytes => "megabytes",
        }
    }

    /// The end of a key that names its unit.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Milliseconds => "_ms",
            Self::Seconds => "_seconds",
            Self::Bytes => "_bytes",
            Self::Megabytes => "_mb",
        }
    }
}

/// The endings of a secret's key, by where the secret comes from.
pub(crate) const SECRET_SUFFIXES: [&str; 4] = ["", "_env", "_file", "_command"];

impl Kind {
    /// All keys under which a setting of this kind is read: `retry.base_delay = "1s"` is `base_delay_ms = 1000`.
    pub(crate) fn spellings(&self, name: &str) -> Vec<String> {
        match self {
            Self::Secret => SECRET_SUFFIXES.iter().map(|suffix| format!("{name}{suffix}")).collect(),
            Self::Duration { unit, .. } | Self::Size { unit, .. } => {
                let short = name.strip_suffix(unit.suffix());
                std::iter::once(name).chain(short).map(str::to_owned).collect()
            }
            _ => vec![name.to_owned()],
        }
    }
}

/// One key of a table.
#[derive(Debug)]
pub(crate) struct Field {
    /// The key.
    pub(crate) name: &'static str,
    /// What it is for: the lines of its doc comment.
    pub(crate) doc: &'static [&'static str],
    /// Its type.
    pub(crate) kind: fn() -> Kind,
    /// Its default, as it would be shown.
    pub(crate) default: fn() -> Json,
    /// What a workspace may do with it.
    pub(crate) scope: Scope,
}

/// What the config file of a workspace may do with a key.
///
/// A workspace comes with the code that someone else wrote, so it is believed only where it cannot hurt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Set it.
    Any,
    /// Nothing: only the owner of the machine sets it.
    Owner,
    /// Lower the number.
    Lower,
    /// Add to the list.
    Longer,
    /// Keep only part of the list; an empty list means no limit yet.
    Narrower,
    /// Choose a word that stands earlier in the list of words.
    Earlier,
    /// Decided by the fields inside.
    Inside,
}
