//! What may be wrong with a text.

use std::fmt;

use crate::node::Place;
use crate::tree::DEPTH_MAX;

/// Something that is wrong with the text itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub place: Place,
    /// What.
    pub wrong: Wrong,
}

/// What is wrong. Shown, it is a sentence about this place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// It is no YAML, and the parser says why.
    Syntax(String),
    /// A second document begins; it is not read.
    SecondDocument,
    /// A key that the table has already; the first one is kept.
    SecondKey {
        /// The key.
        key: String,
        /// The line of the first one.
        first: u32,
    },
    /// A key that is a list or a table.
    KeyIsNoWord,
    /// An alias of nothing.
    NoAnchor,
    /// It nests deeper than [`DEPTH_MAX`].
    TooDeep,
    /// It unfolds to more values than this.
    TooLarge(usize),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(why) => write!(f, "this is not valid YAML: {why}"),
            Self::SecondDocument => f.write_str("a second YAML document begins here; only the first is read"),
            Self::SecondKey { key, first } => {
                write!(f, "the key {key:?} stands here a second time; the first is on line {first}")
            }
            Self::KeyIsNoWord => f.write_str(
                "a key must be a word, not a list or a table; text that begins with [ or { needs quotes",
            ),
            Self::NoAnchor => f.write_str("this alias has no anchor before it"),
            Self::TooDeep => write!(f, "this nests deeper than {DEPTH_MAX} levels"),
            Self::TooLarge(most) => write!(f, "these are more than {most} values, aliases unfolded"),
        }
    }
}
