//! A folder changes places with a link that leads out, again and again, while tools work through it.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicUsize, Ordering};

use candor_tools::ToolOutput;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use crate::rig::{Rig, meanwhile};
use crate::tree::tree;

const SWAPS: usize = 10_000;

/// Calls a tool until the folder has changed often enough, and until enough has been seen of its answers.
fn race(rig: &Rig, tool: &str, args: impl Fn(usize) -> Value, is_enough: impl Fn(&ToolOutput) -> Seen) {
    let swaps = AtomicUsize::new(0);
    let (folder, link) = (rig.inside("folder"), rig.inside("link"));
    let swap = || {
        renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        swaps.fetch_add(1, Ordering::Relaxed);
    };
    meanwhile(swap, async {
        // Both must be met, or nothing is shown by this.
        let (mut folder, mut link) = (false, false);
        let mut number = 0;
        while swaps.load(Ordering::Relaxed) < SWAPS || !folder || !link {
            number += 1;
            let output = rig.call(tool, args(number)).await;
            assert!(!output.for_model.contains("canary"), "{output:?}");
            match is_enough(&output) {
                Seen::Folder => folder = true,
                Seen::Link => link = true,
            }
        }
    });
}

/// What a call has met.
enum Seen {
    Folder,
    Link,
}

fn failed_or_not(output: &ToolOutput) -> Seen {
    if output.is_error { Seen::Link } else { Seen::Folder }
}

fn rig() -> Rig {
    let rig = Rig::new();
    fs::create_dir(rig.inside("folder")).unwrap();
    fs::create_dir(rig.outside("evil")).unwrap();
    for folder in [rig.inside("folder"), rig.outside("evil")] {
        fs::create_dir(folder.join("below")).unwrap();
        fs::write(folder.join("file"), "0\n").unwrap();
        fs::write(folder.join("below/file"), "0\n").unwrap();
    }
    fs::write(rig.outside("evil/canary"), "canary\n").unwrap();
    symlink(rig.outside("evil"), rig.inside("link")).unwrap();
    rig
}

fn check(tool: &str, args: impl Fn(usize) -> Value) {
    let rig = rig();
    let before = tree(&rig.outside("evil"));
    race(&rig, tool, args, failed_or_not);
    assert!(tree(&rig.outside("evil")) == before, "{tool}");
}

#[test]
fn file_write_does_not_leave_the_workspace() {
    check("file_write", |number| json!({ "path": "folder/file", "content": number.to_string() }));
    check(
        "file_write",
        |number| json!({ "path": format!("folder/new{}/deep/file", number % 50), "content": "x" }),
    );
}

#[test]
fn file_edit_does_not_leave_the_workspace() {
    let edit = |number: usize| json!({ "old": if number % 2 == 1 { "0" } else { "1" }, "new": if number % 2 == 1 { "1" } else { "0" } });
    check("file_edit", |number| json!({ "path": "folder/below/file", "edits": [edit(number)] }));
}

#[test]
fn apply_patch_does_not_leave_the_workspace() {
    check("apply_patch", |number| {
        let patch = match number % 3 {
            0 => "*** Begin Patch\n*** Add File: folder/new/file\n+x\n*** End Patch",
            1 => "*** Begin Patch\n*** Delete File: folder/new/file\n*** End Patch",
            _ => {
                "*** Begin Patch\n*** Update File: folder/file\n*** Move to: folder/below/other\n*** End Patch"
            }
        };
        json!({ "patch": patch })
    });
}

#[test]
fn search_find_and_list_do_not_leave_what_is_allowed() {
    let mut rig = rig();
    rig.context.rules.allowed = vec![rig.context.workspace.clone()];
    race(&rig, "search", |_| json!({ "pattern": "canary|0", "path": "folder" }), failed_or_not);
    race(&rig, "find", |_| json!({ "pattern": "*", "path": "folder" }), failed_or_not);
    race(&rig, "list", |_| json!({ "path": "folder", "depth": 3 }), failed_or_not);
    // The folder is met on the way. What was found below it says under which of its names.
    let seen = |output: &ToolOutput| {
        assert!(!output.is_error, "{output:?}");
        if output.for_model.contains("folder/file") { Seen::Folder } else { Seen::Link }
    };
    race(&rig, "search", |_| json!({ "pattern": "canary|0" }), seen);
    race(&rig, "find", |_| json!({ "pattern": "*" }), seen);
    race(&rig, "list", |_| json!({ "depth": 3 }), seen);
}
