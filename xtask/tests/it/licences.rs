use xtask::licences::{Deny, member_problems, problems, satisfied};
use xtask::workspace::Package;

use crate::world::package;

fn allowed() -> Vec<String> {
    ["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"].map(str::to_owned).to_vec()
}

#[track_caller]
fn check(expression: &str, expected: bool) {
    assert_eq!(satisfied(expression, &allowed()).expect("a licence expression"), expected, "{expression}");
}

#[test]
fn one_side_of_or_is_enough_and_both_of_and_are_needed() {
    check("MIT", true);
    check("GPL-3.0", false);
    check("GPL-3.0 OR MIT", true);
    check("GPL-3.0/MIT", true);
    check("GPL-3.0 AND MIT", false);
    check("MIT AND Unicode-3.0", true);
}

#[test]
fn and_binds_tighter_and_parentheses_tighter_still() {
    check("MIT OR GPL-3.0 AND GPL-2.0", true);
    check("(MIT OR GPL-3.0) AND GPL-2.0", false);
    check("(GPL-2.0 OR MIT) AND Unicode-3.0", true);
    check("((MIT))", true);
}

#[test]
fn an_exception_is_part_of_the_name() {
    check("Apache-2.0 WITH LLVM-exception", true);
    check("Apache-2.0", false);
    check("MIT WITH LLVM-exception", false);
}

#[test]
fn what_is_no_expression_is_refused() {
    for broken in ["", "MIT OR", "(MIT", "MIT)", "MIT GPL-3.0", "AND MIT", "MIT WITH", "MIT OR OR MIT"] {
        assert!(satisfied(broken, &allowed()).is_err(), "{broken:?}");
    }
    let deep = format!("{}MIT{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(satisfied(&deep, &allowed()).is_err(), "nested without end");
}

const DENY: &str = "\
[licenses]
allow = [\"MIT\"]
[bans]
deny = [{ crate = \"openssl\", reason = \"no C library\" }, \"atty\"]
";

#[track_caller]
fn check_package(package: &Package, expected: &[&str]) {
    let deny = Deny::parse(DENY).expect("a deny.toml");
    assert_eq!(problems(&deny, std::slice::from_ref(package)), expected);
}

#[test]
fn licences_bans_and_sources_are_found() {
    check_package(&package("fine", &[]), &[]);
    check_package(
        &Package { license: Some("GPL-3.0".to_owned()), ..package("copyleft", &[]) },
        &["copyleft 1.0.0 is under `GPL-3.0`, which deny.toml does not allow"],
    );
    check_package(&Package { license: None, ..package("bare", &[]) }, &["bare 1.0.0 names no licence"]);
    check_package(&package("openssl", &[]), &["openssl 1.0.0 is banned: no C library"]);
    check_package(&package("atty", &[]), &["atty 1.0.0 is banned: deny.toml gives no reason"]);
    let git = "git+https://example.org/x#abc";
    check_package(
        &Package { source: Some(git.to_owned()), ..package("forked", &[]) },
        &[&format!("forked 1.0.0 comes from {git}, not from the public registry")],
    );
    check_package(
        &Package { source: None, ..package("local", &[]) },
        &["local 1.0.0 comes from a path outside the workspace, not from the public registry"],
    );
}

/// What others may use inside is not for ours.
#[test]
fn a_ban_with_wrappers_holds_for_our_own_packages() {
    let text = "[licenses]\nallow = [\"MIT\"]\n[bans]\ndeny = [{ crate = \"clock\", wrappers = [\"them\"], reason = \"ours\" }]\n";
    let deny = Deny::parse(text).expect("a deny.toml");
    assert_eq!(problems(&deny, &[package("clock", &[])]), [""; 0]);
    let member = package("member", &["clock", "them"]);
    assert_eq!(member_problems(&deny, &[member]), ["member uses clock, which is banned: ours"]);
}

#[test]
fn a_deny_file_without_its_lists_is_refused() {
    assert!(Deny::parse("[licenses]\nallow = []\n").is_err());
    assert!(Deny::parse("[licenses]\nallow = \"MIT\"\n[bans]\ndeny = []\n").is_err());
    assert!(Deny::parse("[licenses").is_err());
}
