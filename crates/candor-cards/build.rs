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

/// A rule, and the number of its file.
#[derive(Serialize)]
struct Written {
    file: usize,
    rule: rule::Rule,
    fixed: literal::FixedOfRule,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=rules");
    let entries = fs::read_dir("rules")?.collect::<io::Result<Vec<_>>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    let (mut heads, mut rules) = (Vec::new(), Vec::new());
    for (number, path) in paths.iter().enumerate() {
        let mut file = read(path)?;
        for rule in file.rules.drain(..) {
            let fixed = literal::FixedOfRule::of(rule.patterns.all(), rule.command.as_deref());
            let fixed = fixed.map_err(|why| format!("{}: {}: {why}", path.display(), rule.code))?;
            rules.push(Written { file: number, rule, fixed });
        }
        heads.push(file);
    }
    let fixed: Vec<_> = rules.iter().map(|rule| rule.fixed.clone()).collect();
    let (index, texts) = index::Index::of(&fixed);
    if texts.iter().any(|text| text.contains(BETWEEN)) {
        return Err("a rule needs a text with the byte in it that stands between texts".into());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("files"), lines(&heads)?)?;
    fs::write(out.join("rules"), lines(&rules)?)?;
    fs::write(out.join("texts"), texts.join(BETWEEN))?;
    fs::write(out.join("index"), serde_json::to_vec(&index)?)?;
    Ok(())
}

/// A file of rules without their examples.
fn read(path: &Path) -> Result<rule::RuleFile, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let file: Result<rule::RuleFile, _> = serde_saphyr::from_str(&text);
    let mut file = file.map_err(|error| format!("{}: {error}", path.display()))?;
    file.rules.iter_mut().for_each(|rule| rule.examples.clear());
    Ok(file)
}

fn lines(all: &[impl Serialize]) -> Result<String, serde_json::Error> {
    let lines = all.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(lines.join("\n"))
}
