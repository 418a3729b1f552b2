//! Files that the binary prints about itself, kept in the repository and checked for freshness.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::invocation::Invocation;
use crate::report::StepResult;
use crate::workspace::Workspace;

/// What `candor generate` prints, and the file that keeps it.
const FILES: &[(&str, &str)] = &[
    ("config-schema", "docs/config.schema.json"),
    ("config-docs", "docs/configuration.md"),
    ("config-example", "config.example.toml"),
    ("errors-docs", "docs/errors.md"),
    ("redaction-docs", "docs/redaction.md"),
];

/// Where the rules are, whose examples are not in the binary.
const RULES: &str = "crates/candor-cards/rules";

/// Whether files are written or only compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Write what has changed.
    Write,
    /// Say what is stale.
    Check,
}

/// `cargo xtask generate`.
pub fn run(workspace: &Workspace, mode: Mode) -> Result<bool> {
    let stale = stale(workspace)?;
    for (path, fresh) in &stale {
        match mode {
            Mode::Check => println!("{}", stale_line(path)),
            Mode::Write => {
                write(&workspace.root.join(path), fresh)?;
                println!("wrote {path}");
            }
        }
    }
    if stale.is_empty() {
        println!("all {} generated files are fresh", FILES.len());
    }
    Ok(mode == Mode::Write || stale.is_empty())
}

/// The step of the test command.
pub fn step(workspace: &Workspace) -> Result<StepResult> {
    let lines: Vec<String> = stale(workspace)?.iter().map(|(path, _)| stale_line(path)).collect();
    Ok(if lines.is_empty() { StepResult::passed() } else { StepResult::failed(lines.join("\n")) })
}

/// `cargo xtask man`. The pages are not kept in the repository: who packages the binary makes them.
pub fn man(workspace: &Workspace, dir: Option<PathBuf>) -> Result<bool> {
    let dir = dir.unwrap_or_else(|| workspace.target_dir.join("man"));
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let binary = workspace.build_candor("dev")?;
    Invocation::new(binary, &workspace.root).args(["generate", "man", "--dir"]).args([&dir]).stdout()?;
    println!("man pages are in {}", dir.display());
    Ok(true)
}

fn stale(workspace: &Workspace) -> Result<Vec<(&'static str, String)>> {
    let binary = workspace.build_candor("dev")?;
    let mut stale = Vec::new();
    for &(what, path) in FILES {
        let fresh =
            Invocation::new(&binary, &workspace.root).args(["generate", what, "--rules", RULES]).stdout()?;
        if fs::read_to_string(workspace.root.join(path)).ok().as_ref() != Some(&fresh) {
            stale.push((path, fresh));
        }
    }
    Ok(stale)
}

/// Writes a file of the repository, and its folder where that is new.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn stale_line(path: &str) -> String {
    format!("{path} is stale: `cargo xtask generate` repairs it")
}
