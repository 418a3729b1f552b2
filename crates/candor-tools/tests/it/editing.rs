//! `file_edit`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use candor_protocol::Code;
use candor_tools::{Permission, ToolOutput};
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure};

const CODE: &str = "fn one() {\n    let x = 1;\n}\n\nfn two() {\n    let x = 2;\n}\n";

fn rig(text: &str) -> Rig {
    let rig = Rig::new();
    fs::write(rig.inside("file"), text).unwrap();
    rig
}

async fn edit(rig: &Rig, edits: Value) -> ToolOutput {
    rig.call("file_edit", json!({ "path": "file", "edits": edits })).await
}

async fn check(text: &str, edits: Value, expect: &str) -> String {
    let rig = rig(text);
    let output = edit(&rig, edits).await;
    assert!(!output.is_error, "{output:?}");
    assert_eq!(fs::read_to_string(rig.inside("file")).unwrap(), expect);
    output.for_model
}

/// Nothing is changed, and the reason is this.
async fn check_refused(text: &str, edits: Value, reason: &str) {
    let rig = rig(text);
    let output = edit(&rig, edits).await;
    check_failure(&output, Code::ToolArguments);
    let cause = output.card.unwrap().cause;
    assert!(cause.ends_with(&format!("Reason: {reason}")), "{cause}");
    assert_eq!(fs::read_to_string(rig.inside("file")).unwrap(), text);
}

#[tokio::test]
async fn s6_22_an_edit_shows_its_difference() {
    let expect = CODE.replace("x = 2", "x = 3");
    let told = check(CODE, json!([{ "old": "x = 2", "new": "x = 3" }]), &expect).await;
    assert_eq!(
        told,
        "file: 1 place\n--- a/file\n+++ b/file\n@@ -3,5 +3,5 @@\n }\n \n fn two() {\n-    let x = 2;\n+    let x = 3;\n }\n"
    );
}

#[tokio::test]
async fn s6_21_a_piece_that_stands_twice_is_refused() {
    let reason = "`old` is in the file 2 times, in lines 2, 6: add lines around the one that is meant";
    check_refused(CODE, json!([{ "old": "let x", "new": "let y" }]), reason).await;
    let expect = CODE.replace("let x", "let y");
    check(CODE, json!([{ "old": "let x", "new": "let y", "all": true }]), &expect).await;
    // Two places that overlap are two places.
    let reason = "`old` is in the file 2 times, in lines 1, 1: add lines around the one that is meant";
    check_refused("abababa", json!([{ "old": "ababa", "new": "" }]), reason).await;
    check("ababab", json!([{ "old": "ab", "new": "c", "all": true }]), "ccc").await;
}

#[tokio::test]
async fn a_piece_that_is_not_there_is_told_with_the_nearest_line() {
    let reason = "`old` is not in the file; the nearest is line 6:     let x = 2;";
    check_refused(CODE, json!([{ "old": "let x = 22;", "new": "" }]), reason).await;
    let edits = json!([{ "old": "quite another thing", "new": "" }]);
    check_refused(CODE, edits, "`old` is not in the file").await;
}

#[tokio::test]
async fn all_edits_are_made_or_none() {
    let edits = json!([{ "old": "x = 1", "new": "x = 9" }, { "old": "let x = 7;", "new": "" }]);
    let reason = "edit 2: `old` is not in the file; the nearest is line 2:     let x = 9;";
    check_refused(CODE, edits, reason).await;
    // Each sees what the one before it did.
    let edits = json!([{ "old": "x = 1", "new": "x = 9" }, { "old": "x = 9", "new": "y = 9" }]);
    check(CODE, edits, &CODE.replace("x = 1", "y = 9")).await;
}

#[tokio::test]
async fn spaces_are_not_counted_where_nothing_fits_exactly() {
    let told = check(
        "fn one() {\n\tif a  {\n\t\tb();\n\t}\n}\n",
        json!([{ "old": "    if a {\n        b();\n    }\n", "new": "    c();\n" }]),
        "fn one() {\n\tc();\n}\n",
    )
    .await;
    assert!(told.starts_with("file: 1 place, found by ignoring spaces\n"), "{told}");
    check("a  =  b;  c();\n", json!([{ "old": "a = b;", "new": "a = 1;" }]), "a = 1;  c();\n").await;
    // A line break is not a space.
    let reason = "`old` is not in the file; the nearest is line 1: alpha";
    check_refused("alpha\nb\n", json!([{ "old": "alpha b", "new": "c" }]), reason).await;
    // It must be one place here, too.
    let reason = "`old` is in the file 2 times, in lines 1, 3: add lines around the one that is meant";
    check_refused("a  b\n\na   b\n", json!([{ "old": "a b", "new": "c" }]), reason).await;
}

#[tokio::test]
async fn a_file_with_cr_keeps_it() {
    let edits = json!([{ "old": "one\ntwo\n", "new": "1\n2\n2.5\n" }]);
    check("one\r\ntwo\r\nthree\r\n", edits, "1\r\n2\r\n2.5\r\nthree\r\n").await;
    check("one\r\ntwo\r\n", json!([{ "old": "one\r\ntwo", "new": "1\r\n2" }]), "1\r\n2\r\n").await;
    // What is not touched keeps every byte.
    check("a\r\nb\nc\r\nd\r\n", json!([{ "old": "c", "new": "x\ny" }]), "a\r\nb\nx\r\ny\r\nd\r\n").await;
    check("a\nb\n", json!([{ "old": "a", "new": "x\r\ny" }]), "x\ny\nb\n").await;
    check("a\r\nb\r\nc", json!([{ "old": "\nb", "new": "" }]), "a\r\nc").await;
}

#[tokio::test]
async fn what_changes_nothing_is_told() {
    let rig = rig("text\n");
    let output = edit(&rig, json!([{ "old": "text", "new": "text" }])).await;
    assert_eq!(output.for_model, "No change: file is already like that.");
    assert!(!output.is_error && output.changes.is_empty());
}

#[tokio::test]
async fn other_spellings_are_understood() {
    let spellings =
        [("old", "new"), ("old_text", "new_text"), ("oldText", "newText"), ("old_string", "new_string")];
    for (old, new) in spellings {
        let rig = rig("a b b");
        let output = rig.call("edit", json!({ "path": "file", old: "a", new: "c" })).await;
        assert!(!output.is_error, "{output:?}");
        let edits = json!([{ old: "b", new: "d", "replace_all": true }]);
        assert!(!edit(&rig, edits).await.is_error);
        assert_eq!(fs::read_to_string(rig.inside("file")).unwrap(), "c d d");
    }
    check_refused("x", json!([]), "`edits` holds 0 edits, not 1 to 100").await;
    check_refused("x", json!([{ "new": "y" }]), "`edits` at 1: `old` is missing").await;
    check_refused("x", json!([{ "old": "x" }]), "`edits` at 1: `new` is missing").await;
    check_refused(" x", json!([{ "old": " ", "new": "" }]), "edit 1 has an `old` without any text").await;
}

#[tokio::test]
async fn the_mode_stays_and_what_is_no_text_is_not_edited() {
    let rig = rig("text\n");
    fs::set_permissions(rig.inside("file"), fs::Permissions::from_mode(0o751)).unwrap();
    assert!(!edit(&rig, json!([{ "old": "text", "new": "x" }])).await.is_error);
    assert_eq!(fs::metadata(rig.inside("file")).unwrap().mode() & 0o7777, 0o751);
    fs::write(rig.inside("file"), b"text \xff").unwrap();
    check_failure(&edit(&rig, json!([{ "old": "text", "new": "x" }])).await, Code::FileNotUtf8);
    fs::File::create(rig.inside("file")).unwrap().set_len((16 << 20) + 1).unwrap();
    check_failure(&edit(&rig, json!([{ "old": "text", "new": "x" }])).await, Code::FileTooLarge);
    fs::remove_file(rig.inside("file")).unwrap();
    check_failure(&edit(&rig, json!([{ "old": "text", "new": "x" }])).await, Code::FileNotFound);
    assert!(!rig.inside("file").exists());
}

#[tokio::test]
async fn s6_11_what_may_not_be_written_is_not_edited() {
    let mut rig = rig("text\n");
    rig.context.rules.protected = vec!["file".into()];
    check_failure(&edit(&rig, json!([{ "old": "text", "new": "x" }])).await, Code::ToolBlocked);
    rig.context.rules.protected.clear();
    rig.context.rules.permission = Permission::ReadOnly;
    check_failure(&edit(&rig, json!([{ "old": "text", "new": "x" }])).await, Code::ToolBlocked);
    assert_eq!(fs::read_to_string(rig.inside("file")).unwrap(), "text\n");
}

#[tokio::test]
async fn a_file_that_is_too_long_says_that_and_not_that_it_is_no_text() {
    let rig = rig("text\n");
    fs::File::options().write(true).open(rig.inside("file")).unwrap().set_len(1 << 40).unwrap();
    let output = edit(&rig, json!([{ "old": "text", "new": "other" }])).await;
    check_failure(&output, Code::FileTooLarge);
    assert!(output.card.unwrap().cause.contains("longer than the"));
}
