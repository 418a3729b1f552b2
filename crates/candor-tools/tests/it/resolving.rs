//! Where paths lead, tried with every tool that takes one.
//!
//! The cases are those of the kernel's own test of `openat2` that are about `RESOLVE_BENEATH` and
//! `RESOLVE_NO_MAGICLINKS`, with `/` replaced by a folder that we own, and some more. What counts is the effect: what
//! was read, what was written, and that everything outside is as it was.

use std::fs;
use std::path::{Path, PathBuf};

use candor_tools::ToolOutput;
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::tree::{Tree, plant, tree};

const INSIDE: &str = "the text inside\n";
const OUTSIDE: &str = "the canary outside\n";
const NEW: &str = "the new text\n";

/// `$OUT` is the folder that holds the workspace, which is `$OUT/top`.
const TREE: &[&str] = &[
    "procexe -> /proc/self/exe",
    "procroot -> /proc/self/root",
    "procfd -> /proc/self/fd",
    "proccwd -> /proc/self/cwd",
    "root/",
    "mnt/self -> ../mnt/",
    "mnt/absself -> $OUT/top/mnt/",
    "mnt/file",
    "etc/passwd",
    "creatlink -> $OUT/newfile3",
    "relcreat -> etc/newfile4",
    "reletc -> etc/",
    "relsym -> etc/passwd",
    "absetc -> $OUT/etc/",
    "abssym -> $OUT/etc/passwd",
    "abscheeky -> $OUT/cheeky",
    "absinside -> $OUT/top/etc/passwd",
    "cheeky/absself -> $OUT",
    "cheeky/self -> ../../top/",
    "cheeky/garbageself -> /..$OUT/top/",
    "cheeky/passwd -> ../cheeky/../cheeky/../etc/../etc/passwd",
    "cheeky/abspasswd -> /..$OUT/cheeky/../cheeky/../etc/../etc/passwd",
    "cheeky/dotdotlink -> $UP$OUT/etc/passwd",
    "cheeky/garbagelink -> /../../../../../../../../..$OUT/etc/passwd",
    "loop -> loop",
    "loop_one -> loop_two",
    "loop_two -> loop_one",
    "loop_folder -> loop_folder/below",
    "dangling_folder -> nowhere",
    "chain1 -> chain2",
    "chain2 -> cheeky/passwd",
];

const OUTSIDE_TREE: &[&str] = &[
    "etc/passwd",
    "etc/only_outside",
    "cheeky/passwd",
    "cheeky/abspasswd",
    "cheeky/dotdotlink",
    "cheeky/garbagelink",
    "cheeky/absself/etc/passwd",
    "cheeky/self/etc/passwd",
    "cheeky/garbageself/etc/passwd",
    "top-evil/passwd",
    "passwd",
];

/// A path; the file inside that is written by it; and the one that is read by it, where only what is inside may be
/// read. A reader may go out on its way and come back, as what it reads is looked at where it is; a writer may not.
type Case = (&'static str, Option<&'static str>, Option<&'static str>);

const PASSWD: Option<&str> = Some("etc/passwd");

const CASES: &[Case] = &[
    // Out of the root.
    ("/", None, None),
    ("$OUT", None, None),
    ("$OUT/etc/passwd", None, None),
    ("$OUT/newfile", None, None),
    ("cheeky/absself", None, None),
    ("cheeky/absself/etc/passwd", None, None),
    ("cheeky/absself/newfile", None, None),
    ("abscheeky/absself", None, None),
    ("abscheeky/absself/etc/passwd", None, None),
    ("..", None, None),
    ("../etc/passwd", None, None),
    ("../passwd", None, None),
    ("../top-evil/passwd", None, None),
    ("../top-evil/newfile", None, None),
    ("etc/../../passwd", None, None),
    ("etc/../../etc/passwd", None, None),
    ("nowhere/../../etc/passwd", None, None),
    // Out and in again.
    ("../top/", None, None),
    ("../top/etc/passwd", None, PASSWD),
    ("cheeky/self", None, None),
    ("cheeky/self/etc/passwd", None, PASSWD),
    ("cheeky/self/newfile", None, None),
    ("abscheeky/self/etc/passwd", None, None),
    ("cheeky/garbageself", None, None),
    ("cheeky/garbageself/etc/passwd", None, PASSWD),
    ("abscheeky/garbageself/etc/passwd", None, None),
    ("cheeky/absself/top/etc/passwd", None, PASSWD),
    ("absinside", None, PASSWD),
    ("mnt/absself/file", None, Some("mnt/file")),
    // Inside.
    ("root", None, None),
    ("etc", None, None),
    ("etc/passwd", PASSWD, PASSWD),
    ("./etc/./passwd", PASSWD, PASSWD),
    ("etc//passwd", PASSWD, PASSWD),
    ("root/../etc/passwd", PASSWD, PASSWD),
    ("$OUT/top/etc/passwd", PASSWD, PASSWD),
    ("relsym", PASSWD, PASSWD),
    ("reletc/passwd", PASSWD, PASSWD),
    ("reletc/../relsym", PASSWD, PASSWD),
    ("cheeky/passwd", PASSWD, PASSWD),
    ("chain1", PASSWD, PASSWD),
    ("mnt/self/file", Some("mnt/file"), Some("mnt/file")),
    ("mnt/self/self/self/file", Some("mnt/file"), Some("mnt/file")),
    // New files.
    ("newfile1", Some("newfile1"), None),
    ("root/newfile", Some("root/newfile"), None),
    ("reletc/newfile", Some("etc/newfile"), None),
    ("new/deep/file", Some("new/deep/file"), None),
    ("relcreat", Some("etc/newfile4"), None),
    ("creatlink", None, None),
    ("absetc/newfile", None, None),
    ("dangling_folder/newfile", None, None),
    // Absolute links and links that climb.
    ("abscheeky/passwd", None, None),
    ("abssym", None, None),
    ("absetc/passwd", None, None),
    ("cheeky/abspasswd", None, None),
    ("abscheeky/abspasswd", None, None),
    ("cheeky/dotdotlink", None, None),
    ("abscheeky/dotdotlink", None, None),
    ("cheeky/garbagelink", None, None),
    ("abscheeky/garbagelink", None, None),
    // Links of the kernel.
    ("procexe", None, None),
    ("procroot", None, None),
    ("procroot$OUT/etc/passwd", None, None),
    ("proccwd/newfile", None, None),
    ("procfd/0", None, None),
    ("/proc/self/exe", None, None),
    ("/proc/self/root$OUT/etc/passwd", None, None),
    ("/proc/self/cwd/newfile", None, None),
    ("/proc/self/environ", None, None),
    ("/proc/thread-self/root$OUT/etc/passwd", None, None),
    ("/dev/fd/0", None, None),
    ("/dev/stdin", None, None),
    // Loops.
    ("loop", None, None),
    ("loop_one", None, None),
    ("loop_folder", None, None),
    ("loop_folder/passwd", None, None),
    // A tilde that is meant.
    ("./~/etc/passwd", Some("~/etc/passwd"), None),
    ("./~", Some("~"), None),
    ("~notes", Some("~notes"), None),
    // A home.
    ("~", None, None),
    ("~/", None, None),
    ("~/etc/passwd", None, None),
    ("~root/newfile", None, None),
    // Words that mean nothing.
    ("%2e%2e/passwd", Some("%2e%2e/passwd"), None),
    ("etc/passwd/", None, None),
    ("etc/passwd/..", None, None),
    ("etc/passwd/below", None, None),
];

/// A workspace with that tree.
struct Forest {
    rig: Rig,
    out: PathBuf,
    before: Tree,
}

impl Forest {
    fn new() -> Self {
        let mut rig = Rig::new();
        let out = rig.outside("out");
        let up = "../".repeat(30);
        let filled = |path: &str| {
            let path = path.replace("$UP$OUT", &format!("{up}{}", out.strip_prefix("/").unwrap().display()));
            path.replace("$OUT", out.to_str().unwrap())
        };
        let fill = |paths: &[&str]| paths.iter().map(|path| filled(path)).collect::<Vec<_>>();
        let (inside, outside) = (fill(TREE), fill(OUTSIDE_TREE));
        plant(&out.join("top"), &inside.iter().map(String::as_str).collect::<Vec<_>>(), INSIDE);
        plant(&out, &outside.iter().map(String::as_str).collect::<Vec<_>>(), OUTSIDE);
        rig.context.workspace = out.join("top");
        rig.context.rules.allowed = vec![out.join("top")];
        let before = tree(&out);
        Self { rig, out, before }
    }

    fn path(&self, case: &str) -> String {
        case.replace("$OUT", self.out.to_str().unwrap())
    }

    /// Everything is as it was, but for one file, which holds the new text.
    #[track_caller]
    fn check(&self, written: Option<&str>, message: &str) {
        let mut now = tree(&self.out);
        if let Some(written) = written {
            let path = Path::new("top").join(written);
            let text =
                fs::read_to_string(self.out.join(&path)).unwrap_or_else(|error| panic!("{message}: {error}"));
            assert_eq!(text, NEW, "{message}");
            for path in path.ancestors() {
                match self.before.get(path) {
                    Some(node) => now.insert(path.to_owned(), node.clone()),
                    None => now.remove(path),
                };
            }
        }
        assert!(now == self.before, "{message}: {:?}", difference(&self.before, &now));
    }

    async fn call(&self, tool: &str, args: Value) -> ToolOutput {
        self.rig.call(tool, args).await
    }
}

fn difference(before: &Tree, now: &Tree) -> Vec<PathBuf> {
    let changed = |(path, node): &(&PathBuf, &_)| before.get(*path) != Some(*node);
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    now.iter().filter(changed).map(|(path, _)| path).chain(gone).cloned().collect()
}

/// Every writing tool, with arguments that make the file hold the new text.
fn writers(path: &str, is_there: bool) -> Vec<(&'static str, Value)> {
    let (old, new) = (INSIDE.trim_end(), NEW.trim_end());
    let add = format!("*** Begin Patch\n*** Add File: {path}\n+{new}\n*** End Patch\n");
    let update = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n");
    let diff = format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n-{old}\n+{new}\n");
    let mut calls = vec![("file_write", json!({ "path": path, "content": NEW }))];
    if is_there {
        calls.push(("file_edit", json!({ "path": path, "edits": [{ "old": old, "new": new }] })));
        calls.push(("apply_patch", json!({ "patch": update })));
        calls.push(("apply_patch", json!({ "patch": diff })));
    } else {
        calls.push(("apply_patch", json!({ "patch": add })));
    }
    calls
}

/// What is inside, by a way through the kernel's own links.
const OF_THE_KERNEL: &[Case] =
    &[("procroot$OUT/top/etc/passwd", None, None), ("/proc/self/root$OUT/top/etc/passwd", None, None)];

#[test]
fn there_are_enough_cases() {
    assert!(CASES.len() >= 80, "{}", CASES.len());
}

#[tokio::test]
async fn s6_12_s11_9_writing_tools_write_inside_or_not_at_all() {
    check_writing(CASES).await;
}

#[tokio::test]
async fn s6_10_s6_12_reading_tools_read_inside_or_not_at_all() {
    check_reading(CASES).await;
}

#[tokio::test]
async fn s6_10_links_of_the_kernel_lead_nowhere_not_even_inside() {
    check_writing(OF_THE_KERNEL).await;
    check_reading(OF_THE_KERNEL).await;
}

async fn check_writing(cases: &[Case]) {
    for (case, written, _) in cases {
        // What a link to outside means is sought both as a file that is there and as one that is not.
        let there = written.map(|written| TREE.contains(&written));
        for is_there in [true, false] {
            if there.is_some_and(|there| there != is_there) {
                continue;
            }
            let count = writers("x", is_there).len();
            for index in 0..count {
                let forest = Forest::new();
                let path = forest.path(case);
                let (tool, args) = writers(&path, is_there).swap_remove(index);
                let output = forest.call(tool, args).await;
                assert_eq!(output.is_error, written.is_none(), "{tool} {case}: {output:?}");
                forest.check(*written, &format!("{tool} {case}"));
            }
        }
    }
}

async fn check_reading(cases: &[Case]) {
    let forest = Forest::new();
    for (case, _, read) in cases {
        let path = forest.path(case);
        let output = forest.call("file_read", json!({ "path": path })).await;
        assert_eq!(output.is_error, read.is_none(), "{case}: {output:?}");
        assert_eq!(output.for_model == INSIDE, read.is_some(), "{case}: {output:?}");
        // The other readers take a folder, too.
        for (tool, args) in [
            ("search", json!({ "path": path, "pattern": "the" })),
            ("find", json!({ "path": path, "pattern": "*" })),
            ("list", json!({ "path": path, "depth": 9 })),
        ] {
            let output = forest.call(tool, args).await;
            let told = &output.for_model;
            assert!(!told.contains("canary") && !told.contains("only_outside"), "{tool} {case}: {told}");
            if tool == "search" && read.is_some() {
                assert!(told.ends_with(&format!(":1:{INSIDE}")), "{case}: {told}");
            }
        }
    }
    forest.check(None, "reading");
}

#[tokio::test]
async fn s6_17_s6_18_s6_19_nothing_outside_is_met_on_the_way() {
    let forest = Forest::new();
    let search = forest.call("search", json!({ "pattern": "the" })).await.for_model;
    assert_eq!(search, format!("etc/passwd:1:{INSIDE}mnt/file:1:{INSIDE}"));
    let find = forest.call("find", json!({ "pattern": "*passwd*", "kind": "file" })).await.for_model;
    assert_eq!(find, "cheeky/abspasswd\ncheeky/passwd\netc/passwd\n");
    let list = forest.call("list", json!({ "depth": 9 })).await.for_model;
    assert!(list.contains("cheeky/absself@\ncheeky/dotdotlink@\n"), "{list}");
    assert!(!list.contains("only_outside"), "{list}");
}

/// Deleting and renaming are about the link itself, and that is not a file.
#[tokio::test]
async fn a_link_is_neither_deleted_nor_renamed() {
    let forest = Forest::new();
    for path in ["relsym", "abssym", "cheeky/passwd", "loop", "procexe"] {
        let delete = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch");
        let rename = format!("*** Begin Patch\n*** Update File: {path}\n*** Move to: other\n*** End Patch");
        for patch in [delete, rename] {
            assert!(forest.call("apply_patch", json!({ "patch": patch })).await.is_error, "{patch}");
            forest.check(None, &patch);
        }
    }
    let onto = "*** Begin Patch\n*** Update File: etc/passwd\n*** Move to: creatlink\n*** End Patch";
    assert!(forest.call("apply_patch", json!({ "patch": onto })).await.is_error);
    forest.check(None, onto);
}

#[tokio::test]
async fn a_link_of_the_kernel_is_told_as_one_wherever_it_leads() {
    let forest = Forest::new();
    let root = forest.path("/proc/self/root$OUT/etc/passwd");
    for path in ["/proc/self/cwd/not-there", "proccwd/not-there", "/proc/self/exe", &root] {
        let told = forest.call("file_read", json!({ "path": path })).await.for_model;
        assert!(told.contains("the path leads through a link of the kernel"), "{path}: {told}");
    }
    let told = forest.call("file_read", json!({ "path": "loop_one" })).await.for_model;
    assert!(told.contains("Too many levels of symbolic links"), "{told}");
}

#[tokio::test]
async fn a_loop_of_links_is_told_as_one() {
    let forest = Forest::new();
    for path in ["loop", "loop_one", "loop_folder/passwd"] {
        let told = forest.call("file_write", json!({ "path": path, "content": "x" })).await.for_model;
        assert!(told.contains("Too many levels of symbolic links") && !told.contains("leads out"), "{told}");
    }
}
