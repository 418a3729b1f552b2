//! What `cargo metadata` knows about the workspace and everything it is built from.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::invocation::Invocation;

/// The workspace and every package in its dependency graph.
#[derive(Debug)]
pub struct Workspace {
    /// The folder of the root manifest.
    pub root: PathBuf,
    /// Where cargo builds.
    pub target_dir: PathBuf,
    /// Our own packages.
    pub members: Vec<Package>,
    /// Everybody else's.
    pub foreign: Vec<Package>,
}

/// One package, ours or not.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its licence expression, where it names one.
    pub license: Option<String>,
    /// Where it comes from; nothing for a path.
    pub source: Option<String>,
    /// Its folder, relative to the root where it is ours.
    pub dir: PathBuf,
    /// What it depends on, by package name.
    pub dependencies: Vec<Dependency>,
}

/// One dependency of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The package it names.
    pub name: String,
    /// What it is needed for.
    pub kind: DependencyKind,
}

/// What a dependency is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencyKind {
    /// To be linked.
    Normal,
    /// By a build script.
    Build,
    /// By tests, examples and benchmarks only.
    Dev,
}

impl Workspace {
    /// Asks cargo about the workspace this crate belongs to.
    pub fn load() -> Result<Self> {
        let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest_dir.parent().context("xtask lies in the root of the workspace")?;
        let json =
            Invocation::cargo(root).args(["metadata", "--format-version", "1", "--locked"]).stdout()?;
        Self::from_metadata(&json)
    }

    /// Reads the output of `cargo metadata --format-version 1`.
    pub fn from_metadata(json: &str) -> Result<Self> {
        let metadata: Value = serde_json::from_str(json).context("cargo metadata did not print JSON")?;
        let root = PathBuf::from(text(&metadata, "workspace_root")?);
        let member_ids: Vec<&str> = list(&metadata, "workspace_members").filter_map(Value::as_str).collect();
        let (mut members, mut foreign) = (Vec::new(), Vec::new());
        for value in list(&metadata, "packages") {
            let package = Package::from_metadata(value, &root)?;
            let group = if member_ids.contains(&text(value, "id")?) { &mut members } else { &mut foreign };
            group.push(package);
        }
        members.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { target_dir: PathBuf::from(text(&metadata, "target_directory")?), root, members, foreign })
    }

    /// Builds the binary in a profile and says where it lies.
    pub fn build_candor(&self, profile: &str) -> Result<PathBuf> {
        let build =
            ["build", "--package", "candor", "--locked", "--message-format", "json-render-diagnostics"];
        let messages = Invocation::cargo(&self.root).args(build).args(["--profile", profile]).stdout()?;
        let mut messages = messages.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let binary = messages.find_map(|message| message["executable"].as_str().map(PathBuf::from));
        binary.context("cargo built no binary called candor")
    }

    /// The members that one member cannot be built without: its normal and build dependencies among ours.
    pub fn uses(&self, member: &Package) -> Vec<&str> {
        let needed = |name: &str| {
            member.dependencies.iter().any(|dep| dep.name == name && dep.kind != DependencyKind::Dev)
        };
        self.members.iter().map(|other| other.name.as_str()).filter(|name| needed(name)).collect()
    }
}

impl Package {
    fn from_metadata(value: &Value, root: &Path) -> Result<Self> {
        let manifest = Path::new(text(value, "manifest_path")?);
        let dir = manifest.parent().unwrap_or(manifest);
        Ok(Self {
            name: text(value, "name")?.to_owned(),
            version: text(value, "version")?.to_owned(),
            license: value["license"].as_str().map(str::to_owned),
            source: value["source"].as_str().map(str::to_owned),
            dir: dir.strip_prefix(root).unwrap_or(dir).to_path_buf(),
            dependencies: list(value, "dependencies")
                .map(Dependency::from_metadata)
                .collect::<Result<_>>()?,
        })
    }
}

impl Dependency {
    fn from_metadata(value: &Value) -> Result<Self> {
        let kind = match value["kind"].as_str() {
            None => DependencyKind::Normal,
            Some("build") => DependencyKind::Build,
            Some(_) => DependencyKind::Dev,
        };
        Ok(Self { name: text(value, "name")?.to_owned(), kind })
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str> {
    value[key].as_str().with_context(|| format!("cargo metadata has no {key}"))
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}
