//! What a call would change is shown before it does.

use std::fs;

use candor_tools::{Approval, Permission};
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::tree::{plant, tree};

async fn preview(rig: &Rig, tool: &str, args: Value) -> Option<String> {
    let before = tree(&rig.inside(""));
    let shown = rig.registry.find(tool).unwrap().preview(&args, &rig.context).await;
    assert!(tree(&rig.inside("")) == before, "a preview changed something");
    shown
}

#[tokio::test]
async fn every_writing_tool_shows_what_it_would_do() {
    let mut rig = Rig::new();
    plant(&rig.inside(""), &["file"], "one\ntwo\n");
    // Whoever must be asked gets it, too.
    rig.context.rules.approval = Approval::Always;
    let diff = "--- a/file\n+++ b/file\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n";
    let patch = "*** Begin Patch\n*** Update File: file\n-one\n+1\n*** End Patch";
    for (tool, args) in [
        ("file_write", json!({ "path": "file", "content": "1\ntwo\n" })),
        ("file_edit", json!({ "path": "file", "edits": [{ "old": "one", "new": "1" }] })),
        ("apply_patch", json!({ "patch": patch })),
        ("apply_patch", json!({ "patch": diff })),
    ] {
        assert_eq!(preview(&rig, tool, args).await.as_deref(), Some(diff), "{tool}");
    }
    let shown = preview(&rig, "file_write", json!({ "path": "new/deep/file", "content": "x\n" })).await;
    assert_eq!(shown.as_deref(), Some("--- /dev/null\n+++ b/new/deep/file\n@@ -0,0 +1 @@\n+x\n"));
    let patch = "*** Begin Patch\n*** Delete File: file\n*** End Patch";
    let shown = preview(&rig, "apply_patch", json!({ "patch": patch })).await;
    assert_eq!(shown.as_deref(), Some("--- a/file\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"));
}

#[tokio::test]
async fn a_patch_is_named_by_what_it_does_to_which_files() {
    let mut rig = Rig::new();
    let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n-one\n+1\n*** Add File: new/c\n+2\n\
                 *** Delete File: d\n*** End Patch";
    let args = json!({ "patch": patch });
    let shown = rig.registry.find("apply_patch").unwrap().shown(&args);
    assert_eq!(shown, "move a to b, add new/c, delete d");
    rig.context.rules.permission = Permission::ReadOnly;
    let cause = rig.call("apply_patch", args).await.card.unwrap().cause;
    assert!(cause.contains("\nCommand: move a to b, add new/c, delete d\n"), "{cause}");
    let diff = json!({ "patch": "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+1\n" });
    assert_eq!(rig.registry.find("apply_patch").unwrap().shown(&diff), "change file");
    // What cannot be read is shown as it is.
    let nonsense = json!({ "patch": "nonsense" });
    assert_eq!(rig.registry.find("apply_patch").unwrap().shown(&nonsense), nonsense.to_string());
}

#[tokio::test]
async fn what_would_fail_or_reads_only_has_none() {
    let rig = Rig::new();
    for (tool, args) in [
        ("file_write", json!({ "path": "../out", "content": "x" })),
        ("file_edit", json!({ "path": "none", "old": "a", "new": "b" })),
        ("apply_patch", json!({ "patch": "nonsense" })),
        ("file_read", json!({ "path": "x" })),
        ("shell_exec", json!({ "command": "true" })),
    ] {
        assert_eq!(preview(&rig, tool, args).await, None, "{tool}");
    }
}

#[tokio::test]
async fn a_preview_has_its_bound_and_files_that_are_no_text_are_named() {
    let rig = Rig::new();
    let long = "a line\n".repeat(50_000);
    let shown = preview(&rig, "file_write", json!({ "path": "new", "content": long })).await.unwrap();
    assert!(shown.len() < (64 << 10) + 100 && shown.ends_with(" more bytes]\n"), "{}", shown.len());
    fs::write(rig.inside("binary"), b"\xff\0").unwrap();
    let shown = preview(&rig, "file_write", json!({ "path": "binary", "content": "x" })).await;
    assert_eq!(shown.as_deref(), Some("--- a/binary (2 bytes)\n+++ b/binary (1 bytes)\n"));
}
