//! A file of rules as it is written. `docs/recipes.md` explains every key.
//!
//! The build script reads our own files with these very types, so this file uses nothing but serde.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// One file: the rules of an ecosystem.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Its name for people.
    pub ecosystem: String,
    /// The programs whose rules these are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// Which of several matches counts.
    #[serde(default)]
    pub pick: Pick,
    /// The rules.
    pub rules: Vec<Rule>,
}

/// Which of several matches counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// What a compiler says first is the cause of what follows.
    First,
    /// What a script says last is what it ended with.
    #[default]
    Last,
}

/// One rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is explained in docs/recipes.md, for those who write them")]
pub struct Rule {
    pub code: String,
    pub class: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exit: Vec<i32>,
    #[serde(rename = "match")]
    pub patterns: Patterns,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless: Option<String>,
    #[serde(default)]
    pub weight: i32,
    #[serde(default, with = "ordered", skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<(String, Look)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    pub cause: String,
    pub steps: Vec<RuleStep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    #[serde(default)]
    pub retryable: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// What is looked for in the output.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    /// One pattern, or the word `none`.
    One(String),
    /// The first that matches counts.
    Several(Vec<String>),
}

impl Patterns {
    /// The patterns; none where the command line and the exit code decide.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(word) if word == "none" => &[],
            Self::One(pattern) => std::slice::from_ref(pattern),
            Self::Several(patterns) => patterns,
        }
    }
}

/// A look at the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each look is explained in docs/recipes.md, for those who write them")]
pub enum Look {
    Exists(String),
    Missing(String),
    Directory(String),
    File(String),
    Parent(String),
    Base(String),
    Interpreter(String),
    CarriageReturn(String),
    NearFile(String),
    Near { word: String, among: Vec<String> },
    NearBranch(String),
    DefaultBranch,
    CurrentBranch,
    Remote,
    NearScript(String),
    Scripts,
    NearTarget(String),
    Targets,
    NearProgram(String),
    Package(String),
    PythonPackage(String),
    Installer,
    NodeInstaller,
    Python,
    First(Vec<String>),
    Words { of: String, from: String, to: String },
}

/// One step: `run`, `check` with `run`, or `do`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is explained in docs/recipes.md, for those who write them")]
pub struct RuleStep {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    #[serde(default, rename = "do", skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub safe: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub destructive: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A failure and the card it must give.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is explained in docs/recipes.md, for those who write them")]
pub struct Example {
    pub from: Origin,
    pub command: String,
    pub exit: i32,
    #[serde(default)]
    pub output: String,
    #[serde(default, with = "ordered")]
    pub files: Vec<(String, String)>,
    #[serde(default)]
    pub cause: Option<String>,
    #[serde(default)]
    pub steps: Vec<String>,
}

/// Where an example was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// On a real machine.
    Run,
    /// In documentation.
    Docs,
}

/// A map whose order counts: a look may use what an earlier one found.
mod ordered {
    use super::{Deserialize, Deserializer, MapAccess, Serialize, Serializer, Visitor, fmt};

    struct Pairs<T>(std::marker::PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Pairs<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<Vec<(String, T)>, D::Error> {
        deserializer.deserialize_map(Pairs(std::marker::PhantomData))
    }

    pub(super) fn serialize<S: Serializer, T: Serialize>(
        pairs: &[(String, T)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
    }
}
