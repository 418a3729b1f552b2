//! What must hold whatever lies in a workspace.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Instant;

use candor_verify::detect::detect;
use candor_verify::plan::CheckKind;
use proptest::prelude::*;

use crate::tree::{add, plan, runs, tree};

#[test]
fn a_folder_full_of_data_hides_no_manifest_and_is_told() {
    let folder = tree(&[("package.json", r#"{"scripts": {"test": "x"}}"#)]);
    for number in 0..30_000 {
        fs::File::create(folder.path().join(format!("data-{number:05}.bin"))).unwrap();
    }
    let started = Instant::now();
    let found = detect(folder.path());
    eprintln!("30,000 files: {:?}", started.elapsed());
    assert_eq!(runs(&found, CheckKind::Test), ["npm test --silent"]);
    assert!(found.notes.iter().any(|note| note.contains("many entries")), "{:?}", found.notes);
}

#[test]
fn many_folders_are_cut_off_and_told() {
    let folder = tree(&[("a.sh", "true")]);
    for outer in 0..150 {
        for inner in 0..150 {
            fs::create_dir_all(folder.path().join(format!("d{outer}/e{inner}"))).unwrap();
        }
    }
    let found = detect(folder.path());
    assert_eq!(runs(&found, CheckKind::Syntax).len(), 1);
    assert!(found.notes.iter().any(|note| note.contains("20000")), "{:?}", found.notes);
}

#[test]
fn links_are_not_followed_and_loops_have_an_end() {
    let outside = tree(&[("Cargo.toml", "[package]\nname = \"x\"")]);
    let folder = tree(&[("a.sh", "true")]);
    symlink(folder.path(), folder.path().join("loop")).unwrap();
    symlink(outside.path(), folder.path().join("outside")).unwrap();
    symlink(outside.path().join("Cargo.toml"), folder.path().join("Cargo.toml")).unwrap();
    assert_eq!(detect(folder.path()).stacks, ["shell"]);
}

#[test]
fn what_is_brought_or_built_is_not_looked_into() {
    for skipped in
        ["node_modules", "target", ".venv", "venv", "vendor", "dist", "build", "__pycache__", ".git"]
    {
        let found = plan(&[
            (&format!("{skipped}/x/Cargo.toml"), "[package]\nname = \"x\""),
            (&format!("{skipped}/a.py"), "x = 1"),
        ]);
        assert!(found.checks.is_empty(), "{skipped}: {:?}", found.checks);
    }
}

#[test]
fn folders_deeper_than_six_are_left_out_and_told() {
    let found = plan(&[("a/b/c/d/e/f/g/h/Cargo.toml", "[package]\nname = \"x\"")]);
    assert!(found.checks.is_empty());
    assert!(found.notes.iter().any(|note| note.contains("deep")), "{:?}", found.notes);
}

#[test]
fn large_files_are_not_read() {
    let large = format!("HTTPServer(x, y).serve_forever()\n{}", "# x\n".repeat(300_000));
    assert!(plan(&[("server.py", &large)]).services.is_empty());
    let found = plan(&[("package.json", &format!("{{\"a\": \"{}\"}}", "x".repeat(1_100_000)))]);
    assert_eq!((found.problems[0].line, found.problems[0].column), (0, 0));
}

#[test]
fn a_plan_has_at_most_forty_checks_and_ten_services() {
    let folder = tree(&[]);
    for number in 0..30 {
        add(
            folder.path(),
            &[
                (
                    &format!("p{number:02}/package.json"),
                    r#"{"scripts": {"test": "x", "lint": "y", "start": "node server.js"}}"#,
                ),
                (&format!("p{number:02}/server.js"), "require('http').createServer(f).listen(1)"),
            ],
        );
    }
    let found = detect(folder.path());
    assert_eq!((found.checks.len(), found.services.len()), (40, 10));
    assert!(found.notes.iter().any(|note| note.contains("checks were left out")), "{:?}", found.notes);
    assert!(
        found.notes.iter().any(|note| note == "20 services were left out: 10 are kept"),
        "{:?}",
        found.notes
    );
    let mut names: Vec<_> = found.checks.iter().map(|check| &check.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 40, "names are unique");
}

#[test]
fn names_that_a_shell_would_act_on_are_quoted() {
    let found = plan(&[("a b; rm -rf x.sh", "true")]);
    assert_eq!(
        runs(&found, CheckKind::Syntax),
        ["s=0; for f in 'a b; rm -rf x.sh'; do sh -n \"$f\" || s=1; done; exit $s"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn no_contents_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in any::<String>()) {
        let folder = tree(&[]);
        for name in ["package.json", "Cargo.toml", "pyproject.toml", "Makefile", "compose.yaml", "a.py", "a.js", "main.go", "A.java", "a.rb", "a.php", "a.pl", "a.sh", "a.c", "Procfile", "deno.json", "tsconfig.json", ".github/workflows/a.yml", "openapi.json", "index.html", "Taskfile.yml"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if name.len() % 2 == 0 { fs::write(path, &bytes).unwrap() } else { fs::write(path, &text).unwrap() }
        }
        let _ = detect(folder.path());
    }

    #[test]
    fn no_mixture_of_what_sources_have_makes_it_panic(text in r#"(@app\.route\("/x"\)|def do_GET|app\.get\('/|\$\{|"""|'|"|`|/\*|//|#|\n|\\|while True|é|\.listen\(|FileHandler\("|environ\[|: |\{|\}){0,60}"#) {
        let folder = tree(&[("bot.py", &text), ("server.js", &text), ("worker.sh", &text), ("main.go", &text), ("S.java", &text), ("justfile", &text), ("deno.jsonc", &text)]);
        let _ = detect(folder.path());
    }
}
