//! Blocks labelled `verify` in Markdown files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use candor_testkit::{Sweep, mutate};
use candor_verify::declare::{SOURCES, read};

use crate::declare::{told, workspace, write};

/// The commands of the checks that a file declares, and what is told.
fn declared(markdown: &str) -> (Vec<String>, Vec<String>) {
    let plan = read(workspace("AGENTS.md", markdown).path());
    (plan.checks.iter().map(|check| check.run.clone()).collect(), told(&plan))
}

#[track_caller]
fn check(markdown: &str, runs: &[&str], mistakes: &[&str]) {
    let (found, told) = declared(markdown);
    assert_eq!(found, runs, "{told:?}");
    assert_eq!(told.len(), mistakes.len(), "{told:#?}");
    for (told, part) in told.iter().zip(mistakes) {
        assert!(told.starts_with(part), "{told}");
    }
}

#[test]
fn blocks_with_any_of_the_labels_count() {
    for (open, close) in [
        ("```verify", "```"),
        ("```yaml verify", "```"),
        ("``` yml verify", "```"),
        ("```Verify", "```"),
        ("~~~verify", "~~~"),
        ("~~~~~ yaml verify  ", "~~~~~~"),
        ("  ```verify", " ```"),
    ] {
        check(&format!("# A\n\n{open}\nchecks:\n  - run: x\n{close}\nmore\n"), &["x"], &[]);
    }
}

#[test]
fn blocks_with_other_labels_do_not_count() {
    for label in ["", "yaml", "verify-not", "sh verify", "yaml title=verify", "json", "`verify`"] {
        check(&format!("```{label}\nchecks:\n  - run: x\n```\n"), &[], &[]);
    }
}

#[test]
fn what_a_reader_would_not_take_for_a_block_does_not_count() {
    // An example inside another block.
    check("````markdown\n```verify\nchecks:\n  - run: x\n```\n````\n", &[], &[]);
    check("~~~\n```verify\nchecks:\n  - run: x\n```\n~~~\n", &[], &[]);
    // Code by its indentation.
    check("text\n\n    ```verify\n    checks:\n      - run: x\n    ```\n", &[], &[]);
    // Commented out, quoted, within a line.
    check("<!--\n```verify\nchecks:\n  - run: x\n```\n-->\n", &[], &[]);
    check("> ```verify\n> checks:\n>   - run: x\n> ```\n", &[], &[]);
    check("see ```verify\nchecks:\n  - run: x\n```\n", &[], &[]);
}

#[test]
fn a_comment_of_one_line_hides_nothing_after_it() {
    check("<!-- x -->\n```verify\nchecks:\n  - run: x\n```\n", &["x"], &[]);
}

#[test]
fn blocks_in_lists_count() {
    check("1. First:\n\n   ```verify\n   checks:\n     - run: x\n   ```\n", &["x"], &[]);
    check("- a\n  - b\n\n    ```verify\n    checks:\n      - run: x\n    ```\n", &["x"], &[]);
    check("- ```verify\n  checks:\n    - run: x\n  ```\n", &["x"], &[]);
    check("*\ta\n\n\t```verify\n\tchecks:\n\t  - run: x\n\t```\n", &["x"], &[]);
}

#[test]
fn several_blocks_count_and_places_are_those_of_the_file() {
    let markdown = "# A\n\n```verify\nchecks:\n  - { run: x, kund: test }\n```\n\ntext\n\n  ~~~yaml verify\n  checks:\n    - { run: y }\n    - { runn: z }\n  ~~~\n";
    check(
        markdown,
        &["x", "y"],
        &["5:15 unknown key \"kund\"", "13:7 a check needs \"run\"", "13:9 unknown key \"runn\""],
    );
    let plan = read(workspace("AGENTS.md", markdown).path());
    assert_eq!(
        (plan.checks[1].source.file.as_path(), plan.checks[1].source.line),
        (Path::new("AGENTS.md"), Some(12))
    );
}

#[test]
fn a_mistake_in_one_block_leaves_the_others_alone() {
    check(
        "```verify\nchecks: [\n```\n```verify\nchecks:\n  - run: y\n```\n",
        &["y"],
        &["2:10 this is not valid YAML"],
    );
}

#[test]
fn a_block_that_nothing_closes_is_told_and_not_read() {
    check("a\n\n ```verify\n checks:\n   - run: x\n", &[], &["3:2 nothing closes this block"]);
    check("```verify", &[], &["1:1 nothing closes this block"]);
    check("```verify\nchecks:\n  - run: x\n~~~\n", &[], &["1:1 nothing closes this block"]);
    check("```sh\nno end\n", &[], &[]);
    check("```verify\n```\n", &[], &[]);
    check("```verify\nchecks:\n  - run: x\n```", &["x"], &[]);
}

#[test]
fn blocks_are_bounded() {
    let (runs, told) = declared(&"```verify\nchecks:\n  - run: x\n```\n".repeat(30));
    assert_eq!((runs.len(), told.len()), (20, 1), "{told:?}");
    assert!(told[0].starts_with("81:1 these are more than 20 blocks"), "{told:?}");
}

#[test]
fn only_the_file_of_our_own_turns_detection_off_or_lets_probes_out() {
    let plan =
        read(workspace("AGENTS.md", "```verify\nonly_declared: true\nremote_probes: true\n```\n").path());
    assert!(!plan.only_declared && !plan.remote_probes);
    let told = told(&plan);
    assert!(told[0].starts_with("2:1 \"only_declared\" counts in .candor/verify.yaml only"), "{told:?}");
    assert!(told[1].starts_with("3:1 \"remote_probes\" counts"), "{told:?}");
    let plan = read(workspace(".candor/verify.yaml", "only_declared: true\nremote_probes: true\n").path());
    assert!(plan.only_declared && plan.remote_probes);
}

#[test]
fn every_source_is_read_and_the_first_to_give_a_name_wins() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ".candor/verify.yaml", "checks:\n  - { name: a, run: own }\n");
    for (file, name) in [("AGENTS.md", "b"), (".sdd/project.md", "c"), (".sdd/architect.md", "d")] {
        let text = format!(
            "```verify\nchecks:\n  - {{ name: a, run: other }}\n  - {{ name: {name}, run: x }}\n```\n"
        );
        write(folder.path(), file, text);
    }
    let plan = read(folder.path());
    let names: Vec<_> = plan.checks.iter().map(|check| (check.name.as_str(), check.run.as_str())).collect();
    assert_eq!(names, [("a", "own"), ("b", "x"), ("c", "x"), ("d", "x")]);
    assert_eq!(plan.problems, []);
    assert_eq!(plan.notes.len(), 3);
    assert_eq!(plan.notes[0], "\"a\" in AGENTS.md:3 is left out: .candor/verify.yaml:2 declares that name");
    assert!(
        plan.checks.iter().all(|check| SOURCES.iter().any(|source| check.source.file == Path::new(source)))
    );
}

#[test]
fn what_has_no_name_gets_one_of_its_own_whichever_file_it_stands_in() {
    let folder = workspace(".candor/verify.yaml", "checks:\n  - { run: a, kind: test }\n");
    write(
        folder.path(),
        "AGENTS.md",
        "```verify\nchecks:\n  - { run: b, kind: test }\n  - { run: c, name: test }\n```\n",
    );
    let plan = read(folder.path());
    let names: Vec<_> = plan.checks.iter().map(|check| (check.name.as_str(), check.run.as_str())).collect();
    assert_eq!(names, [("test 2", "a"), ("test 3", "b"), ("test", "c")]);
    assert_eq!(plan.notes, Vec::<String>::new());
}

#[test]
fn all_files_together_are_bounded() {
    let block = format!("```verify\nchecks:\n{}```\n", "  - run: x\n".repeat(60));
    let plan = read(workspace("AGENTS.md", block.repeat(3)).path());
    assert_eq!(plan.checks.len(), 100);
    assert!(
        plan.notes[0].contains("is left out: 100 of its kind are declared before it"),
        "{:?}",
        plan.notes
    );
}

/// It is there for other reasons, and no mistake that would have to be corrected.
#[test]
fn a_markdown_file_that_cannot_be_read_is_noted() {
    let folder = workspace("AGENTS.md", b"\xff");
    let outside = workspace("a.md", "");
    fs::create_dir(folder.path().join(".sdd")).unwrap();
    symlink(outside.path().join("a.md"), folder.path().join(".sdd/project.md")).unwrap();
    write(folder.path(), ".sdd/architect.md", "a\n".repeat(1 << 20));
    let plan = read(folder.path());
    assert_eq!(plan.problems, []);
    let parts = [
        ("AGENTS.md", "not UTF-8"),
        (".sdd/project.md", "a link that leads out"),
        (".sdd/architect.md", "larger than"),
    ];
    assert_eq!(plan.notes.len(), parts.len());
    for (note, (file, why)) in plan.notes.iter().zip(parts) {
        assert!(
            note.starts_with(&format!("{file} is not searched for declarations")) && note.contains(why),
            "{note}"
        );
    }
}

#[test]
fn sweep_verify_blocks_mutated() {
    let seed = "# A\n\n- a\n\n  ```yaml verify\n  checks:\n    - { run: x, kind: test }\n  ```\n\n<!-- b -->\n~~~verify\nservices:\n  - command: y\n~~~\n";
    let folder = workspace("AGENTS.md", "");
    let mut sweep = Sweep::start("verify_blocks_mutated");
    while sweep.goes_on() {
        let text = mutate(sweep.rng(), seed.as_bytes());
        write(folder.path(), "AGENTS.md", &text);
        let lines = String::from_utf8_lossy(&text).replace("\r\n", "\n").split(['\n', '\r']).count();
        let plan = read(folder.path());
        assert!(plan.problems.iter().all(|problem| problem.line as usize <= lines), "{:#?}", told(&plan));
    }
}
