//! `search`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use candor_protocol::Code;
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure, check_success, fifo};
use crate::tree::plant;

fn rig(files: &[(&str, &str)]) -> Rig {
    let rig = Rig::new();
    for (name, text) in files {
        plant(&rig.inside(""), &[name], text);
    }
    rig
}

async fn check(rig: &Rig, args: Value, expect: &str) {
    let output = rig.call("search", args.clone()).await;
    assert!(!output.is_error, "{output:?}");
    assert_eq!(output.for_model, expect, "{args}");
}

#[tokio::test]
async fn s6_16_lines_are_found_in_the_order_of_their_files() {
    let files =
        [("b", "x one\ntwo\nx three\n"), ("a/z", "x\n"), ("a/b/c", "no\nX\n"), ("a.rs", "fn x() {}\n")];
    let rig = rig(&files);
    check(&rig, json!({ "pattern": "x" }), "a/z:1:x\na.rs:1:fn x() {}\nb:1:x one\nb:3:x three\n").await;
    check(&rig, json!({ "pattern": "X" }), "a/b/c:2:X\n").await;
    check(&rig, json!({ "pattern": "^x$", "ignore_case": true }), "a/b/c:2:X\na/z:1:x\n").await;
    check(&rig, json!({ "pattern": "x()", "literal": true }), "a.rs:1:fn x() {}\n").await;
    check(&rig, json!({ "pattern": "x", "path": "a" }), "a/z:1:x\n").await;
    check(&rig, json!({ "pattern": "x", "path": "./a/" }), "a/z:1:x\n").await;
    check(&rig, json!({ "pattern": "x", "path": "b" }), "b:1:x one\nb:3:x three\n").await;
    check(&rig, json!({ "pattern": "x", "glob": "*.rs" }), "a.rs:1:fn x() {}\n").await;
    check(&rig, json!({ "pattern": "x", "glob": "a/*" }), "a/z:1:x\n").await;
    check(&rig, json!({ "pattern": "x", "glob": "!b" }), "a/z:1:x\na.rs:1:fn x() {}\n").await;
    check(&rig, json!({ "pattern": "absent" }), "[nothing found]\n").await;
    let absolute = rig.inside("a");
    check(&rig, json!({ "pattern": "x", "path": absolute }), &format!("{}/z:1:x\n", absolute.display()))
        .await;
}

#[tokio::test]
async fn lines_around_are_shown() {
    let rig = rig(&[("f", "1\n2\nx\n4\n5\n6\n7\nx\n9\n"), ("g", "x\n")]);
    let expect = "f-2-2\nf:3:x\nf-4-4\n--\nf-7-7\nf:8:x\nf-9-9\n--\ng:1:x\n";
    check(&rig, json!({ "pattern": "x", "context": 1 }), expect).await;
}

#[tokio::test]
async fn what_git_ignores_is_left_out() {
    let rig = rig(&[
        (".gitignore", "*.log\n/target\n!keep.log\n# x\n"),
        ("a.log", "x\n"),
        ("keep.log", "x\n"),
        ("target/x", "x\n"),
        ("src/target/x", "x\n"),
        ("src/.gitignore", "x\n!*.log\n"),
        ("src/b.log", "x\n"),
        (".hidden", "x\n"),
        (".config/x", "x\n"),
        (".git/x", "x\n"),
        (".git/info/exclude", "excluded\n"),
        ("excluded", "x\n"),
        ("sub/.ignore", "y\n"),
        ("sub/y", "x\n"),
    ]);
    check(&rig, json!({ "pattern": "^x$" }), "keep.log:1:x\nsrc/b.log:1:x\n").await;
    // What is asked for by its path is searched, and what is written with its dot is meant.
    check(&rig, json!({ "pattern": "^x$", "path": "target" }), "target/x:1:x\n").await;
    check(&rig, json!({ "pattern": "^x$", "path": ".config" }), ".config/x:1:x\n").await;
    check(&rig, json!({ "pattern": "^x$", "path": ".hidden" }), ".hidden:1:x\n").await;
    check(&rig, json!({ "pattern": "^x$", "glob": ".config/*" }), ".config/x:1:x\n").await;
    // The lists above hold below, too.
    plant(&rig.inside("src"), &["c.txt", "deep/excluded"], "x\n");
    check(&rig, json!({ "pattern": "^x$", "path": "src" }), "src/b.log:1:x\nsrc/c.txt:1:x\n").await;
}

#[tokio::test]
async fn a_list_that_is_no_file_is_not_waited_for() {
    let rig = rig(&[("a", "x\n"), ("b/c", "x\n")]);
    fifo(&rig.inside(".gitignore"));
    symlink("/dev/zero", rig.inside("b/.gitignore")).unwrap();
    fifo(&rig.inside("pipe"));
    check(&rig, json!({ "pattern": "x" }), "a:1:x\nb/c:1:x\n").await;
}

#[tokio::test]
async fn what_is_no_text_is_left_out_and_long_lines_are_cut() {
    let rig = rig(&[("text", "x\n")]);
    fs::write(rig.inside("binary"), b"x\nx\0\n").unwrap();
    fs::write(rig.inside("late"), [b"x\ny\n".repeat(100).as_slice(), &b"y\n".repeat(99_999), b"\0"].concat())
        .unwrap();
    fs::write(rig.inside("latin"), b"x \xe9\n").unwrap();
    fs::write(rig.inside("long"), format!("x{}\n", "é".repeat(9000))).unwrap();
    let long = format!("long:1:x{} …\n", "é".repeat(199));
    check(&rig, json!({ "pattern": "x" }), &format!("latin:1:x \u{fffd}\n{long}text:1:x\n")).await;
    check(&rig, json!({ "pattern": "x", "path": "binary" }), "[nothing found]\n").await;
}

/// The first in the order of their paths, whoever finds them first, and every time the same.
#[tokio::test]
async fn the_limit_gives_the_first_results() {
    let mut rig = Rig::new();
    rig.context.rules.output_bytes_max = 100_000;
    let mut all = Vec::new();
    for folder in 0..40 {
        for file in 0..10 {
            let name = format!("f{folder:02}/g{file}");
            plant(&rig.inside(""), &[&name], "x\nx\n");
            all.extend([format!("{name}:1:x\n"), format!("{name}:2:x\n")]);
        }
    }
    for max in [1, 2, 3, 99, 250] {
        let expect =
            all[..max].concat() + "[grep truncated] there are more matches; narrow pattern, path or glob\n";
        for _ in 0..5 {
            check(&rig, json!({ "pattern": "x", "max": max }), &expect).await;
        }
    }
    check(&rig, json!({ "pattern": "x", "max": 800 }), &all.concat()).await;
}

#[tokio::test]
async fn the_output_has_its_bound() {
    let mut rig = rig(&[("f", &"x y\n".repeat(300))]);
    rig.context.rules.output_bytes_max = 300;
    let output = rig.call("search", json!({ "pattern": "x" })).await.for_model;
    assert!(output.len() <= 300 && output.starts_with("f:1:x y\n"), "{output}");
    assert!(
        output.ends_with("x y\n[grep truncated] the output is full; narrow pattern, path or glob\n"),
        "{output}"
    );
}

#[tokio::test]
async fn s6_17_what_is_hidden_or_not_allowed_is_not_searched() {
    let mut rig = rig(&[("open/a", "x\n"), ("open/keys/b", "x secret\n"), ("closed/c", "x\n")]);
    fs::write(rig.outside("canary"), "x canary\n").unwrap();
    fs::hard_link(rig.outside("canary"), rig.inside("open/hard")).unwrap();
    symlink(rig.outside("canary"), rig.inside("open/link")).unwrap();
    symlink(rig.inside("closed"), rig.inside("open/folder_link")).unwrap();
    rig.context.rules.hidden = vec![rig.inside("open/keys"), rig.outside("canary")];
    rig.context.rules.allowed = vec![rig.inside("open")];
    let paths =
        [".", "closed", "open/keys", "open/keys/b", "open/link", "open/folder_link", "open/hard", ".."];
    check(&rig, json!({ "pattern": "x", "path": "open" }), "open/a:1:x\n").await;
    for path in paths {
        let output = rig.call("search", json!({ "pattern": "x", "path": path })).await;
        check_failure(&output, Code::ToolBlocked);
    }
    rig.context.rules.allowed.clear();
    check(&rig, json!({ "pattern": "x" }), "closed/c:1:x\nopen/a:1:x\n").await;
}

#[tokio::test]
async fn what_cannot_be_searched_is_told() {
    let rig = Rig::new();
    fifo(&rig.inside("pipe"));
    for args in [
        json!({ "pattern": "(" }),
        json!({ "pattern": "a\nb" }),
        json!({ "pattern": "x", "glob": "{" }),
        // Small to write and large to run.
        json!({ "pattern": "(a{999}){999}" }),
    ] {
        check_failure(&rig.call("search", args).await, Code::ToolArguments);
    }
    check_failure(&rig.call("search", json!({ "pattern": "x", "path": "none" })).await, Code::FileNotFound);
    check_failure(&rig.call("search", json!({ "pattern": "x", "path": "pipe" })).await, Code::FileIo);
}

#[tokio::test]
async fn names_that_are_not_usual_stay_in_their_line() {
    let rig = rig(&[("a\nb", "x\n"), ("c\u{1b}[31m", "x\n")]);
    fs::write(rig.inside("").join(OsStr::from_bytes(b"d\xff")), "x\n").unwrap();
    let output = rig.call("search", json!({ "pattern": "x" })).await;
    check_success(&output, "a\\nb:1:x\nc\\u{1b}[31m:1:x\nd\u{fffd}:1:x\n");
}

/// The call is past the point where nothing is begun any more.
#[tokio::test]
async fn a_walk_hears_that_it_is_cancelled() {
    let rig = rig(&[("f", "x\n")]);
    rig.context.cancel.cancel();
    for tool in ["search", "find", "list"] {
        let args = json!({ "pattern": "x" });
        let output = rig.registry.find(tool).unwrap().run(&args, &rig.context).await;
        check_failure(&output, Code::ToolInterrupted);
    }
}

#[tokio::test]
async fn of_a_long_line_the_part_with_the_match_is_shown() {
    let (before, after) = ("é".repeat(3000), "ö".repeat(3000));
    let line = format!("start {before}NEEDLE{after} end\n");
    let rig = rig(&[("f", &line)]);
    let middle = format!("f:1:… {}NEEDLE{} …\n", "é".repeat(50), "ö".repeat(147));
    check(&rig, json!({ "pattern": "NEEDLE" }), &middle).await;
    check(&rig, json!({ "pattern": "needle", "ignore_case": true, "literal": true }), &middle).await;
    check(&rig, json!({ "pattern": "start" }), &format!("f:1:start {} …\n", "é".repeat(197))).await;
    check(&rig, json!({ "pattern": "end$" }), &format!("f:1:… {} end\n", "ö".repeat(198))).await;
    // A match that is longer than what is shown is shown from its beginning.
    let output = rig.call("search", json!({ "pattern": "NEEDLE.*" })).await;
    assert_eq!(output.for_model, middle);
}
