//! Turns `rules/*.yaml` into what the program reads at its first failure: without examples, with the fixed texts found.

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

#[path = "src/rules/literal.rs"]
mod literal;
#[path = "src/rules/rule.rs"]
mod rule;

#[derive(Serialize)]
struct Prepared {
    file: rule::RuleFile,
    fixed: Vec<literal::FixedOfRule>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=rules");
    let entries = fs::read_dir("rules")?.collect::<io::Result<Vec<_>>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    let files = paths.iter().map(|path| prepare(path)).collect::<Result<Vec<_>, _>>()?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rules.json"), serde_json::to_vec(&files)?)?;
    Ok(())
}

fn prepare(path: &Path) -> Result<Prepared, Box<dyn Error>> {
    let in_file = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let text = fs::read_to_string(path).map_err(|error| in_file(&error))?;
    let mut file: rule::RuleFile = serde_saphyr::from_str(&text).map_err(|error| in_file(&error))?;
    let mut fixed = Vec::new();
    for rule in &mut file.rules {
        rule.examples.clear();
        let found = literal::FixedOfRule::of(rule.patterns.all(), rule.command.as_deref());
        fixed.push(found.map_err(|why| in_file(&format!("{}: {why}", rule.code)))?);
    }
    Ok(Prepared { file, fixed })
}
