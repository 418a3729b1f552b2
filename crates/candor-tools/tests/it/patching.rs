//! `apply_patch`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use candor_protocol::Code;
use candor_tools::ToolOutput;
use serde_json::json;

use crate::rig::{Rig, check_failure};
use crate::tree::tree;

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn rig(files: &[(&str, &str)]) -> Rig {
    let rig = Rig::new();
    for (name, text) in files {
        fs::create_dir_all(rig.inside(name).parent().unwrap()).unwrap();
        fs::write(rig.inside(name), text).unwrap();
    }
    rig
}

async fn patch(rig: &Rig, patch: &str) -> ToolOutput {
    rig.call("apply_patch", json!({ "patch": patch })).await
}

/// A file called `file` with this text becomes that.
async fn check(text: &str, diff: &str, expect: &str) {
    let rig = rig(&[("file", text)]);
    let output = patch(&rig, diff).await;
    assert!(!output.is_error, "{output:?}\n{diff}");
    assert_eq!(fs::read_to_string(rig.inside("file")).unwrap(), expect, "{diff}");
}

async fn check_refused(text: &str, diff: &str, reason: &str) {
    let rig = rig(&[("file", text)]);
    let output = patch(&rig, diff).await;
    check_failure(&output, Code::ToolArguments);
    let cause = output.card.unwrap().cause;
    assert!(cause.contains(reason), "{cause}");
    assert_eq!(fs::read_to_string(rig.inside("file")).unwrap(), text);
}

const GIT: &str = r"Here is the patch:

diff --git a/a/changed b/a/changed
index 1234567..89abcde 100644
--- a/a/changed
+++ b/a/changed
@@ -1,3 +1,3 @@
-one
+ONE
 two
 three
@@ -8,3 +8,4 @@ some context
 eight
 nine
 ten
+eleven
diff --git a/deleted b/deleted
deleted file mode 100644
--- a/deleted
+++ /dev/null
@@ -1,2 +0,0 @@
-x
-y
diff --git a/new/script b/new/script
new file mode 100755
--- /dev/null
+++ b/new/script
@@ -0,0 +1,2 @@
+#!/bin/sh
+true
\ No newline at end of file
diff --git a/old name b/new name
similarity index 50%
rename from old name
rename to new name
--- a/old name
+++ b/new name
@@ -1,2 +1,2 @@
-1
+one
 2
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
diff --git a/mode b/mode
old mode 100644
new mode 100755
";

#[tokio::test]
async fn a_diff_of_git_changes_adds_deletes_and_renames() {
    let rig = rig(&[("a/changed", LINES), ("deleted", "x\ny\n"), ("old name", "1\n2\n"), ("mode", "#!\n")]);
    fs::set_permissions(rig.inside("old name"), fs::Permissions::from_mode(0o640)).unwrap();
    let output = patch(&rig, GIT).await;
    assert!(!output.is_error, "{output:?}");
    let read = |name: &str| fs::read_to_string(rig.inside(name)).unwrap();
    let mode = |name: &str| fs::metadata(rig.inside(name)).unwrap().mode();
    assert_eq!(read("a/changed"), LINES.replace("one", "ONE") + "eleven\n");
    assert!(!rig.inside("deleted").exists() && !rig.inside("old name").exists());
    assert_eq!(read("new/script"), "#!/bin/sh\ntrue");
    assert!(mode("new/script") & 0o100 != 0 && mode("mode") & 0o100 != 0);
    assert_eq!(read("new name"), "one\n2\n");
    assert_eq!(mode("new name") & 0o7777, 0o640);
    assert_eq!(read("empty"), "");
    for line in
        ["changed a/changed\n", "deleted deleted\n", "added new/script\n", "added new name\n", "+eleven\n"]
    {
        assert!(output.for_model.contains(line), "{line}{}", output.for_model);
    }
    rig.check_outside();
}

#[tokio::test]
async fn an_envelope_changes_adds_deletes_and_renames() {
    let rig = rig(&[("a/changed", LINES), ("deleted", "x\n"), ("old", "1\n2\n")]);
    let text = "*** Begin Patch
*** Update File: a/changed
@@
-one
+ONE
 two
@@ eight
 nine
-ten
+TEN
*** End of File
*** Add File: new/file
+first
+
+third
*** Delete File: deleted
*** Update File: old
*** Move to: there/new
@@
 1
-2
+two
*** End Patch
";
    let output = patch(&rig, text).await;
    assert!(!output.is_error, "{output:?}");
    let read = |name: &str| fs::read_to_string(rig.inside(name)).unwrap();
    assert_eq!(read("a/changed"), LINES.replace("one", "ONE").replace("ten", "TEN"));
    assert_eq!(read("new/file"), "first\n\nthird\n");
    assert!(!rig.inside("deleted").exists() && !rig.inside("old").exists());
    assert_eq!(read("there/new"), "1\ntwo\n");
    assert_eq!(output.changes.len(), 5);
}

#[tokio::test]
async fn a_change_may_stand_elsewhere_but_in_one_place_only() {
    let diff = |line: usize| {
        format!("--- a/file\n+++ b/file\n@@ -{line},3 +{line},3 @@\n five\n-six\n+SIX\n seven\n")
    };
    for line in [1, 5, 90] {
        check(LINES, &diff(line), &LINES.replace("six", "SIX")).await;
    }
    let twice = format!("{LINES}{LINES}");
    // The one that is named is meant.
    check(&twice, &diff(15), &format!("{LINES}{}", LINES.replace("six", "SIX"))).await;
    check_refused(&twice, &diff(2), "its lines stand in 2 places, at lines 5, 15").await;
    let envelope = "*** Begin Patch\n*** Update File: file\n@@\n five\n-six\n+SIX\n*** End Patch";
    check_refused(&twice, envelope, "its lines stand in 2 places, at lines 5, 15").await;
    check_refused("fiv\nsix\n", envelope, "beginning with \"five\"; the nearest is line 1: fiv").await;
}

#[tokio::test]
async fn hints_say_which_place_is_meant() {
    let text = "class A:\n  def f():\n    x\n  def g():\n    x\nclass B:\n  def f():\n    x\n";
    let hunk = |hints: &str| {
        format!("*** Begin Patch\n*** Update File: file\n{hints}\n-    x\n+    y\n*** End Patch")
    };
    check(text, &hunk("@@   def g():"), &text.replacen("g():\n    x", "g():\n    y", 1)).await;
    let last = "class A:\n  def f():\n    x\n  def g():\n    x\nclass B:\n  def f():\n    y\n";
    check(text, &hunk("@@ class B:\n@@   def f():"), last).await;
    check_refused(text, &hunk("@@   def f():"), "its lines stand in 2 places, at lines 3, 8").await;
    check_refused(text, &hunk("@@ class C:"), "the line \"class C:\" is not in the file").await;
    let insert = "*** Begin Patch\n*** Update File: file\n@@ class B:\n+  new\n*** End Patch";
    check(text, insert, &text.replace("class B:\n", "class B:\n  new\n")).await;
}

#[tokio::test]
async fn spaces_at_line_ends_cr_and_a_missing_line_break_are_no_obstacle() {
    let diff = "--- file\n+++ file\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    check("one \ntwo\t\nthree\n", diff, "one \n2\nthree\n").await;
    check("one\r\ntwo\r\nthree\r\n", diff, "one\r\n2\r\nthree\r\n").await;
    check("one\ntwo\nthree", diff, "one\n2\nthree").await;
    let diff = diff.replace('\n', "\r\n");
    check("one\ntwo\nthree\n", &diff, "one\n2\nthree\n").await;
    let diff = "--- file\n+++ file\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n";
    check("x", diff, "x\n").await;
    let diff = "--- file\n+++ file\n@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n";
    check("x\n", diff, "x").await;
    let diff = "--- file\n+++ file\n@@ -1 +1,2 @@\n x\n+y\n";
    check("x", diff, "x\ny").await;
}

#[tokio::test]
async fn numbers_that_are_wrong_are_no_obstacle() {
    let text = "a\n\nb\nc\n";
    for counts in ["-1,4 +1,4", "-1,2 +1,2", "-1,9 +1,9", "-1 +1"] {
        let diff = format!("--- file\n+++ file\n@@ {counts} @@\n a\n \n-b\n+B\n c\n");
        check(text, &diff, "a\n\nB\nc\n").await;
    }
    // An editor has taken the space of an empty line away.
    check(text, "--- file\n+++ file\n@@ -1,4 +1,4 @@\n a\n\n-b\n+B\n c\n\n\n", "a\n\nB\nc\n").await;
    // A line that goes and looks like a header.
    check("-- x\ny\n", "--- file\n+++ file\n@@ -1,2 +1,2 @@\n--- x\n+++ x\n y\n", "++ x\ny\n").await;
    check("a\nb\n", "--- file\n+++ file\n@@ -1,0 +2 @@\n+new\n", "a\nnew\nb\n").await;
}

#[tokio::test]
async fn several_changes_of_one_file_follow_each_other() {
    let diff = "--- file\n+++ file\n@@ -1 +1,3 @@\n-one\n+a\n+b\n+c\n@@ -4 +6 @@\n-four\n+FOUR\n";
    check(LINES, diff, &LINES.replace("one", "a\nb\nc").replace("four", "FOUR")).await;
    let parts =
        "*** Begin Patch\n*** Update File: file\n-one\n+1\n*** Update File: ./file\n-1\n+I\n*** End Patch";
    check(LINES, parts, &LINES.replace("one", "I")).await;
}

#[tokio::test]
async fn all_files_are_changed_or_none() {
    let rig = rig(&[("one", "1\n"), ("two", "2\n"), ("gone", "3\n")]);
    let before = tree(&rig.inside(""));
    let good = "*** Update File: one\n-1\n+I\n*** Add File: new/deep/file\n+x\n*** Delete File: gone\n";
    for bad in [
        "*** Update File: two\n-nothing\n+like it\n",
        "*** Update File: none\n-1\n+2\n",
        "*** Delete File: none\n",
        "*** Add File: two\n+x\n",
        "*** Add File: ../out\n+x\n",
        "*** Add File: .git/hooks/pre-commit\n+x\n",
        "*** Add File: .git/refs/x\n+x\n",
        "*** Add File: one/below\n+x\n",
        "*** Update File: two\n*** Move to: one\n",
    ] {
        for patch_text in [format!("{good}{bad}"), format!("{bad}{good}")] {
            let output = patch(&rig, &format!("*** Begin Patch\n{patch_text}*** End Patch")).await;
            assert!(output.is_error && output.changes.is_empty(), "{bad}{output:?}");
            assert!(tree(&rig.inside("")) == before, "{bad}");
        }
    }
    rig.check_outside();
}

/// What cannot be seen beforehand is met when it is written: that the name of a folder to be made is too long.
#[tokio::test]
async fn what_was_written_is_put_back_when_a_later_file_fails() {
    let rig = rig(&[("one", "1\n"), ("gone", "3\n")]);
    fs::set_permissions(rig.inside("one"), fs::Permissions::from_mode(0o604)).unwrap();
    let before = tree(&rig.inside(""));
    let long = "x".repeat(300);
    let text = format!(
        "*** Begin Patch\n*** Update File: one\n-1\n+I\n*** Add File: new/deep/file\n+x\n\
         *** Add File: other/{long}/y\n+x\n*** Delete File: gone\n*** End Patch"
    );
    let output = patch(&rig, &text).await;
    assert!(output.is_error && output.changes.is_empty(), "{output:?}");
    assert!(tree(&rig.inside("")) == before, "{:?}", tree(&rig.inside("")));
}

#[tokio::test]
async fn what_is_no_patch_is_told() {
    let rig = Rig::new();
    for (text, reason) in [
        ("", "there is no change in it"),
        ("hello\nworld\n", "there is no change in it"),
        ("@@ -1 +1 @@\n-a\n+b\n", "line 1: a change without the name of its file"),
        ("--- a\n+++ b\n@@ nonsense @@\n-a\n", "line 3: this is not like"),
        ("*** Begin Patch\n*** Update File: x\n*** End Patch", "x: no line changes"),
        (
            "*** Begin Patch\n*** Add File: x\nno plus\n*** End Patch",
            "x: a line of a new file does not begin with +",
        ),
        ("diff --git a/x b/x\nGIT binary patch\nliteral 3\n", "it changes a file that is not text"),
        (
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n",
            "it changes a link",
        ),
    ] {
        let output = patch(&rig, text).await;
        check_failure(&output, Code::ToolArguments);
        assert!(output.for_model.contains(reason), "{text}: {output:?}");
    }
    assert_eq!(fs::read_dir(rig.inside("")).unwrap().count(), 0);
}

#[tokio::test]
async fn names_that_git_quotes_are_read() {
    let rig = Rig::new();
    let diff = "--- /dev/null\n+++ \"b/t\\303\\244st \\\"x\\\"\"\n@@ -0,0 +1 @@\n+x\n";
    assert!(!patch(&rig, diff).await.is_error);
    assert!(rig.inside("täst \"x\"").exists());
}

/// The diff is written by git itself, and what comes of it must be what git compared with.
#[tokio::test]
async fn what_git_writes_is_applied() {
    let rig = rig(&[
        ("a/changed", LINES),
        ("a/gone/file", "x\ny"),
        ("a/same", "same\n"),
        ("b/same", "same\n"),
        ("b/new/file", "\n\n  x\n"),
    ]);
    let changed = LINES.replace("two\n", "").replace("nine", "9\n9.5") + "no end";
    fs::write(rig.inside("b/changed"), changed).unwrap();
    let output = rig.shell("git diff --no-index --no-color --no-prefix a b").await;
    let told: serde_json::Value = serde_json::from_str(&output.for_model).unwrap();
    let diff = told["stdout"].as_str().unwrap();
    assert!(diff.contains("deleted file mode") && diff.contains("new file mode"), "{diff}");
    // The names begin with those of the two folders, as with the marks of git.
    fs::rename(rig.inside("a/changed"), rig.inside("changed")).unwrap();
    fs::rename(rig.inside("a/gone"), rig.inside("gone")).unwrap();
    let output = patch(&rig, diff).await;
    assert!(!output.is_error, "{output:?}\n{diff}");
    for name in ["changed", "new/file"] {
        let (ours, theirs) = (rig.inside(name), rig.inside("b").join(name));
        assert_eq!(fs::read_to_string(ours).unwrap(), fs::read_to_string(theirs).unwrap());
    }
    assert!(!rig.inside("gone/file").exists());
}

#[tokio::test]
async fn a_mark_before_the_first_line_is_not_in_the_way_and_stays() {
    let diff = "--- a/file\n+++ b/file\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n";
    check("\u{feff}one\ntwo\n", diff, "\u{feff}ONE\ntwo\n").await;
    let before = "--- a/file\n+++ b/file\n@@ -1,1 +1,2 @@\n+zero\n one\n";
    check("\u{feff}one\r\ntwo\r\n", before, "\u{feff}zero\r\none\r\ntwo\r\n").await;
    // Whoever names it can take it away.
    let named = "--- a/file\n+++ b/file\n@@ -1,1 +1,1 @@\n-\u{feff}one\n+one\n";
    check("\u{feff}one\n", named, "one\n").await;
    let rig = rig(&[("file", "\u{feff}one\n")]);
    let output = patch(&rig, "--- a/file\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n").await;
    assert!(!output.is_error && !rig.inside("file").exists(), "{output:?}");
}

#[tokio::test]
async fn the_first_line_that_does_not_match_is_told() {
    let rig = Rig::new();
    let text = "#!/bin/sh\nset -u\necho one\n\n#!/bin/sh\nset -e\necho two\n";
    fs::write(rig.inside("file"), text).unwrap();
    for (hunk, reason) in [
        (
            "@@\n #!/bin/sh\n-set -x\n+set -e",
            r#"the first that does not match is "set -x"; the one before it stands at line 1, but line 2 is "set -u""#,
        ),
        (
            "@@\n #!/bin/sh\n set -e\n-echo three\n+echo four",
            r#"the first that does not match is "echo three"; those before it stand at line 5, but line 7 is "echo two""#,
        ),
        (
            "@@\n set -e\n echo two\n-echo three\n+echo four",
            r#"the first that does not match is "echo three"; those before it stand at line 6, but the file ends there"#,
        ),
        ("@@\n-echo ono\n+echo four", r#"beginning with "echo ono"; the nearest is line 3: echo one"#),
        (
            "@@\n-echo one\n+echo 1\n*** End of File",
            "its lines stand at line 3, but not at the end of the file",
        ),
        ("@@ set -e\n-echo one\n+echo 1", "its lines stand at line 3, but not after the line that it names"),
    ] {
        let patch = format!("*** Begin Patch\n*** Update File: file\n{hunk}\n*** End Patch\n");
        let output = rig.call("apply_patch", json!({ "patch": patch })).await;
        let told: serde_json::Value = serde_json::from_str(&output.for_model).unwrap();
        assert!(told["error"].as_str().unwrap().ends_with(reason), "{hunk}: {told}");
    }
    assert_eq!(fs::read_to_string(rig.inside("file")).unwrap(), text);
}
