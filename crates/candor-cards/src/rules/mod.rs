//! The rules that turn the output of a failed command into a card.

mod base;
mod built_in;
mod check;
mod facts;
mod fill;
mod git;
mod index;
mod literal;
mod looks;
mod matching;
mod rule;
mod tables;
mod world;

pub use base::{Prepared, RuleBase};
pub use check::{Checked, Problem, check, load, parse, without_place};
pub use fill::rule_outline;
pub use rule::{Example, Look, Origin, Patterns, Pick, Rule, RuleFile, RuleStep};
pub use world::{Given, Kind, World};

pub(crate) use fill::fill;
pub(crate) use matching::{Seen, best};
pub(crate) use world::Below;
