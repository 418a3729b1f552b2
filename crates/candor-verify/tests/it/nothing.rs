//! Checks that do nothing, and prove nothing.

use candor_protocol::VerdictStatus;
use candor_verify::plan::CheckKind::{Build, Lint, Test};

use crate::rig::{Site, seen, status};
use crate::tree::{plan, runs};

fn checks(lines: &str) -> String {
    format!("checks:\n{lines}")
}

#[tokio::test]
async fn what_does_nothing_proves_nothing() {
    for idle in ["true", ":", "echo all tests passed", "exit 0", "echo ok && exit 0", "printf done; true"] {
        let yaml = checks(&format!("  - {{ name: unit, run: '{idle}', kind: test }}\n"));
        let verified = Site::declaring(&yaml, &[]).verify().await;
        assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{idle}: {:?}", seen(&verified));
        let note = format!(".candor/verify.yaml:2: unit ({idle}) is left out, because it does nothing");
        assert_eq!(verified.report.notes, [note]);
    }
    for does in ["echo x > made", "echo $(cat said)", "echo x | grep x", "test -d ."] {
        let yaml = checks(&format!("  - {{ name: unit, run: '{does}', kind: test }}\n"));
        let verified = Site::declaring(&yaml, &[("said", "x")]).verify().await;
        assert_eq!(status(&verified), VerdictStatus::Verified, "{does}: {:?}", seen(&verified));
    }
}

#[tokio::test]
async fn a_check_of_a_block_that_does_nothing_proves_nothing() {
    let block = "```verify\nchecks:\n  - { name: unit, run: 'true', kind: test }\n```\n";
    let verified = Site::new(&[("AGENTS.md", block)]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", seen(&verified));
}

#[test]
fn scripts_that_do_nothing_are_no_checks() {
    let found = plan(&[(
        "package.json",
        r#"{"scripts": {"test": "npm run unit", "unit": "true", "build": "echo ok", "lint": "echo && eslint ."}}"#,
    )]);
    assert!(runs(&found, Test).is_empty() && runs(&found, Build).is_empty());
    assert_eq!(
        found.notes,
        [
            "package.json: the script build is not run, because it does nothing",
            "package.json: the script test is not run, because it does nothing",
        ]
    );
    assert_eq!(runs(&found, Lint), ["npm run --silent lint"]);
    let found = plan(&[("package.json", r#"{"scripts": {"pretest": "node a.js", "test": "true"}}"#)]);
    assert_eq!(runs(&found, Test), ["npm test --silent"], "what runs before it does something");
}

#[test]
fn targets_that_do_nothing_are_no_checks() {
    for recipe in ["@true", "@echo fine", ":", "exit 0", "# later\n\t-@echo none"] {
        let found = plan(&[("Makefile", &format!("test:\n\t{recipe}\n"))]);
        assert!(runs(&found, Test).is_empty(), "{recipe}");
        assert_eq!(found.notes, ["Makefile: test is not run, because it does nothing"], "{recipe}");
    }
    let found = plan(&[("Makefile", "test: unit\n\t@echo done\nunit:\n\t@true\n")]);
    assert!(runs(&found, Test).is_empty());
    let found = plan(&[("Makefile", "test: unit\n\t@echo done\nunit:\n\tsh unit.sh\n")]);
    assert_eq!(runs(&found, Test), ["make -s test"], "what it leans on does something");
    let found = plan(&[("Makefile", "test: build/unit\n\t@echo done\n")]);
    assert_eq!(runs(&found, Test), ["make -s test"], "that may be made by a rule elsewhere");
    let found = plan(&[("Taskfile.yml", "version: '3'\ntasks:\n  test:\n    cmds: [echo ok]\n")]);
    assert!(runs(&found, Test).is_empty());
    let found = plan(&[(
        "Taskfile.yml",
        "version: '3'\ntasks:\n  test:\n    deps: [unit]\n  unit:\n    cmds: [sh unit.sh]\n",
    )]);
    assert_eq!(runs(&found, Test), ["task --silent test"]);
}

#[tokio::test]
async fn a_build_that_ends_well_whatever_fails_proves_nothing() {
    for hushed in
        ["test -d no-such || true", "false; exit 0", "false || echo failed", "false\n      echo done"]
    {
        let yaml = checks(&format!("  - name: all\n    kind: build\n    run: |\n      {hushed}\n"));
        let verified = Site::declaring(&yaml, &[]).verify().await;
        assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{hushed}: {:?}", seen(&verified));
        assert!(
            verified.report.notes[0].ends_with("is left out, because it ends well whatever fails"),
            "{hushed}"
        );
    }
    for honest in ["test -d . && echo done", "echo begin; test -d .", "set -e; test -d .; echo done"] {
        let yaml = checks(&format!("  - {{ name: all, run: '{honest}', kind: build }}\n"));
        let verified = Site::declaring(&yaml, &[]).verify().await;
        assert_eq!(status(&verified), VerdictStatus::Verified, "{honest}: {:?}", seen(&verified));
    }
    let found = plan(&[("package.json", r#"{"scripts": {"build": "tsc || true"}}"#)]);
    assert!(runs(&found, Build).is_empty());
    assert_eq!(
        found.notes,
        ["package.json: the script build is not run, because it ends well whatever fails"]
    );
}
