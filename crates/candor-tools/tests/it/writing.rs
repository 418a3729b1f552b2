//! `file_write`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use candor_protocol::Code;
use candor_tools::Permission;
use serde_json::json;

use crate::rig::{CANARY, Rig, check_failure, check_success, fifo, meanwhile};

#[tokio::test]
async fn a_file_is_written_with_the_folders_it_needs() {
    let rig = Rig::new();
    let output = rig.write("a/b/c.txt", "häl").await;
    check_success(&output, r#"{"written_bytes":4,"path":"a/b/c.txt"}"#);
    assert_eq!(output.for_people, "wrote 4 bytes to a/b/c.txt");
    assert_eq!(fs::read_to_string(rig.inside("a/b/c.txt")).unwrap(), "häl");
    check_success(&rig.write("./a//b/../d", "x").await, r#"{"written_bytes":1,"path":"a/d"}"#);
    check_success(&rig.write(rig.inside("e"), "").await, r#"{"written_bytes":0,"path":"e"}"#);
    assert_eq!(fs::read_to_string(rig.inside("e")).unwrap(), "");
    rig.check_outside();
}

#[tokio::test]
async fn a_file_that_is_there_is_replaced_and_keeps_its_mode() {
    let rig = Rig::new();
    fs::write(rig.inside("script"), "a longer text than the new one").unwrap();
    fs::set_permissions(rig.inside("script"), fs::Permissions::from_mode(0o750)).unwrap();
    assert!(!rig.write("script", "new").await.is_error);
    assert_eq!(fs::read_to_string(rig.inside("script")).unwrap(), "new");
    assert_eq!(fs::metadata(rig.inside("script")).unwrap().mode() & 0o7777, 0o750);
    rig.check_outside();
}

#[tokio::test]
async fn nothing_is_written_outside_of_the_workspace() {
    let rig = Rig::new();
    fs::create_dir(rig.inside("folder")).unwrap();
    symlink(rig.outside("canary"), rig.inside("link")).unwrap();
    symlink("../canary", rig.inside("relative_link")).unwrap();
    symlink(rig.outside("new"), rig.inside("dangling")).unwrap();
    symlink(rig.outside(""), rig.inside("folder_link")).unwrap();
    symlink("..", rig.inside("up")).unwrap();
    symlink("/proc/self/root", rig.inside("root")).unwrap();
    let in_root = format!("root{}", rig.outside("canary").display());
    let paths = [
        "../canary",
        "../new",
        "folder/../../canary",
        "new/../../canary",
        "link",
        "relative_link",
        "dangling",
        "folder_link/canary",
        "folder_link/new/deep",
        "up/canary",
        &in_root,
        "../workspace-evil/new",
        "/etc/candor-test-canary",
        "./~root/../../canary",
    ];
    for path in paths {
        check_failure(&rig.write(path, "evil").await, Code::ToolBlocked);
        rig.check_outside();
    }
    for path in ["canary", "workspace-evil/new", "workspace/../canary"] {
        check_failure(&rig.write(rig.outside(path), "evil").await, Code::ToolBlocked);
        rig.check_outside();
    }
    assert!(!Path::new("/etc/candor-test-canary").exists());
}

#[tokio::test]
async fn links_that_stay_inside_are_followed_and_stay() {
    let rig = Rig::new();
    fs::create_dir(rig.inside("folder")).unwrap();
    fs::write(rig.inside("folder/file"), "old").unwrap();
    symlink("folder/file", rig.inside("link")).unwrap();
    symlink("folder", rig.inside("folder_link")).unwrap();
    symlink("folder/later", rig.inside("dangling")).unwrap();
    check_success(&rig.write("link", "1").await, r#"{"written_bytes":1,"path":"folder/file"}"#);
    assert_eq!(fs::read_to_string(rig.inside("folder/file")).unwrap(), "1");
    check_success(&rig.write("folder_link/file", "22").await, r#"{"written_bytes":2,"path":"folder/file"}"#);
    assert_eq!(fs::read_to_string(rig.inside("folder/file")).unwrap(), "22");
    check_success(&rig.write("dangling", "333").await, r#"{"written_bytes":3,"path":"folder/later"}"#);
    assert_eq!(fs::read_to_string(rig.inside("folder/later")).unwrap(), "333");
    for link in ["link", "folder_link", "dangling"] {
        assert!(fs::symlink_metadata(rig.inside(link)).unwrap().is_symlink(), "{link}");
    }
}

#[tokio::test]
async fn a_workspace_that_is_reached_by_a_link_takes_both_of_its_paths() {
    let mut rig = Rig::new();
    let real = rig.context.workspace.clone();
    symlink(&real, rig.outside("by_link")).unwrap();
    rig.context.workspace = rig.outside("by_link");
    for path in [rig.outside("by_link/file"), real.join("file")] {
        check_success(&rig.write(path, "x").await, r#"{"written_bytes":1,"path":"file"}"#);
    }
}

#[tokio::test]
async fn a_link_to_the_workspace_or_above_it_leads_there_and_no_further() {
    let rig = Rig::new();
    let far = tempfile::tempdir().unwrap();
    let far = far.path().canonicalize().unwrap();
    symlink(&rig.context.workspace, far.join("to_it")).unwrap();
    symlink(rig.outside(""), far.join("above_it")).unwrap();
    for path in ["to_it/file", "above_it/workspace/file", "to_it/./file"] {
        check_success(&rig.write(far.join(path), "x").await, r#"{"written_bytes":1,"path":"file"}"#);
    }
    symlink("..", rig.inside("up")).unwrap();
    symlink(rig.outside("canary"), rig.inside("out")).unwrap();
    symlink(&rig.context.workspace, rig.inside("around")).unwrap();
    let ways = [
        "above_it/canary",
        "above_it/workspace-evil/file",
        "to_it/../canary",
        "to_it/up/canary",
        "to_it/up/new",
        "to_it/out",
        "to_it/around/up/canary",
        "above_it/workspace/../canary",
    ];
    for path in ways {
        assert!(rig.write(far.join(path), "x").await.is_error, "{path}");
    }
    rig.check_outside();
}

#[tokio::test]
async fn another_name_of_a_file_keeps_the_old_text() {
    let rig = Rig::new();
    fs::hard_link(rig.outside("canary"), rig.inside("hard")).unwrap();
    assert!(!rig.write("hard", "new").await.is_error);
    assert_eq!(fs::read_to_string(rig.inside("hard")).unwrap(), "new");
    rig.check_outside();
}

#[tokio::test]
async fn what_is_no_file_is_not_written() {
    let rig = Rig::new();
    fs::create_dir(rig.inside("folder")).unwrap();
    fs::write(rig.inside("file"), "text").unwrap();
    fifo(&rig.inside("pipe"));
    symlink("pipe", rig.inside("link")).unwrap();
    for path in ["folder", "folder/", "new/", ".", "folder/.."] {
        check_failure(&rig.write(path, "x").await, Code::FileIsDirectory);
    }
    for path in ["pipe", "link", "file/below"] {
        check_failure(&rig.write(path, "x").await, Code::FileIo);
    }
    assert_eq!(fs::read_to_string(rig.inside("file")).unwrap(), "text");
    rig.check_outside();
}

#[tokio::test]
async fn files_that_others_trust_are_not_written() {
    let rig = Rig::new();
    fs::create_dir_all(rig.inside(".git/hooks")).unwrap();
    symlink(".git", rig.inside("git_link")).unwrap();
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        ".GIT/Config",
        ".git",
        ".git/HEAD",
        ".git/info/exclude",
        ".git/objects/aa/bb",
        ".git/new/deep",
        "below/.git/refs/heads/main",
        "below/.git/hooks/post-checkout",
        "below/.git/config",
        "below/.git/config.worktree",
        "below/.git",
        "git_link/config",
        "git_link/hooks/pre-push",
        "x/../.git/config",
        ".candor/config.toml",
        ".candor/new/deep",
    ] {
        let _ = fs::create_dir(rig.inside("x"));
        check_failure(&rig.write(path, "evil").await, Code::ToolBlocked);
    }
    assert_eq!(fs::read_dir(rig.inside(".git/hooks")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(rig.inside(".git")).unwrap().count(), 1);
    assert!(!rig.inside(".candor").exists() && !rig.inside("below").exists());
    assert!(!rig.write(".gitignore", "target\n").await.is_error);
}

/// A folder with a `HEAD` is a repository as soon as the rest is there.
#[tokio::test]
async fn no_folder_becomes_a_repository_for_git() {
    let rig = Rig::new();
    let hash = "0".repeat(40);
    for head in ["ref: refs/heads/main", "ref:refs/x\n", &hash] {
        for path in ["HEAD", "head", "sub/HEAD"] {
            check_failure(&rig.write(path, head).await, Code::ToolBlocked);
        }
    }
    let patch = "*** Begin Patch\n*** Add File: objects/x\n+x\n*** Add File: HEAD\n+ref: refs/heads/main\n*** End Patch\n";
    check_failure(&rig.call("apply_patch", json!({ "patch": patch })).await, Code::ToolBlocked);
    fs::write(rig.inside("notes"), "ref: refs/heads/main\n").unwrap();
    let patch = "*** Begin Patch\n*** Update File: notes\n*** Move to: HEAD\n@@\n-ref: refs/heads/main\n+ref: refs/heads/main\n*** End Patch\n";
    check_failure(&rig.call("apply_patch", json!({ "patch": patch })).await, Code::ToolBlocked);
    assert_eq!(fs::read_dir(&rig.context.workspace).unwrap().count(), 1);
    // What merely has the names is nobody's business.
    for path in ["HEAD", "config", "objects/x", "refs/x", "hooks/x", "sub/config"] {
        assert!(!rig.write(path, "ordinary").await.is_error, "{path}");
    }
}

#[tokio::test]
async fn what_is_a_repository_under_another_name_is_not_written() {
    let rig = Rig::new();
    for (folder, head) in [("store", Some("ref: refs/heads/main\n")), ("linked", None)] {
        fs::create_dir_all(rig.inside(folder).join("hooks")).unwrap();
        match head {
            Some(head) => fs::write(rig.inside(folder).join("HEAD"), head).unwrap(),
            None => symlink("refs/heads/main", rig.inside(folder).join("HEAD")).unwrap(),
        }
        for name in [
            "config",
            "Config",
            "commondir",
            "hooks/pre-commit",
            "objects/x",
            "refs/heads/x",
            "config.worktree",
        ] {
            check_failure(&rig.write(format!("{folder}/{name}"), "evil").await, Code::ToolBlocked);
        }
        assert_eq!(fs::read_dir(rig.inside(folder)).unwrap().count(), 2, "{folder}");
        assert!(!rig.write(format!("{folder}/src/main.rs"), "ordinary").await.is_error);
    }
    let patch = "*** Begin Patch\n*** Delete File: store/HEAD\n*** End Patch\n";
    check_failure(&rig.call("apply_patch", json!({ "patch": patch })).await, Code::ToolBlocked);
    assert!(rig.inside("store/HEAD").exists());
}

#[tokio::test]
async fn s6_11_hidden_paths_are_not_written_even_inside() {
    let mut rig = Rig::new();
    fs::create_dir(rig.inside("keys")).unwrap();
    fs::write(rig.inside("keys/one"), CANARY).unwrap();
    symlink("keys/one", rig.inside("link")).unwrap();
    rig.context.rules.hidden = vec![rig.inside("keys")];
    rig.context.rules.allowed = vec![rig.context.workspace.clone()];
    for path in ["keys/one", "keys/two", "link"] {
        check_failure(&rig.write(path, "x").await, Code::ToolBlocked);
    }
    assert_eq!(fs::read_to_string(rig.inside("keys/one")).unwrap(), CANARY);
    assert!(!rig.inside("keys/two").exists());
    rig.context.rules.allowed = vec![rig.inside("open")];
    check_failure(&rig.write("closed", "x").await, Code::ToolBlocked);
    assert!(!rig.inside("closed").exists());
}

#[tokio::test]
async fn a_permission_that_allows_no_write_refuses_it() {
    let mut rig = Rig::new();
    rig.context.rules.permission = Permission::ReadOnly;
    check_failure(&rig.write("folder/file", "x").await, Code::ToolBlocked);
    assert!(!rig.inside("folder").exists());
    check_success(&rig.read("../canary").await, CANARY);
}

/// A folder changes between one inside and a link that leads out as fast as it can, while it is written through.
#[test]
fn a_folder_that_becomes_a_link_while_it_is_written_leads_nowhere() {
    let rig = Rig::new();
    fs::create_dir(rig.inside("good")).unwrap();
    symlink("good", rig.inside("folder")).unwrap();
    let (outside, next, folder) = (rig.outside("workspace-evil"), rig.inside("next"), rig.inside("folder"));
    let change = || {
        for target in [outside.as_path(), "good".as_ref()] {
            symlink(target, &next).unwrap();
            fs::rename(&next, &folder).unwrap();
        }
    };
    let outputs = meanwhile(change, async {
        let mut outputs = Vec::new();
        for number in 0..1000 {
            outputs.push(rig.write(format!("folder/{}", number % 7), "text").await);
        }
        outputs
    });
    rig.check_outside();
    // Both were met, or nothing was shown by this.
    assert!(outputs.iter().any(|output| output.is_error) && outputs.iter().any(|output| !output.is_error));
}

#[tokio::test]
async fn no_folder_is_made_that_looks_like_a_home() {
    let rig = Rig::new();
    for path in ["~", "~/notes.txt", "~root/notes.txt"] {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
        for (tool, args) in [
            ("file_write", json!({ "path": path, "content": "x" })),
            ("file_edit", json!({ "path": path, "edits": [{ "old": "a", "new": "b" }] })),
            ("apply_patch", json!({ "patch": patch })),
            ("file_read", json!({ "path": path })),
            ("search", json!({ "path": path, "pattern": "x" })),
            ("find", json!({ "path": path, "pattern": "x" })),
            ("list", json!({ "path": path })),
        ] {
            let output = rig.call(tool, args).await;
            check_failure(&output, Code::ToolArguments);
            assert!(output.for_model.contains("give the whole path, or begin with `./~`"), "{output:?}");
        }
    }
    assert_eq!(fs::read_dir(&rig.context.workspace).unwrap().count(), 0);
    check_success(&rig.write("./~/notes.txt", "x").await, r#"{"written_bytes":1,"path":"~/notes.txt"}"#);
}
