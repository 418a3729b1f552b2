//! `find` and `list`.

use std::fs;
use std::os::unix::fs::symlink;

use candor_protocol::Code;
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure};
use crate::tree::plant;

fn rig(paths: &[&str]) -> Rig {
    let rig = Rig::new();
    plant(&rig.inside(""), paths, "text");
    rig
}

async fn check(rig: &Rig, tool: &str, args: Value, expect: &str) {
    let output = rig.call(tool, args.clone()).await;
    assert!(!output.is_error, "{output:?}");
    assert_eq!(output.for_model, expect, "{args}");
}

#[tokio::test]
async fn s6_16_files_are_found_by_their_names() {
    let rig = rig(&[
        "src/main.rs",
        "src/deep/lib.rs",
        "src/deep.txt",
        "main.c",
        "domain/x",
        ".hidden.rs",
        "empty/",
    ]);
    let find = async |args: Value, expect: &str| check(&rig, "find", args, expect).await;
    find(json!({ "pattern": "*.rs" }), "src/deep/lib.rs\nsrc/main.rs\n").await;
    find(json!({ "pattern": "src/*.rs" }), "src/main.rs\n").await;
    find(json!({ "pattern": "src/**/*.rs" }), "src/deep/lib.rs\nsrc/main.rs\n").await;
    find(json!({ "pattern": "main" }), "domain/\nmain.c\nsrc/main.rs\n").await;
    find(json!({ "pattern": "main", "kind": "directory" }), "domain/\n").await;
    find(json!({ "pattern": "main", "kind": "file" }), "main.c\nsrc/main.rs\n").await;
    find(json!({ "pattern": "*.rs", "path": "src/deep" }), "src/deep/lib.rs\n").await;
    find(json!({ "pattern": ".hidden*" }), ".hidden.rs\n").await;
    find(json!({ "pattern": "none" }), "[nothing found]\n").await;
    let cut = "domain/\ndomain/x\nempty/\n[find truncated] returned 3 of at least 4; narrow pattern, path or kind\n";
    find(json!({ "pattern": "*", "max": 3 }), cut).await;
    check_failure(&rig.call("find", json!({ "pattern": "x", "kind": "pipe" })).await, Code::ToolArguments);
    check_failure(&rig.call("find", json!({ "pattern": "x", "path": "main.c" })).await, Code::FileIo);
}

#[tokio::test]
async fn s6_16_folders_are_listed() {
    let rig = rig(&["b/c/d/e", "b/a", "a.txt", ".dot", "link -> b", "gone -> nowhere"]);
    check(&rig, "list", json!({}), ".dot\na.txt\nb/\ngone@\nlink@\n").await;
    check(&rig, "ls", json!({ "path": "b", "depth": 2 }), "a\nc/\nc/d/\n").await;
    check(&rig, "list", json!({ "path": "b/c/d" }), "e\n").await;
    check(&rig, "list", json!({ "path": "link" }), "a\nc/\n").await;
    fs::create_dir(rig.inside("empty")).unwrap();
    check(&rig, "list", json!({ "path": "empty" }), "[empty]\n").await;
    let output = rig.call("list", json!({ "path": "a.txt" })).await;
    check_failure(&output, Code::FileIo);
    assert!(output.for_model.contains("it is a file, not a folder; file_read reads it"), "{output:?}");
    check_failure(&rig.call("list", json!({ "path": "gone" })).await, Code::FileNotFound);
    for number in 0..1100 {
        fs::write(rig.inside(&format!("empty/{number:04}")), "").unwrap();
    }
    let output = rig.call("list", json!({ "path": "empty" })).await.for_model;
    assert!(
        output.ends_with("0999\n[list truncated] there are more; list a folder below, or use find\n"),
        "{output}"
    );
}

#[tokio::test]
async fn s6_18_s6_19_what_is_hidden_or_not_allowed_is_not_shown() {
    let mut rig = rig(&["open/a", "open/keys/b", "closed/c"]);
    symlink(rig.inside("closed"), rig.inside("open/link")).unwrap();
    rig.context.rules.hidden = vec![rig.inside("open/keys")];
    rig.context.rules.allowed = vec![rig.inside("open")];
    check(&rig, "find", json!({ "pattern": "*", "path": "open" }), "open/a\nopen/link\n").await;
    check(&rig, "list", json!({ "path": "open", "depth": 5 }), "a\nlink@\n").await;
    for path in [".", "closed", "open/keys", "open/link", "..", "/"] {
        let find = rig.call("find", json!({ "pattern": "*", "path": path })).await;
        check_failure(&find, Code::ToolBlocked);
        check_failure(&rig.call("list", json!({ "path": path })).await, Code::ToolBlocked);
    }
}

#[tokio::test]
async fn a_tree_that_is_very_deep_is_walked_to_a_bound() {
    let rig = Rig::new();
    let deep = "d/".repeat(150) + "file";
    plant(&rig.inside(""), &[&deep], "");
    let mut rig = rig;
    rig.context.rules.output_bytes_max = 100_000;
    let output = rig.call("find", json!({ "pattern": "d", "max": 1000 })).await;
    assert_eq!(output.for_model.lines().count(), 101);
}
