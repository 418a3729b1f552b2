//! Declarations as YAML.

use candor_yaml::{Text, Wrong};

pub(super) use candor_yaml::{Entry, Node, Place, Value};

/// Most values a text may unfold to, aliases included: a hundred services with everything set have fewer.
const NODES_MAX: usize = 50_000;

/// Reads one YAML document whose first line has this number: what could be read of it, and what is wrong with the rest, in words.
pub(super) fn parse(text: &str, first_line: u32) -> (Option<Node>, Vec<(Place, String)>) {
    let parsed = candor_yaml::parse(Text { text, first_line, nodes_max: NODES_MAX });
    let words = |wrong: &Wrong| match wrong {
        Wrong::SecondKey { .. } => format!("{wrong}, and counts"),
        wrong => wrong.to_string(),
    };
    let mistakes = parsed.mistakes.iter().map(|mistake| (mistake.place, words(&mistake.wrong))).collect();
    (parsed.root, mistakes)
}
