//! Tests for the runner that Node itself has, which need no script.

use std::path::{Path, PathBuf};

use super::node::{FILES_MAX, Package, SCRIPTS, does_nothing, env, script};
use crate::detect::draft::{Draft, check, from, words};
use crate::detect::project::listed;
use crate::detect::tree::{ending, name};
use crate::plan::{Check, CheckKind};

/// Files with tests for the runner that Node itself has.
pub(super) fn own<'p>(draft: &Draft<'_>, package: &Package<'p>) -> Vec<&'p Path> {
    let is_own = |file: &&PathBuf| {
        matches!(ending(file), "js" | "mjs" | "cjs")
            && draft.tree.text(file).is_some_and(|text| text.contains("node:test"))
    };
    package.project.files.iter().filter(is_own).map(PathBuf::as_path).collect()
}

/// Tests that need no script, where there is none that runs them.
pub(super) fn detect(draft: &mut Draft<'_>, package: &Package<'_>) {
    let folder = &package.project.folder;
    let tests = own(draft, package);
    let has_script =
        SCRIPTS.iter().filter(|(kind, _)| *kind == CheckKind::Test).flat_map(|(_, names)| names.iter()).any(
            |name| {
                let is_some = script(package, name).is_some_and(|body| !body.contains("no test specified"));
                is_some && !does_nothing(package, name, 0)
            },
        );
    let Some(first) = tests.first().filter(|_| !has_script) else { return };
    let (list, left) = listed(folder, &tests, FILES_MAX);
    if left > 0 {
        draft.note(format!("{left} files with tests for Node are not run: {FILES_MAX} are"));
    }
    let source = from(first, None, format!("{} uses the test runner of Node", name(first)));
    draft.check(Check {
        env: env(),
        needs: words(&["node"]),
        needs_files: package.modules.clone(),
        ..check(CheckKind::Test, "node test", format!("node --test {list}"), folder, source)
    });
}
