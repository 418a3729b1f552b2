//! What is made for other systems than Linux: its parts are run here, and all of it is looked at by the compiler for macOS.

use anyhow::Result;

use crate::invocation::Invocation;
use crate::report::{Outcome, StepResult};
use crate::test::{Surroundings, filter, left_out, limits, tests_run};
use crate::workspace::Workspace;

/// Makes the build scripts choose the parts for other systems.
const VARIABLE: &str = "CANDOR_ELSEWHERE";

/// The crates that have such parts, the one that stands on them, and the whole program.
const CRATES: [&str; 4] = ["candor-beneath", "candor-sandbox", "candor-tools", "candor"];

/// All of their tests but those about what only Linux has, and those that try what only walls make harmless. Of the whole
/// program, those that are there for it.
const TESTS: &str = "test(/^elsewhere::/) or not (test(/of_the_kernel|by_effect/) or package(candor))";

/// The system that the compiler looks at it for.
const TARGET: &str = "x86_64-apple-darwin";

/// Runs the tests of the parts for other systems, on this one.
pub fn tests(around: &mut Surroundings) -> Result<StepResult> {
    if let Some(missing) = around.missing_for_all() {
        return Ok(Outcome::Skipped(missing.reason.clone()).into());
    }
    let packages = CRATES.iter().flat_map(|name| ["--package", name]);
    let run = ["nextest", "run", "--locked", "--no-fail-fast", "--status-level", "fail"];
    let finished = in_own_folder(&around.workspace, &run)
        .env(VARIABLE, "1")
        .args(packages)
        .args(["-E", &filter(TESTS, &around.missing)])
        .args(limits(&around.workspace))
        .finish()?;
    if !finished.success {
        return Ok(StepResult::failed(finished.output));
    }
    let note = format!("{} tests run", tests_run(&finished.output));
    Ok(StepResult { skipped: left_out(&around.missing), ..StepResult::passed().with_notes([note]) })
}

/// Looks at the whole program as the compiler for macOS does. Nothing is linked and nothing of it runs: there is no such machine
/// here. Parts in C are left out, as their compilers are not at hand everywhere.
pub fn macos(around: &mut Surroundings) -> Result<StepResult> {
    let root = &around.workspace.root;
    let install = ["target", "add", TARGET];
    // Not counted as skipped: it comes from none of the registries that all else the tests need comes from.
    if !Invocation::new("rustup", root).args(install).succeeds() {
        let note = format!("not looked at: `rustup {}` failed", install.join(" "));
        return Ok(StepResult::passed().with_notes([note]));
    }
    let check = ["clippy", "--package", "candor", "--locked", "--target", TARGET];
    let no_compiler = root.join("xtask").join("no-c-compiler.sh");
    let of_target = TARGET.replace('-', "_");
    let finished = in_own_folder(&around.workspace, &check)
        .env(&format!("CC_{of_target}"), &no_compiler)
        .env(&format!("AR_{of_target}"), &no_compiler)
        .args(["--", "-D", "warnings"])
        .finish()?;
    Ok(if finished.success { StepResult::passed() } else { StepResult::failed(finished.output) })
}

/// Cargo with another folder for what it builds: the other build is not thrown away for this one.
fn in_own_folder(workspace: &Workspace, args: &[&str]) -> Invocation {
    let folder = workspace.target_dir.join("elsewhere");
    // Nobody looks into it, or builds it again in a moment: without what that needs it takes half of the disk.
    let small = [("CARGO_INCREMENTAL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "0")];
    let cargo = Invocation::cargo(&workspace.root).args(args).env("CARGO_TARGET_DIR", folder);
    small.into_iter().fold(cargo, |cargo, (name, value)| cargo.env(name, value))
}
