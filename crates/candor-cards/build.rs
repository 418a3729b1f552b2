//! Turns `rules/*.yaml` into what the program reads at a failure: each rule by itself, without examples, and an index of the fixed texts that lead to them.

#![allow(
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "the types are the library's; this only reads them"
)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "how a build script is spoken to, and speaks"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::Serialize;

#[path = "src/rules/index.rs"]
mod index;
#[path = "src/rules/literal.rs"]
mod literal;
#[path = "src/rules/rule.rs"]
mod rule;

/// What stands between two texts.
const BETWEEN: &str = "\0";

/// A rule with what its file says about all of them.
#[derive(Serialize)]
struct Written {
    ecosystem: String,
    programs: Vec<String>,
    pick: rule::Pick,
    rule: rule::Rule,
    fixed: literal::FixedOfRule,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=rules");
    let entries = fs::read_dir("rules")?.collect::<io::Result<Vec<_>>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    let files = paths.iter().map(|path| prepare(path)).collect::<Result<Vec<_>, _>>()?;
    let rules: Vec<Written> = files.into_iter().flatten().collect();
    let fixed: Vec<_> = rules.iter().map(|rule| rule.fixed.clone()).collect();
    let (index, texts) = index::Index::of(&fixed);
    if texts.iter().any(|text| text.contains(BETWEEN)) {
        return Err("a rule needs a text with the byte in it that stands between texts".into());
    }
    let lines = rules.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("rules"), lines.join("\n"))?;
    fs::write(out.join("texts"), texts.join(BETWEEN))?;
    fs::write(out.join("index"), serde_json::to_vec(&index)?)?;
    Ok(())
}

fn prepare(path: &Path) -> Result<Vec<Written>, Box<dyn Error>> {
    let in_file = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let text = fs::read_to_string(path).map_err(|error| in_file(&error))?;
    let file: rule::RuleFile = serde_saphyr::from_str(&text).map_err(|error| in_file(&error))?;
    let mut rules = Vec::new();
    for mut rule in file.rules {
        rule.examples.clear();
        let fixed = literal::FixedOfRule::of(rule.patterns.all(), rule.command.as_deref());
        let fixed = fixed.map_err(|why| in_file(&format!("{}: {why}", rule.code)))?;
        let (ecosystem, programs) = (file.ecosystem.clone(), file.programs.clone());
        rules.push(Written { ecosystem, programs, pick: file.pick, rule, fixed });
    }
    Ok(rules)
}
