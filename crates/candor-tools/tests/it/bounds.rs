//! Where files are written, and where they never are.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use candor_protocol::Code;
use candor_tools::Permission;
use serde_json::json;

use crate::rig::{CANARY, Rig, check_failure, check_success, meanwhile};
use crate::tree::plant;

#[tokio::test]
async fn s6_1_a_call_with_the_right_arguments_gives_its_output() {
    let rig = Rig::new();
    check_success(&rig.write("file", "text\n").await, r#"{"written_bytes":5,"path":"file"}"#);
    check_success(&rig.read("file").await, "text\n");
}

#[tokio::test]
async fn other_roots_are_written_where_the_rules_name_them() {
    let mut rig = Rig::new();
    plant(&rig.outside("extra"), &["file", "out -> ../canary", "in -> file"], "old");
    rig.context.rules.writable = vec![rig.outside("extra"), rig.outside("absent")];
    let extra = rig.outside("extra/new/file");
    let output = rig.write(&extra, "new").await;
    check_success(&output, &json!({ "written_bytes": 3, "path": extra }).to_string());
    assert_eq!(fs::read_to_string(&extra).unwrap(), "new");
    assert!(!rig.write(rig.outside("extra/in"), "new").await.is_error);
    assert_eq!(fs::read_to_string(rig.outside("extra/file")).unwrap(), "new");
    for path in ["extra/out", "extra/../canary", "extra/.git/config", "extra-not", "absent/file"] {
        check_failure(&rig.write(rig.outside(path), "evil").await, Code::ToolBlocked);
    }
    check_failure(&rig.write("../extra/../canary", "evil").await, Code::ToolBlocked);
    assert_eq!(fs::read_to_string(rig.outside("canary")).unwrap(), CANARY);
    assert!(!rig.outside("extra-not").exists() && !rig.outside("absent").exists());
}

#[tokio::test]
async fn full_permission_writes_anywhere_but_what_is_hidden_or_protected() {
    let mut rig = Rig::new();
    rig.context.rules.permission = Permission::Full;
    plant(&rig.outside("keys"), &["one"], CANARY);
    symlink(rig.outside("new"), rig.inside("link")).unwrap();
    symlink(rig.outside("keys/one"), rig.inside("key_link")).unwrap();
    rig.context.rules.hidden = vec![rig.outside("keys")];
    rig.context.rules.protected = vec![rig.outside("rc")];
    assert!(!rig.write("link", "x").await.is_error);
    assert_eq!(fs::read_to_string(rig.outside("new")).unwrap(), "x");
    assert!(!rig.write("../up/deep", "x").await.is_error);
    assert_eq!(fs::read_to_string(rig.outside("up/deep")).unwrap(), "x");
    let root = format!("/proc/self/root{}", rig.outside("keys/one").display());
    for path in ["key_link", "../keys/one", "../keys/new", "../rc", "../rc/below", ".git/config", &root] {
        check_failure(&rig.write(path, "evil").await, Code::ToolBlocked);
    }
    assert_eq!(fs::read_to_string(rig.outside("keys/one")).unwrap(), CANARY);
    assert!(!rig.outside("rc").exists() && !rig.outside("keys/new").exists());
}

#[tokio::test]
async fn s6_11_what_is_protected_is_not_written_by_any_tool_not_even_when_it_is_missing() {
    let mut rig = Rig::new();
    plant(&rig.inside(""), &["safe/file", "link -> safe"], CANARY);
    rig.context.rules.protected = vec!["safe".into(), rig.inside("missing"), ".envrc".into()];
    // The workspace has another name, too.
    symlink(rig.inside(""), rig.outside("workspace-evil/by_link")).unwrap();
    let by_link = rig.outside("workspace-evil/by_link");
    let real = std::mem::replace(&mut rig.context.workspace, by_link);
    for path in
        ["safe/file", "safe/new", "link/file", "missing", "missing/deep/file", ".envrc", "x/../.envrc"]
    {
        let _ = fs::create_dir(real.join("x"));
        check_failure(&rig.write(path, "evil").await, Code::ToolBlocked);
        let edits = json!({ "path": path, "edits": [{ "old": CANARY, "new": "evil" }] });
        check_failure(&rig.call("file_edit", edits).await, Code::ToolBlocked);
        for patch in [
            format!("*** Begin Patch\n*** Add File: {path}\n+evil\n*** End Patch"),
            format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch"),
            format!("*** Begin Patch\n*** Update File: x/y\n*** Move to: {path}\n*** End Patch"),
        ] {
            fs::write(real.join("x/y"), "y\n").unwrap();
            check_failure(&rig.call("apply_patch", json!({ "patch": patch })).await, Code::ToolBlocked);
        }
    }
    assert_eq!(fs::read_to_string(real.join("safe/file")).unwrap(), CANARY);
    assert_eq!(fs::read_dir(real.join("safe")).unwrap().count(), 1);
    assert!(!real.join("missing").exists() && !real.join(".envrc").exists());
}

#[tokio::test]
async fn a_workspace_that_is_gone_is_told_by_every_tool() {
    let mut rig = Rig::new();
    rig.context.workspace = rig.outside("gone");
    let patch = "*** Begin Patch\n*** Add File: x\n+x\n*** End Patch";
    for (tool, args) in [
        ("file_read", json!({ "path": "x" })),
        ("file_write", json!({ "path": "x", "content": "" })),
        ("file_edit", json!({ "path": "x", "old": "a", "new": "b" })),
        ("apply_patch", json!({ "patch": patch })),
        ("search", json!({ "pattern": "x" })),
        ("find", json!({ "pattern": "x" })),
        ("list", json!({})),
    ] {
        let output = rig.call(tool, args).await;
        check_failure(&output, Code::FileNotFound);
        assert!(output.for_model.contains("the workspace is not there any more"), "{tool}: {output:?}");
    }
    assert!(!rig.outside("gone").exists());
}

#[tokio::test]
async fn names_of_every_kind_are_taken_or_refused() {
    let rig = Rig::new();
    for name in ["a\nb", "trailing ", "dot.", "-rf", "*", "ünï😀", "a\\b", "\u{202e}x"] {
        assert!(!rig.write(name, "x").await.is_error, "{name:?}");
        check_success(&rig.read(name).await, "x");
        assert!(rig.inside(name).exists());
    }
    let (name, path) = ("n".repeat(256), "p/".repeat(3000));
    for long in [name.as_str(), &path, &format!("{path}file")] {
        assert!(rig.write(long, "x").await.is_error);
        assert!(rig.read(long).await.is_error);
    }
    check_failure(&rig.write("a\0b", "x").await, Code::ToolArguments);
    check_failure(&rig.call("list", json!({ "path": "a\0b" })).await, Code::ToolArguments);
    let add = "*** Begin Patch\n*** Add File: a\0b\n+x\n*** End Patch";
    check_failure(&rig.call("apply_patch", json!({ "patch": add })).await, Code::ToolArguments);
    // A folder whose name is no text can be written in, but not undone: its path is text in the event.
    let mut rig = Rig::new();
    let odd: PathBuf = rig.inside("").join(OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(&odd).unwrap();
    symlink(&odd, rig.outside("odd")).unwrap();
    rig.context.workspace = rig.outside("odd");
    let output = rig.write("file", "x").await;
    assert!(!output.is_error && !output.changes[0].kept, "{output:?}");
    assert_eq!(fs::read(odd.join("file")).unwrap(), b"x");
}

/// Whoever reads while a file is written sees all of the old text or all of the new one.
#[test]
fn a_reader_never_sees_half_a_file() {
    const LENGTH: usize = 1 << 20;
    let rig = Rig::new();
    fs::write(rig.inside("file"), "0".repeat(LENGTH)).unwrap();
    let path = rig.inside("file");
    let read = || {
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() == LENGTH && bytes.iter().all(|byte| *byte == bytes[0]), "{}", bytes.len());
    };
    meanwhile(read, async {
        for digit in (1..10).cycle().take(60) {
            assert!(!rig.write("file", &digit.to_string().repeat(LENGTH)).await.is_error);
        }
    });
}

#[tokio::test]
async fn a_name_that_cannot_be_one_is_not_repeated_at_length() {
    let rig = Rig::new();
    let name = format!("first{}last", "é".repeat(4096));
    let patch = format!("*** Begin Patch\n*** Delete File: {name}\n*** End Patch\n");
    for (tool, args) in [
        ("file_read", json!({ "path": name })),
        ("file_write", json!({ "path": name, "content": "x" })),
        ("file_edit", json!({ "path": name, "edits": [{ "old": "a", "new": "b" }] })),
        ("apply_patch", json!({ "patch": patch })),
        ("list", json!({ "path": name })),
        ("find", json!({ "pattern": format!("{name}[") })),
        ("search", json!({ "pattern": format!("{name}(") })),
    ] {
        let output = rig.call(tool, args).await;
        assert!(output.is_error && output.for_model.len() < 8000, "{tool}: {}", output.for_model.len());
        assert!(output.for_model.contains('…'), "{tool}: {output:?}");
    }
}
