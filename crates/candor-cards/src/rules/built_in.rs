//! Our own rules, as the build script wrote them: each by itself, without its examples, and an index to all of them.

use serde::Deserialize;

use super::base::Recipe;
use super::index::Index;
use super::literal::FixedOfRule;
use super::rule::{Rule, RuleFile};

/// One file a line, without its rules.
const FILES: &str = include_str!(concat!(env!("OUT_DIR"), "/files"));
/// One rule a line.
const RULES: &str = include_str!(concat!(env!("OUT_DIR"), "/rules"));
/// The texts of the index, with a byte between them that is in none.
const TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/texts"));
const BETWEEN: char = '\0';
const INDEX: &str = include_str!(concat!(env!("OUT_DIR"), "/index"));

/// A rule, and the number of its file.
#[derive(Deserialize)]
struct Written {
    file: usize,
    rule: Rule,
    fixed: FixedOfRule,
}

/// The rules as they are written.
pub(super) fn rules() -> impl Iterator<Item = &'static str> {
    RULES.lines()
}

/// One of them. The build script wrote it; a test reads them all.
pub(super) fn rule(written: &str) -> Option<Recipe> {
    let Written { file, rule, fixed } = serde_json::from_str(written).ok()?;
    let RuleFile { ecosystem, programs, pick, .. } = serde_json::from_str(FILES.lines().nth(file)?).ok()?;
    Some(Recipe::new(rule, fixed, (ecosystem.into(), programs.into(), pick)))
}

/// The texts that lead to rules.
pub(super) fn texts() -> impl Iterator<Item = &'static str> {
    TEXTS.split(BETWEEN)
}

/// Where they lead.
pub(super) fn index() -> Index {
    serde_json::from_str(INDEX).unwrap_or_default()
}
