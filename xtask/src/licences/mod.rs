//! Licences, banned crates and sources, from `cargo metadata` and the same deny.toml that cargo-deny reads.

mod deny;
mod spdx;

use std::fs;

use anyhow::{Context, Result};

use crate::invocation::Invocation;
use crate::report::StepResult;
use crate::workspace::{Dependency, Package, Workspace};

pub use deny::Deny;
pub use spdx::satisfied;

/// The end of the source that cargo writes for the public registry, whatever protocol it was reached by.
const PUBLIC_REGISTRY: &str = "crates.io-index";

/// The step of the test command.
pub fn step(workspace: &Workspace) -> Result<StepResult> {
    let text = fs::read_to_string(workspace.root.join("deny.toml")).context("cannot read deny.toml")?;
    let deny = Deny::parse(&text)?;
    let problems = [problems(&deny, &workspace.foreign), member_problems(&deny, &workspace.members)].concat();
    let (advisories, note) = advisories(workspace)?;
    let problems: Vec<String> = problems.into_iter().chain(advisories).collect();
    let result =
        if problems.is_empty() { StepResult::passed() } else { StepResult::failed(problems.join("\n")) };
    Ok(result.with_notes([note]))
}

/// Everything that deny.toml does not permit among these packages.
pub fn problems(deny: &Deny, packages: &[Package]) -> Vec<String> {
    packages.iter().flat_map(|package| package_problems(deny, package)).collect()
}

/// The banned crates that our own packages name, those included that somebody else may use.
pub fn member_problems(deny: &Deny, members: &[Package]) -> Vec<String> {
    let named = members.iter().flat_map(|member| member.dependencies.iter().map(move |used| (member, used)));
    let problem = |(member, used): (&Package, &Dependency)| {
        let reason = deny.banned_for(&member.name, &used.name)?;
        Some(format!("{} uses {}, which is banned: {reason}", member.name, used.name))
    };
    named.filter_map(problem).collect()
}

fn package_problems(deny: &Deny, package: &Package) -> Vec<String> {
    let Package { name, version, license, source, .. } = package;
    let mut problems = Vec::new();
    match license.as_deref().map(|expression| (expression, satisfied(expression, &deny.allowed_licences))) {
        None => problems.push(format!("{name} {version} names no licence")),
        Some((_, Ok(true))) => {}
        Some((expression, Ok(false))) => {
            problems
                .push(format!("{name} {version} is under `{expression}`, which deny.toml does not allow"));
        }
        Some((expression, Err(error))) => {
            problems.push(format!(
                "{name} {version} has a licence `{expression}` that cannot be read: {error:#}"
            ));
        }
    }
    if let Some(reason) = deny.banned(name) {
        problems.push(format!("{name} {version} is banned: {reason}"));
    }
    let from_registry = source.as_ref().is_some_and(|source| {
        (source.starts_with("registry+") || source.starts_with("sparse+"))
            && source.trim_end_matches('/').ends_with(PUBLIC_REGISTRY)
    });
    if !from_registry {
        let source = source.as_deref().unwrap_or("a path outside the workspace");
        problems.push(format!("{name} {version} comes from {source}, not from the public registry"));
    }
    problems
}

/// The advisory database lives on the network, so it is asked where it can be had and noted where not.
fn advisories(workspace: &Workspace) -> Result<(Option<String>, String)> {
    if !Invocation::cargo(&workspace.root).args(["deny", "--version"]).succeeds() {
        return Ok((None, "advisories: not checked (cargo-deny is not installed)".to_owned()));
    }
    let finished = Invocation::cargo(&workspace.root).args(["deny", "check", "advisories"]).finish()?;
    // Without the database there is no verdict at all, neither of these two words.
    Ok(if finished.success {
        (None, "advisories: none apply".to_owned())
    } else if finished.output.contains("advisories FAILED") {
        (Some(finished.output), "advisories: see above".to_owned())
    } else {
        (None, "advisories: not checked (the advisory database cannot be had)".to_owned())
    })
}
