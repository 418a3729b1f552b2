//! What commands do to links, pipes, modes and `.git` files is kept, shown and taken back, too.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};

use candor_tools::{ChangedSince, Undone, UndoneWhat, undo};
use proptest::prelude::*;
use serde_json::json;

use crate::rig::CANARY;
use crate::tree::{Node, Tree, plant, tree};
use crate::undoing::{Kept, left};

impl Kept {
    async fn shell(&mut self, command: &str) {
        assert!(self.call("shell_exec", json!({ "command": command })).await, "{command}");
    }

    fn force(&self) -> Vec<Undone> {
        undo(&self.changes, &self.snapshots(), &self.rig.context, ChangedSince::Overwrite)
    }

    fn tree(&self) -> Tree {
        tree(&self.rig.inside(""))
    }

    fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.rig.inside(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.rig.inside(name)).unwrap().mode() & 0o7777
    }

    fn is_pipe(&self, name: &str) -> bool {
        fs::symlink_metadata(self.rig.inside(name)).is_ok_and(|found| found.file_type().is_fifo())
    }
}

/// Two files, a folder and a link to the first.
fn linked() -> Kept {
    let kept = Kept::new();
    plant(&kept.rig.inside(""), &["a", "b", "folder/c", "l -> a"], "before\n");
    for name in ["a", "b"] {
        kept.chmod(name, 0o644);
    }
    kept
}

fn what(undone: &[Undone]) -> Vec<&UndoneWhat> {
    undone.iter().map(|undone| &undone.what).collect()
}

#[tokio::test]
async fn what_commands_do_to_links_is_shown_and_taken_back() {
    let cases = [
        ("rm l", "deleted file mode 120000\n--- a/l\n+++ /dev/null\n"),
        ("ln -sfn b l", "diff --git a/l b/l\n--- a/l\n+++ b/l\n"),
        ("ln -s a lnk", "diff --git a/lnk b/lnk\nnew file mode 120000\n--- /dev/null\n+++ b/lnk\n"),
        ("ln -s /nowhere new/deep/lnk || mkdir -p new/deep && ln -s /nowhere new/deep/lnk", "+/nowhere\n"),
        ("rm l; echo new > l", "deleted file mode 120000\n--- a/l\n+++ /dev/null\n"),
        ("ln -sf b a", "new file mode 120000\n--- /dev/null\n+++ b/a\n"),
        ("rm -r folder; ln -s /etc folder", "--- a/folder/c\n+++ /dev/null\n"),
        ("rm l; mkdir l; echo x > l/x", "--- /dev/null\n+++ b/l/x\n"),
        ("rm l; mkdir l", "deleted file mode 120000\n--- a/l\n+++ /dev/null\n"),
        ("rm a; mkdir a", "--- a/a\n+++ /dev/null\n"),
        ("rm a; mkdir -p a/x/y a/z", "--- a/a\n+++ /dev/null\n"),
    ];
    for (command, shown) in cases {
        let mut kept = linked();
        let before = kept.tree();
        kept.shell(command).await;
        assert_ne!(kept.tree(), before);
        assert!(kept.diff().contains(shown), "{command}: {}", kept.diff());
        let undone = kept.undo();
        assert!(!undone.is_empty() && left(&undone).is_empty(), "{command}: {undone:?}");
        assert_eq!(kept.tree(), before, "{command}");
        assert_eq!(kept.diff(), "", "{command}");
        kept.rig.check_outside();
    }
}

#[tokio::test]
async fn a_folder_that_holds_anything_is_not_taken_away_for_a_file() {
    for inside in ["echo x > x/y/theirs", "ln -s ../../b x/link", "mkdir $(seq 1000)"] {
        let mut kept = linked();
        kept.shell("rm a; mkdir -p a/x/y a/z").await;
        let before = std::mem::take(&mut kept.changes);
        kept.shell(&format!("cd a && {inside}")).await;
        kept.changes = before;
        let since = kept.tree();
        let undone = kept.undo();
        assert!(left(&undone)[0].1.ends_with("a folder stands there that is not empty"), "{undone:?}");
        assert!(!left(&kept.force()).is_empty());
        assert_eq!(kept.tree(), since);
    }
}

#[tokio::test]
async fn pipes_are_named_and_taken_back() {
    let mut kept = linked();
    let before = kept.tree();
    kept.shell("mkfifo p; rm a; mkfifo a").await;
    assert_eq!(
        kept.diff(),
        "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-before\na: a pipe was made\np: a pipe was made\n"
    );
    assert!(left(&kept.undo()).is_empty());
    assert_eq!(kept.tree(), before);
    // A person's own is made anew.
    kept.changes.clear();
    kept.shell("mkfifo mine").await;
    kept.changes.clear();
    kept.shell("rm mine; echo x > mine").await;
    assert_eq!(what(&kept.undo()), [&UndoneWhat::Restored]);
    assert!(kept.is_pipe("mine"));
}

#[tokio::test]
async fn a_link_or_a_pipe_that_somebody_else_put_there_is_left_alone() {
    let mut kept = linked();
    let before = kept.tree();
    kept.shell("ln -sfn b l; mkfifo p; ln -sf b a").await;
    for name in ["l", "a"] {
        fs::remove_file(kept.rig.inside(name)).unwrap();
        symlink("folder", kept.rig.inside(name)).unwrap();
    }
    fs::remove_file(kept.rig.inside("p")).unwrap();
    fs::write(kept.rig.inside("p"), "by a person\n").unwrap();
    let since = kept.tree();
    let skipped = UndoneWhat::Skipped("it was changed since".to_owned());
    assert_eq!(what(&kept.undo()), [&skipped, &skipped, &skipped]);
    assert_eq!(kept.tree(), since);
    assert!(left(&kept.force()).is_empty());
    assert_eq!(kept.tree(), before);
}

#[tokio::test]
async fn nothing_is_put_back_over_a_link_that_leads_away() {
    let mut kept = linked();
    kept.shell("rm folder/c; ln -s x folder/d").await;
    fs::rename(kept.rig.inside("folder"), kept.rig.outside("workspace/moved")).unwrap();
    symlink("moved", kept.rig.inside("folder")).unwrap();
    assert_eq!(left(&kept.force()).len(), 2);
    fs::remove_file(kept.rig.inside("folder")).unwrap();
    symlink(kept.rig.outside("workspace-evil"), kept.rig.inside("folder")).unwrap();
    assert_eq!(left(&kept.force()).len(), 2);
    // Not even inside, where what was below it is gone.
    let mut kept = linked();
    plant(&kept.rig.inside(""), &["folder/deep/d"], "before\n");
    kept.shell("rm -r folder/deep").await;
    fs::rename(kept.rig.inside("folder"), kept.rig.inside("moved")).unwrap();
    symlink("moved", kept.rig.inside("folder")).unwrap();
    assert_eq!(left(&kept.force()).len(), 1);
    assert!(!kept.rig.inside("moved/deep").exists());
    // A file that is a link by now is not written through.
    let mut kept = linked();
    kept.shell("echo after > a").await;
    fs::remove_file(kept.rig.inside("a")).unwrap();
    symlink(kept.rig.outside("canary"), kept.rig.inside("a")).unwrap();
    assert_eq!(left(&kept.undo()).len(), 1);
    assert_eq!(what(&kept.force()), [&UndoneWhat::Restored]);
    assert_eq!(kept.read("a"), "before\n");
    assert_eq!(fs::read_to_string(kept.rig.outside("canary")).unwrap(), CANARY);
    kept.rig.check_outside();
}

#[tokio::test]
async fn a_git_file_is_a_file_like_any_other() {
    let mut kept = Kept::new();
    let git = "gitdir: ../.git/modules/sub\n";
    plant(&kept.rig.inside(""), &[".git", "sub/.git", "gone/.git", "linked/.git -> ../sub"], git);
    let before = kept.tree();
    kept.shell(
        "echo 'gitdir: /evil' | tee .git sub/.git; rm gone/.git linked/.git; mkdir n; echo x > n/.git",
    )
    .await;
    assert!(kept.diff().contains("--- a/sub/.git\n+++ b/sub/.git\n"), "{}", kept.diff());
    assert!(kept.diff().contains("--- a/.git\n+++ b/.git\n"), "{}", kept.diff());
    let undone = kept.undo();
    assert!(undone.len() == 5 && left(&undone).is_empty(), "{undone:?}");
    assert_eq!(kept.tree(), before);
}

#[tokio::test]
async fn what_was_taken_back_is_not_taken_back_again() {
    let mut kept = linked();
    kept.write("a", "1\n").await;
    kept.write("a", "2\n").await;
    kept.write("new/deep/file", "1\n").await;
    kept.shell("rm -r new; rm l").await;
    kept.write("new/deep/file", "2\n").await;
    assert_eq!(what(&kept.undo()), [&UndoneWhat::Restored, &UndoneWhat::Removed, &UndoneWhat::Restored]);
    assert!(!kept.rig.inside("new").exists());
    let nothing = [&UndoneWhat::AsBefore; 3];
    assert_eq!(what(&kept.undo()), nothing);
    assert_eq!(what(&kept.force()), nothing);
    // Who goes on from there can go back there.
    kept.write("a", "3\n").await;
    assert_eq!(what(&kept.undo()), [&UndoneWhat::AsBefore, &UndoneWhat::AsBefore, &UndoneWhat::Restored]);
    assert_eq!(kept.read("a"), "before\n");
}

#[tokio::test]
async fn what_was_in_the_place_of_a_link_is_gone_when_that_is_back() {
    let mut kept = linked();
    kept.shell("ln -s folder to; true").await;
    kept.changes.clear();
    kept.shell("rm to; mv folder to").await;
    assert!(left(&kept.undo()).is_empty());
    assert_eq!(what(&kept.undo()), [&UndoneWhat::AsBefore; 3]);
    // Another link is not the one that was there.
    fs::remove_file(kept.rig.inside("to")).unwrap();
    symlink("../workspace/folder", kept.rig.inside("to")).unwrap();
    let undone = kept.undo();
    assert_eq!(left(&undone).len(), 2, "{undone:?}");
}

#[tokio::test]
async fn what_is_taken_back_in_part_says_so() {
    let mut kept = linked();
    kept.write("a", "1\n").await;
    fs::write(kept.rig.inside("a"), "by a person\n").unwrap();
    kept.write("a", "2\n").await;
    assert!(left(&kept.undo())[0].1.starts_with("it was taken back in part"));
    assert_eq!(kept.read("a"), "by a person\n");
    assert_eq!(left(&kept.undo())[0].1, "it was changed since");
    assert_eq!(what(&kept.force()), [&UndoneWhat::Restored]);
    assert_eq!(kept.read("a"), "before\n");
}

#[tokio::test]
async fn a_mode_that_somebody_else_changed_is_left_alone() {
    let mut kept = linked();
    kept.shell("echo after > a; echo x > made").await;
    kept.write("b", "after\n").await;
    for name in ["a", "b", "made"] {
        kept.chmod(name, 0o600);
    }
    let skipped = UndoneWhat::Skipped("it was changed since".to_owned());
    assert_eq!(what(&kept.undo()), [&skipped, &skipped, &skipped]);
    assert_eq!((kept.mode("a"), kept.mode("b"), kept.read("a")), (0o600, 0o600, "after\n".to_owned()));
    assert!(left(&kept.force()).is_empty());
    assert_eq!((kept.mode("a"), kept.mode("b"), kept.read("a")), (0o644, 0o644, "before\n".to_owned()));
}

/// A tool that wrote a file says which mode it left, so that a person's `chmod +x` since is not taken for its own.
#[tokio::test]
async fn what_somebody_made_executable_since_is_left_alone() {
    let mut kept = linked();
    kept.write("b", "after\n").await;
    kept.write("new", "made\n").await;
    for name in ["b", "new"] {
        kept.chmod(name, 0o755);
    }
    let skipped = UndoneWhat::Skipped("it was changed since".to_owned());
    assert_eq!(what(&kept.undo()), [&skipped, &skipped]);
    assert_eq!((kept.mode("b"), kept.read("b")), (0o755, "after\n".to_owned()));
}

#[tokio::test]
async fn a_change_of_the_mode_alone_is_shown_and_taken_back() {
    let mut kept = linked();
    let before = kept.tree();
    kept.shell("chmod 000 a; chmod +x b; echo after > b").await;
    let expect = "diff --git a/a b/a\nold mode 100644\nnew mode 100000\n\
        diff --git a/b b/b\nold mode 100644\nnew mode 100755\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-before\n+after\n";
    assert_eq!(kept.diff(), expect);
    assert_eq!(what(&kept.undo()), [&UndoneWhat::Restored, &UndoneWhat::Restored]);
    assert_eq!(kept.tree(), before);
    assert_eq!(kept.diff(), "");
}

/// Sessions that were stored before names said of what they are.
#[tokio::test]
async fn changes_without_the_mode_that_was_left_are_taken_back() {
    let mut kept = linked();
    kept.shell("echo after > a; chmod +x a; echo x > made").await;
    for change in &mut kept.changes {
        let after = change.after.take().unwrap();
        change.after = after.split(':').next().map(str::to_owned);
    }
    assert_eq!(what(&kept.undo()), [&UndoneWhat::Removed, &UndoneWhat::Restored]);
    assert_eq!((kept.read("a"), kept.mode("a")), ("before\n".to_owned(), 0o644));
}

const PATHS: &[&str] = &["a", "b", "d", "d/x", "d/y/z", "l"];

/// A command that may or may not work.
fn commands() -> impl Strategy<Value = String> {
    let path = || prop::sample::select(PATHS);
    let one = prop_oneof![
        (path(), "[xyz]").prop_map(|(path, text)| format!("echo {text} > {path}")),
        (path(), path()).prop_map(|(text, path)| format!("ln -sfn {text} {path}")),
        path().prop_map(|path| format!("rm -rf {path}")),
        path().prop_map(|path| format!("mkdir -p {path}")),
        path().prop_map(|path| format!("chmod -R 755 {path}")),
        (path(), path()).prop_map(|(one, two)| format!("mv -T {one} {two}")),
    ];
    prop::collection::vec(one, 1..4).prop_map(|all| format!("{{ {}; }} 2> /dev/null; true", all.join("; ")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever commands do to files and links, undoing it gives the first ones back. Folders are not kept.
    #[test]
    fn undoing_what_commands_did_gives_the_first_files_and_links_back(
        there in prop::collection::btree_set(prop::sample::select(&["a", "d/x", "d/y/z", "l -> d", "b -> a"][..]), 0..5),
        commands in prop::collection::vec(commands(), 1..5),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut kept = Kept::new();
        plant(&kept.rig.inside(""), &there.into_iter().collect::<Vec<_>>(), "before\n");
        let files = |kept: &Kept| kept.tree().into_iter().filter(|(_, node)| *node != Node::Folder).collect::<Tree>();
        let before = files(&kept);
        runtime.block_on(async {
            for command in &commands {
                kept.shell(command).await;
            }
        });
        let undone = kept.undo();
        prop_assert!(left(&undone).is_empty(), "{undone:?}");
        prop_assert_eq!(files(&kept), before);
        prop_assert_eq!(kept.diff(), "");
        prop_assert!(kept.undo().iter().all(|undone| undone.what == UndoneWhat::AsBefore));
        kept.rig.check_outside();
    }
}

/// What a link of a rule led to did not come into being when the link went: undo would take it away.
#[tokio::test]
async fn what_a_command_uncovers_is_not_new() {
    let mut kept = Kept::new();
    plant(&kept.rig.inside(""), &["key"], "secret\n");
    symlink("key", kept.rig.inside("rule")).unwrap();
    kept.rig.context.rules.hidden = vec![kept.rig.inside("rule")];
    assert!(kept.call("shell_exec", json!({ "command": "rm rule && echo 1 > other" })).await);
    let changed: Vec<&str> = kept.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changed, [kept.rig.inside("other").to_str().unwrap()]);
    kept.undo();
    assert_eq!(kept.read("key"), "secret\n");
}
