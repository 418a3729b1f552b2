//! What is searched for is put together here as well, or this file would be found.

use xtask::tidy::forbidden;

use crate::world::{check, tree};

#[track_caller]
fn check_file(path: &str, text: &str, expected: &[&str]) {
    check(&forbidden(&tree(&[(path, text)])), expected);
}

#[test]
fn unfinished_code_is_found() {
    let source =
        ["fn a() { to", "do!() }\nfn b() { unimple", "mented!() }\ndb", "g!(1);\n#[ig", "nore]\n"].concat();
    check_file(
        "src/a.rs",
        &source,
        &["src/a.rs:1: `to", "src/a.rs:2: `unimple", "src/a.rs:3: `db", "src/a.rs:4: `#[ig"],
    );
}

#[test]
fn marks_of_unfinished_work_are_found() {
    let mark = ["// FIX", "ME later\nlet x = \"TO", "DO\";\n"].concat();
    check_file("src/a.rs", &mark, &["src/a.rs:1: `FIX", "src/a.rs:2: `TO"]);
    // A literal of a test is what some program printed.
    check_file("crates/a/tests/it/b.rs", &mark, &["crates/a/tests/it/b.rs:1: `FIX"]);
    check_file("notes.md", &mark, &[]);
}

#[test]
fn code_in_literals_is_not_code() {
    check_file("src/a.rs", &["let x = \"#[ig", "nore]\";\n"].concat(), &[]);
}

#[test]
fn paths_of_a_machine_are_found_in_any_text() {
    let text =
        ["a\nsee /wo", "rk/x\ncd /ro", "ot/.y\nls /home/anna/.car", "go/bin\n/home/anna/src\n"].concat();
    let text = text.as_str();
    check_file("notes.md", text, &["notes.md:2: `/wo", "notes.md:3: `/ro", "notes.md:4: `/home/anna/.car"]);
    check_file("Cargo.lock", text, &[]);
}

#[test]
fn addresses_of_registries_are_found() {
    let text = ["get it from crates.io\nhttps://registry.npm", "js.org/x\n"].concat();
    check_file("docs/a.md", &text, &["docs/a.md:2: `registry.npm"]);
}
