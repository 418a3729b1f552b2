//! The commands of a plan, run: they pass on what is right, fail on what is broken, and leave nothing behind.
//!
//! A program that this machine does not have leaves its case out; the test says so.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_sandbox::{Ended, How, Sandbox, Spec, Stdin, run};
use candor_verify::detect::detect;
use candor_verify::detect::lack::{Lack, lack};
use candor_verify::plan::{Check, CheckKind};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::tree::{add, tree};

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

async fn shell(line: &str, cwd: &Path, env: &[(String, String)]) -> Ended {
    let home = TempDir::new().unwrap();
    let mut all =
        vec![("PATH".to_owned(), PATH.to_owned()), ("HOME".to_owned(), home.path().display().to_string())];
    all.extend(env.iter().cloned());
    let spec = Spec {
        program: PathBuf::from("/bin/sh"),
        args: vec!["-c".into(), line.into()],
        cwd: cwd.to_owned(),
        env: all,
        timeout: Duration::from_secs(120),
        output_bytes_max: 64 * 1024,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    };
    run(&spec, &Sandbox::bare(), &CancellationToken::new()).await.unwrap()
}

fn passed(ended: &Ended) -> bool {
    matches!(ended.how, How::Exited(0))
}

fn said(ended: &Ended) -> String {
    format!("{}{}", ended.stdout.text(), ended.stderr.text())
}

async fn has(program: &str) -> bool {
    passed(&shell(&format!("command -v {program}"), Path::new("/"), &[]).await)
}

/// All files below a folder.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.insert(path);
            }
        }
    }
    found
}

/// The checks of a folder that this machine can run.
async fn possible(folder: &Path) -> Vec<Check> {
    let mut found = Vec::new();
    for check in detect(folder).checks.into_iter().filter(|check| check.kind != CheckKind::Install) {
        let mut is_possible = true;
        for program in &check.needs {
            is_possible &= has(program).await;
        }
        if is_possible {
            found.push(check);
        } else {
            eprintln!("left out: {} needs {:?}", check.name, check.needs);
        }
    }
    found
}

/// Runs all checks of a project as it is, then with these files changed: all must pass, then this one must fail and say this.
async fn good_and_broken(
    good: &[(&str, &str)],
    broken: &[(&str, &str)],
    name: &str,
    says: &str,
    leaves: &[&str],
) {
    let folder = tree(good);
    let before = files(folder.path());
    for check in possible(folder.path()).await {
        let ended = shell(&check.run, &folder.path().join(&check.cwd), &check.env).await;
        assert!(passed(&ended), "{}: {:?} {}", check.run, ended.how, said(&ended));
        assert_eq!(lack(&said(&ended), folder.path(), folder.path()), None);
    }
    let left: Vec<PathBuf> = files(folder.path())
        .difference(&before)
        .filter_map(|file| file.strip_prefix(folder.path()).ok())
        .filter(|file| !leaves.iter().any(|known| file.starts_with(known)))
        .map(Path::to_owned)
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    add(folder.path(), broken);
    let checks = possible(folder.path()).await;
    let Some(check) = checks.iter().find(|check| check.name == name) else { return };
    let ended = shell(&check.run, &folder.path().join(&check.cwd), &check.env).await;
    assert!(!passed(&ended), "{} passes on what is broken", check.run);
    assert!(said(&ended).contains(says), "{}: {}", check.run, said(&ended));
}

#[tokio::test]
async fn python_syntax() {
    let good = [
        ("a.py", "x = 1\n"),
        ("p/b.py", "y = 2\n"),
        ("it's a.py", ""),
        ("fixtures/bad.py", "def ("),
        ("venv/x.py", "def ("),
    ];
    good_and_broken(&good, &[("p/b.py", "def f(:\n")], "python syntax", "p/b.py", &[]).await;
}

#[tokio::test]
async fn python_unittest() {
    let good = [
        ("calc.py", "def add(a, b):\n    return a + b\n"),
        (
            "tests/test_calc.py",
            "import unittest\nfrom calc import add\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
        ),
    ];
    good_and_broken(
        &good,
        &[("calc.py", "def add(a, b):\n    return a - b\n")],
        "unittest",
        "AssertionError",
        &[],
    )
    .await;
}

#[tokio::test]
async fn tests_for_pytest_lack_it_where_it_is_missing() {
    let folder = tree(&[("a.py", ""), ("test_a.py", "def test_a():\n    assert True\n")]);
    let plan = detect(folder.path());
    let check = plan.checks.iter().find(|check| check.name == "pytest").unwrap();
    if !has("python3").await {
        return;
    }
    let ended = shell(&check.run, folder.path(), &check.env).await;
    if !passed(&ended) {
        assert_eq!(
            lack(&said(&ended), folder.path(), folder.path()),
            Some(Lack::Program("pytest".to_owned())),
            "{}",
            said(&ended)
        );
    }
}

#[tokio::test]
async fn node_syntax_and_tests() {
    let good = [
        ("package.json", "{\"scripts\": {\"test\": \"node --test\"}}"),
        ("add.js", "exports.add = (a, b) => a + b;\n"),
        ("add.test.js", "require('node:assert').equal(require('./add').add(1, 2), 3);\n"),
        ("esm.mjs", "import fs from 'node:fs';\nexport default fs;\n"),
    ];
    good_and_broken(&good, &[("add.js", "exports.add = (a, b => a;\n")], "node syntax", "SyntaxError", &[])
        .await;
    good_and_broken(
        &good,
        &[("add.js", "exports.add = (a, b) => a - b;\n")],
        "npm test",
        "AssertionError",
        &[],
    )
    .await;
}

#[tokio::test]
async fn shell_and_perl_syntax() {
    let good = [("a.sh", "#!/bin/sh\nif true; then echo a; fi\n"), ("b.sh", "#!/bin/bash\na=(1 2)\n")];
    good_and_broken(&good, &[("a.sh", "#!/bin/sh\nif true; then\n")], "sh syntax", "a.sh", &[]).await;
    let good = [("a.pl", "use strict;\nprint 1;\n"), ("t/a.t", "print \"1..1\\nok 1\\n\";\n")];
    good_and_broken(&good, &[("a.pl", "print (;\n")], "perl syntax", "a.pl", &[]).await;
    good_and_broken(&good, &[("t/a.t", "print \"1..1\\nnot ok 1\\n\";\n")], "prove", "a.t", &[]).await;
}

#[tokio::test]
async fn c_by_hand_by_make_and_by_cmake() {
    let main = "#include <stdio.h>\nint main(void) { puts(\"a\"); return 0; }\n";
    good_and_broken(
        &[("a.c", main)],
        &[("a.c", "int main(void) { return x; }\n")],
        "compile and link",
        "a.c",
        &[],
    )
    .await;
    let make = "a: a.c\n\tcc -o a a.c\n\ntest: a\n\t./a\n";
    good_and_broken(
        &[("a.c", main), ("Makefile", make)],
        &[("a.c", "int main(void) { return 1; }\n")],
        "make test",
        "Error 1",
        &["a"],
    )
    .await;
    let cmake = "cmake_minimum_required(VERSION 3.10)\nproject(a C)\nadd_executable(a a.c)\nenable_testing()\nadd_test(NAME a COMMAND a)\n";
    good_and_broken(
        &[("a.c", main), ("CMakeLists.txt", cmake)],
        &[("a.c", "int main(void) { return x; }\n")],
        "cmake build",
        "a.c",
        &[".candor"],
    )
    .await;
}

#[tokio::test]
async fn java_by_hand() {
    let good = [
        ("A.java", "public class A { public static void main(String[] a) { B.b(); } }\n"),
        ("B.java", "class B { static void b() {} }\n"),
    ];
    good_and_broken(&good, &[("B.java", "class B { static void c() {} }\n")], "javac", "A.java", &[]).await;
}

#[tokio::test]
async fn go_modules_and_files() {
    let good = [
        ("go.mod", "module a\n\ngo 1.20\n"),
        ("main.go", "package main\n\nfunc main() {}\n\nfunc one() int { return 1 }\n"),
        (
            "a_test.go",
            "package main\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif one() != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
        ),
    ];
    good_and_broken(
        &good,
        &[("main.go", "package main\n\nfunc main() {}\n\nfunc one() int { return 2 }\n")],
        "go test",
        "FAIL",
        &[],
    )
    .await;
}
