use xtask::tidy::crate_docs;

use crate::world::{check, tree, workspace};

const GOOD: &str =
    "//! Does one thing.\n//! It does not do another.\n//!\n//! Start reading at [`Thing`].\n\nmod a;\n";

#[track_caller]
fn check_lib(source: &str, expected: &[&str]) {
    check(&crate_docs(&tree(&[("crates/a/src/lib.rs", source)]), &workspace(&[("a", &[])])), expected);
}

#[test]
fn a_crate_that_says_what_where_and_what_not_is_fine() {
    check_lib(GOOD, &[]);
    check_lib(&GOOD.replace("It does not do another.", "Deliberately absent: another."), &[]);
}

#[test]
fn each_part_that_is_missing_is_found() {
    let path = "crates/a/src/lib.rs:1:";
    check_lib(
        &GOOD.replace("does not do", "leaves out"),
        &[&format!("{path} does not say what the crate leaves out")],
    );
    check_lib(
        &GOOD.replace("Start reading", "Begin"),
        &[&format!("{path} does not say where to start reading")],
    );
    check_lib("//! It does not. Start reading.\n", &[&format!("{path} opens with too little")]);
    let late = format!("mod a;\n{GOOD}");
    assert_eq!(crate_docs(&tree(&[("crates/a/src/lib.rs", &late)]), &workspace(&[("a", &[])])).len(), 3);
}

#[test]
fn a_binary_without_a_library_is_asked_too() {
    let workspace = workspace(&[("a", &[]), ("b", &[])]);
    let tree = tree(&[("crates/a/src/main.rs", GOOD)]);
    check(&crate_docs(&tree, &workspace), &["crates/b/src/lib.rs:1: `b` has neither"]);
}
