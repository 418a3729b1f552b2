//! The structure of the real workspace, by scenario id; and each of these checks failing on a made-up one.

use std::path::Path;

use xtask::tidy::{Tree, cycles, entry_point, tests_present};
use xtask::workspace::Workspace;

use crate::world::{check, tree, workspace};

fn real() -> (Workspace, Tree) {
    let workspace = Workspace::load().expect("cargo metadata answers");
    let tree = Tree::read(&workspace.root).expect("the tracked files");
    (workspace, tree)
}

#[test]
fn s19_1_no_circular_dependencies() {
    let (workspace, _) = real();
    assert!(workspace.members.iter().any(|member| !workspace.uses(member).is_empty()), "no arrows at all");
    check(&cycles(&workspace), &[]);
}

#[test]
fn s19_2_every_crate_has_its_tests() {
    let (workspace, tree) = real();
    assert!(
        workspace.members.iter().any(|member| member.dir == Path::new("xtask")),
        "this crate is a member"
    );
    check(&tests_present(&tree, &workspace), &[]);
}

#[test]
fn s19_3_the_entry_point_imports_only_top_level_modules() {
    let (_, tree) = real();
    assert!(tree.text("crates/candor/src/main.rs").is_some_and(|text| text.contains("fn main")));
    check(&entry_point(&tree), &[]);
}

#[test]
fn a_crate_without_tests_is_found() {
    let tree = tree(&[
        ("crates/a/tests/it/main.rs", "mod one;"),
        ("crates/a/tests/it/one.rs", "#[test]\nfn works() {}"),
        ("crates/c/tests/it/main.rs", "// nothing yet"),
    ]);
    let workspace = workspace(&[("a", &[]), ("b", &[]), ("c", &[])]);
    check(
        &tests_present(&tree, &workspace),
        &[
            "crates/b/tests/it/main.rs:1: `b` has no tests",
            "crates/c/tests/it/main.rs:1: the tests of `c` hold no test",
        ],
    );
}

#[track_caller]
fn check_entry_point(source: &str, expected: &[&str]) {
    check(&entry_point(&tree(&[("crates/candor/src/main.rs", source)])), expected);
}

#[test]
fn an_entry_point_may_name_its_modules_and_other_crates() {
    check_entry_point(
        "#![expect(x)]\nmod cli;\nuse std::process::ExitCode;\nuse crate::cli;\nuse crate::exit::Exit;\n\
         use crate::show::{Style, Width};\n// use crate::a::b::c;\nuse candor_config::deep::down::here;\nfn main() {}\n",
        &[],
    );
}

#[test]
fn an_entry_point_that_reaches_inside_is_found() {
    check_entry_point(
        "mod cli;\nuse crate::cli::parse::Args;\nfn main() {}\n",
        &["crates/candor/src/main.rs:2: `crate::cli::parse::Args` reaches past"],
    );
    check_entry_point(
        "#[cfg(unix)]\npub use crate::cli::{\n    Cli,\n    parse::Args,\n};\nfn main() {\n    use crate::a::b::c;\n}\n",
        &[
            "crates/candor/src/main.rs:2: `crate::cli::{ Cli, parse::Args, }` reaches past",
            "crates/candor/src/main.rs:7: `crate::a::b::c` reaches past",
        ],
    );
    check(&entry_point(&tree(&[])), &["crates/candor/src/main.rs:1: the entry point is not there"]);
}
