use xtask::tidy::{member_manifests, root_manifest};

use crate::world::{check, tree, workspace};

#[test]
fn every_dependency_of_the_workspace_says_why() {
    let text = "\
[workspace.dependencies]
ours = { path = \"crates/ours\" }
good = \"1.0\"   # it does this
bare = \"1.0\"
short = \"1.0\"  # json
table = { version = \"1.0\", features = [\"#\"] }
good_table = { version = \"1.0\", features = [\"#\"] } # has its reason
";
    check(
        &root_manifest(&tree(&[("Cargo.toml", text)])),
        &["Cargo.toml:4: `bare`", "Cargo.toml:5: `short`", "Cargo.toml:6: `table`"],
    );
}

const MEMBER: &str = "\
[package]
name = \"a\"
edition.workspace = true
rust-version.workspace = true
license.workspace = true

[dependencies]
serde.workspace = true
json = { workspace = true, features = [\"x\"] }

[lints]
workspace = true
";

#[track_caller]
fn check_member(text: &str, expected: &[&str]) {
    check(&member_manifests(&tree(&[("crates/a/Cargo.toml", text)]), &workspace(&[("a", &[])])), expected);
}

#[test]
fn a_member_that_takes_everything_from_the_workspace_is_fine() {
    check_member(MEMBER, &[]);
}

#[test]
fn a_member_that_goes_its_own_way_is_found() {
    check_member(
        &MEMBER.replace("edition.workspace = true", "edition = \"2021\""),
        &["crates/a/Cargo.toml:1: `package.edition`"],
    );
    check_member(
        &MEMBER.replace("[lints]\nworkspace = true", "[lints]\nworkspace = false"),
        &["crates/a/Cargo.toml:1: `lints`"],
    );
    check_member(
        &MEMBER.replace("serde.workspace = true", "serde = \"1\""),
        &["crates/a/Cargo.toml:8: `serde` is not taken from the workspace"],
    );
}

#[test]
fn every_table_of_dependencies_is_read() {
    let more = "[dev-dependencies]\nx = \"1\"\n[build-dependencies]\ny = \"1\"\n[target.'cfg(unix)'.dependencies]\nz = \"1\"\n";
    let first = MEMBER.lines().count() + 1;
    let expected = [("x", first + 1), ("y", first + 3), ("z", first + 5)]
        .map(|(name, line)| format!("crates/a/Cargo.toml:{line}: `{name}`"));
    check_member(&format!("{MEMBER}{more}"), &expected.each_ref().map(String::as_str));
}

#[test]
fn a_manifest_that_is_not_toml_is_found() {
    check_member("[package", &["crates/a/Cargo.toml:1: is not TOML"]);
    check(&root_manifest(&tree(&[("Cargo.toml", "= 1")])), &["Cargo.toml:1: is not TOML"]);
}
