//! Changes are kept, shown and taken back.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;

use candor_protocol::{Change, Code};
use candor_tools::{ChangedSince, SNAPSHOT_BYTES_MAX, Snapshots, Undone, UndoneWhat, diff, undo};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::rig::{Rig, check_failure, fifo};
use crate::tree::{plant, tree};

/// A rig that keeps what was there.
pub(crate) struct Kept {
    pub(crate) rig: Rig,
    store: TempDir,
    pub(crate) changes: Vec<Change>,
}

impl Kept {
    pub(crate) fn new() -> Self {
        let store = tempfile::tempdir().unwrap();
        let mut rig = Rig::new();
        rig.context.rules.snapshots = Some(store.path().join("snapshots"));
        Self { rig, store, changes: Vec::new() }
    }

    pub(crate) fn snapshots(&self) -> Snapshots {
        Snapshots::new(self.store.path().join("snapshots"))
    }

    pub(crate) async fn call(&mut self, tool: &str, args: Value) -> bool {
        let output = self.rig.call(tool, args).await;
        self.changes.extend(output.changes);
        !output.is_error
    }

    pub(crate) async fn write(&mut self, path: &str, content: &str) {
        assert!(self.call("file_write", json!({ "path": path, "content": content })).await);
    }

    pub(crate) fn undo(&self) -> Vec<Undone> {
        undo(&self.changes, &self.snapshots(), &self.rig.context, ChangedSince::Skip)
    }

    pub(crate) fn diff(&self) -> String {
        diff(&self.changes, &self.snapshots(), &self.rig.context)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.rig.inside(path)).unwrap()
    }
}

/// A change that nobody could take back is not made; what there is nothing to keep of, is.
#[tokio::test]
async fn where_nothing_can_be_kept_nothing_is_changed() {
    let mut kept = Kept::new();
    plant(&kept.rig.inside(""), &["one", "two"], "before");
    // A file where the folder would be, which is the same to everybody, also to root.
    fs::write(kept.store.path().join("snapshots"), "in the way").unwrap();
    let patch = "*** Begin Patch\n*** Add File: new\n+x\n*** Update File: one\n-before\n+after\n*** Delete File: two\n*** End Patch\n";
    for (tool, args) in [
        ("file_write", json!({ "path": "one", "content": "after" })),
        ("file_edit", json!({ "path": "one", "old": "before", "new": "after" })),
        ("apply_patch", json!({ "patch": patch })),
    ] {
        let output = kept.rig.call(tool, args).await;
        check_failure(&output, Code::FileIo);
        assert!(output.changes.is_empty() && output.for_model.contains("could not be kept"), "{output:?}");
    }
    assert_eq!((kept.read("one"), kept.read("two")), ("before".into(), "before".into()));
    assert!(!kept.rig.inside("new").exists());
    kept.write("new", "x").await;
}

#[tokio::test]
async fn what_was_changed_made_and_deleted_is_put_back() {
    let mut kept = Kept::new();
    plant(&kept.rig.inside(""), &["changed", "deleted", "old", "empty/"], "before\n");
    fs::set_permissions(kept.rig.inside("deleted"), fs::Permissions::from_mode(0o640)).unwrap();
    let before = tree(&kept.rig.inside(""));
    kept.write("changed", "1\n").await;
    kept.write("new/deep/file", "x").await;
    kept.write("new/deep/other", "x").await;
    kept.write("empty/file", "x").await;
    let patch = "*** Begin Patch\n*** Delete File: deleted\n*** Update File: old\n*** Move to: a/b\n\
        -before\n+after\n*** Update File: changed\n-1\n+2\n*** End Patch";
    assert!(kept.call("apply_patch", json!({ "patch": patch })).await);
    let undone = kept.undo();
    assert!(undone.iter().all(|undone| !matches!(undone.what, UndoneWhat::Skipped(_))), "{undone:?}");
    assert!(tree(&kept.rig.inside("")) == before, "{:?}", tree(&kept.rig.inside("")));
    let paths: BTreeSet<&str> = kept.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(undone.len(), paths.len(), "each file once: {undone:?}");
    assert_eq!(undone.last().unwrap().path, kept.rig.inside("changed").to_str().unwrap());
}

#[tokio::test]
async fn a_file_that_somebody_else_changed_is_left_alone() {
    let mut kept = Kept::new();
    plant(&kept.rig.inside(""), &["file"], "before\n");
    kept.write("file", "by the model\n").await;
    kept.write("new", "by the model\n").await;
    for name in ["file", "new"] {
        fs::write(kept.rig.inside(name), "by a person\n").unwrap();
    }
    let skipped = UndoneWhat::Skipped("it was changed since".to_owned());
    assert!(kept.undo().iter().all(|undone| undone.what == skipped));
    assert_eq!((kept.read("file"), kept.read("new")), ("by a person\n".into(), "by a person\n".into()));
    let undone = undo(&kept.changes, &kept.snapshots(), &kept.rig.context, ChangedSince::Overwrite);
    let what: Vec<_> = undone.into_iter().map(|undone| undone.what).collect();
    assert_eq!(what, [UndoneWhat::Removed, UndoneWhat::Restored]);
    assert_eq!(kept.read("file"), "before\n");
    assert!(!kept.rig.inside("new").exists());
}

#[tokio::test]
async fn what_is_too_long_is_not_kept_and_says_so() {
    let mut kept = Kept::new();
    fs::File::create(kept.rig.inside("huge")).unwrap().set_len(SNAPSHOT_BYTES_MAX as u64 + 1).unwrap();
    kept.write("huge", "small\n").await;
    assert!(!kept.changes[0].kept && kept.changes[0].before.is_none());
    let undone = kept.undo();
    assert_eq!(undone[0].what, UndoneWhat::Skipped("what it held before was not kept".to_owned()));
    assert_eq!(kept.read("huge"), "small\n");
    assert_eq!(kept.diff(), "huge was changed, and is too long to be compared\n");
    // Without a place to keep it, too.
    kept.rig.context.rules.snapshots = None;
    kept.write("huge", "other\n").await;
    kept.write("new", "other\n").await;
    assert!(!kept.changes[1].kept && kept.changes[2].kept);
}

#[tokio::test]
async fn snapshots_are_private_kept_once_and_checked() {
    let mut kept = Kept::new();
    plant(&kept.rig.inside(""), &["a", "b"], "the same\n");
    kept.write("a", "1").await;
    kept.write("b", "2").await;
    let folder = kept.store.path().join("snapshots");
    let files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&files[0])), (0o700, 0o600));
    fs::write(&files[0], "another\n").unwrap();
    assert!(kept.undo().iter().all(|undone| matches!(undone.what, UndoneWhat::Skipped(_))));
    assert_eq!(kept.read("a"), "1");
    for name in ["", "../../etc/passwd", "short"] {
        assert!(kept.snapshots().content(name).is_err());
    }
}

#[tokio::test]
async fn the_difference_is_that_of_the_whole_session() {
    let mut kept = Kept::new();
    plant(&kept.rig.inside(""), &["a"], "one\ntwo\n");
    kept.write("a", "1\ntwo\n").await;
    kept.write("new", "x\n").await;
    kept.write("a", "1\n2\n").await;
    let expect = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n";
    assert_eq!(kept.diff(), expect);
    kept.undo();
    assert_eq!(kept.diff(), "");
}

#[tokio::test]
async fn undoing_keeps_to_the_rules() {
    let mut kept = Kept::new();
    plant(&kept.rig.inside(""), &["folder/file"], "before\n");
    kept.write("folder/file", "after\n").await;
    // The folder becomes a link to another that holds the same.
    fs::rename(kept.rig.inside("folder"), kept.rig.outside("moved")).unwrap();
    symlink(kept.rig.outside("moved"), kept.rig.inside("folder")).unwrap();
    assert!(matches!(kept.undo()[0].what, UndoneWhat::Skipped(_)));
    assert_eq!(fs::read_to_string(kept.rig.outside("moved/file")).unwrap(), "after\n");
    let mut kept = Kept::new();
    kept.write("file", "after\n").await;
    kept.rig.context.rules.hidden = vec![kept.rig.inside("file")];
    assert!(matches!(kept.undo()[0].what, UndoneWhat::Skipped(_)));
    assert_eq!(kept.read("file"), "after\n");
}

/// What was left as it is, and why.
pub(crate) fn left(undone: &[Undone]) -> Vec<(&str, &str)> {
    let skipped = undone.iter().filter_map(|undone| match &undone.what {
        UndoneWhat::Skipped(why) => Some((undone.path.as_str(), why.as_str())),
        UndoneWhat::Restored | UndoneWhat::Removed | UndoneWhat::AsBefore => None,
    });
    skipped.collect()
}

#[tokio::test]
async fn folders_that_a_command_made_for_its_files_go_with_them() {
    let mut kept = Kept::new();
    plant(&kept.rig.inside(""), &["old/there"], "before\n");
    let before = tree(&kept.rig.inside(""));
    let command = "mkdir -p new/deep old/more; echo 1 > new/deep/a; echo 2 > new/b; echo 3 > old/more/c";
    assert!(kept.call("shell_exec", json!({ "command": command })).await);
    assert!(left(&kept.undo()).is_empty());
    assert_eq!(tree(&kept.rig.inside("")), before);
}

/// In hours a person edits the same files: nobody can say who changed what.
#[tokio::test]
async fn what_a_long_lived_process_changes_is_named_and_left() {
    let mut kept = Kept::new();
    kept.write("mine", "text").await;
    for _ in 0..2 {
        assert!(kept.call("process", json!({ "action": "start", "command": "echo x > made" })).await);
    }
    let undone = kept.undo();
    let workspace = kept.rig.inside("").display().to_string();
    let workspace = workspace.trim_end_matches('/');
    assert_eq!(
        left(&undone),
        [
            (workspace, "what process 2 changed in it while it ran was not kept"),
            (workspace, "what process 1 changed in it while it ran was not kept"),
        ]
    );
    assert!(kept.rig.inside("made").exists() && !kept.rig.inside("mine").exists(), "the rest is taken back");
    assert!(kept.diff().contains("what process 1 changed in it"), "{}", kept.diff());
}

#[tokio::test]
async fn what_git_keeps_is_named_and_left() {
    let mut kept = Kept::new();
    let git = "git -c user.name=a -c user.email=a@b -C";
    let made = format!("git init -q sub && echo x > sub/file && {git} sub add . && {git} sub commit -qm one");
    assert!(kept.call("shell_exec", json!({ "command": made })).await);
    let path = kept.rig.inside("sub/.git").display().to_string();
    let why = "a repository was made; remove it if nobody wants it";
    assert_eq!(left(&kept.undo()), [(path.as_str(), why)]);
    assert!(!kept.rig.inside("sub/file").exists() && kept.rig.inside("sub/.git/HEAD").exists());
    // To look is no change, whatever git writes down for the next look.
    kept.changes.clear();
    assert!(
        kept.call("shell_exec", json!({ "command": "git -C sub status --short && git -C sub log" })).await
    );
    assert_eq!(kept.undo(), []);
    let again = format!("echo y > sub/file && {git} sub commit -qam two");
    assert!(kept.call("shell_exec", json!({ "command": again })).await);
    let undone = kept.undo();
    assert_eq!(left(&undone).len(), 1, "{undone:?}");
    assert!(left(&undone)[0].1.starts_with("git made a commit or moved a branch"), "{undone:?}");
    kept.changes.clear();
    assert!(kept.call("shell_exec", json!({ "command": "rm -rf sub/.git" })).await);
    assert!(left(&kept.undo())[0].1.starts_with("the repository is gone"), "{:?}", kept.undo());
}

#[tokio::test]
async fn a_workspace_with_too_much_in_it_says_that_commands_are_not_undone() {
    let mut kept = Kept::new();
    kept.write("mine", "text").await;
    for number in 0..5_001 {
        fs::write(kept.rig.inside(&format!("file{number}")), "").unwrap();
    }
    for _ in 0..3 {
        assert!(kept.call("shell_exec", json!({ "command": "echo x > made" })).await);
    }
    let undone = kept.undo();
    assert_eq!(left(&undone).len(), 1, "once, however many commands there were: {undone:?}");
    assert!(left(&undone)[0].1.starts_with("there is too much in this folder"), "{undone:?}");
    assert!(kept.rig.inside("made").exists() && !kept.rig.inside("mine").exists());
    assert_eq!(kept.diff().matches("there is too much").count(), 1, "{}", kept.diff());
}

const PATHS: &[&str] = &["a", "b/c", "b/d", "e/f/g", "e/h"];

/// A call of a tool that may or may not work.
fn calls() -> impl Strategy<Value = (&'static str, Value)> {
    let path = || prop::sample::select(PATHS);
    let text = "[xyz\n]{0,6}";
    prop_oneof![
        (path(), text).prop_map(|(path, text)| ("file_write", json!({ "path": path, "content": text }))),
        (path(), "[xyz]", "[xyz]").prop_map(|(path, old, new)| {
            ("file_edit", json!({ "path": path, "edits": [{ "old": old, "new": new, "all": true }] }))
        }),
        (path(), path(), "[xyz]", any::<bool>()).prop_map(|(one, two, text, is_rename)| {
            let change = if is_rename {
                format!("*** Update File: {one}\n*** Move to: {two}\n")
            } else {
                format!("*** Delete File: {one}\n*** Add File: {two}\n+{text}\n")
            };
            ("apply_patch", json!({ "patch": format!("*** Begin Patch\n{change}*** End Patch") }))
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever was done, undoing it gives the first tree back, with its modes and folders.
    #[test]
    fn undoing_everything_gives_the_first_tree_back(
        there in prop::collection::vec((prop::sample::select(PATHS), "[xyz\n]{0,6}", 0o400_u32..0o777), 0..4),
        calls in prop::collection::vec(calls(), 1..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut kept = Kept::new();
        fs::create_dir(kept.rig.inside("b")).unwrap();
        for (path, text, mode) in there {
            plant(&kept.rig.inside(""), &[path], &text);
            fs::set_permissions(kept.rig.inside(path), fs::Permissions::from_mode(mode | 0o600)).unwrap();
        }
        let before = tree(&kept.rig.inside(""));
        runtime.block_on(async {
            for (tool, args) in calls {
                let was = tree(&kept.rig.inside(""));
                if !kept.call(tool, args).await {
                    assert_eq!(tree(&kept.rig.inside("")), was, "a call that failed changed something");
                }
            }
        });
        let undone = kept.undo();
        prop_assert!(undone.iter().all(|undone| !matches!(undone.what, UndoneWhat::Skipped(_))), "{undone:?}");
        prop_assert_eq!(tree(&kept.rig.inside("")), before);
        prop_assert_eq!(kept.diff(), "");
    }
}

/// Whoever stops a command wants to take back what it did, and nothing else.
#[tokio::test]
async fn what_a_command_changed_until_it_was_stopped_is_taken_back() {
    let mut kept = Kept::new();
    fs::write(kept.rig.inside("old.txt"), "old\n").unwrap();
    let (gate, cancel) = (kept.rig.inside("gate"), kept.rig.context.cancel.clone());
    fifo(&gate);
    let command = "echo new > new.txt; echo changed > old.txt; echo ready > gate; sleep 100";
    let (worked, ()) = tokio::join!(kept.call("shell_exec", json!({ "command": command })), async {
        tokio::fs::read(gate).await.unwrap();
        cancel.cancel();
    });
    assert!(!worked);
    assert_eq!(kept.undo().len(), 2, "{:?}", kept.changes);
    assert_eq!((kept.read("old.txt").as_str(), kept.rig.inside("new.txt").exists()), ("old\n", false));
}
