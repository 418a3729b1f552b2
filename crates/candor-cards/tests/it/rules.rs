//! Our own rules: every example gives the card that it says.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use candor_cards::{Checked, RuleBase, check};
use candor_protocol::Code;

/// What the rules must at least be.
const RULES_MIN: usize = 300;
const GIT_RULES_MIN: usize = 50;

fn files() -> Vec<(String, String)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    let named = |path: PathBuf| {
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
    };
    paths.into_iter().map(named).collect()
}

/// With all rules in force, so that none takes what another one explains better.
#[test]
fn every_example_of_every_rule_gives_its_card() {
    let mut wrong = Vec::new();
    let (mut rules, mut seen, mut read) = (0, 0, 0);
    let base = RuleBase::built_in();
    for (name, text) in files() {
        let checked: Checked = check(&text, |_| &base);
        wrong.extend(
            checked.problems.iter().map(|problem| format!("{name}.yaml:{}: {}", problem.line, problem.text)),
        );
        if name == "git" {
            assert!(checked.rules >= GIT_RULES_MIN, "git has {} rules", checked.rules);
        }
        rules += checked.rules;
        seen += checked.examples_run;
        read += checked.examples_docs;
    }
    println!("figure: {rules} rules; {seen} examples from real runs, {read} from documentation");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rules >= RULES_MIN, "{rules} rules");
    assert_eq!(RuleBase::built_in().len(), rules, "all of them are compiled in");
}

/// Two failures under one code would have two texts.
#[test]
fn no_rule_has_a_code_of_the_catalogue() {
    let base = RuleBase::built_in();
    let ours: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let both: Vec<&str> =
        base.rules().map(|(_, rule)| rule.code.as_str()).filter(|code| ours.contains(code)).collect();
    assert!(both.is_empty(), "{both:?}");
}

/// A code has one class and one title, whichever rule gives it.
#[test]
fn rules_that_share_a_code_share_its_class() {
    let base = RuleBase::built_in();
    let rules: Vec<_> = base.rules().map(|(_, rule)| rule).collect();
    let mut wrong = BTreeSet::new();
    for rule in &rules {
        let other = rules.iter().find(|other| other.code == rule.code && other.class != rule.class);
        wrong.extend(other.map(|other| format!("{}: {} and {}", rule.code, rule.class, other.class)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A short output is looked through in another way than a long one.
#[test]
fn a_short_and_a_long_output_find_the_same_rule() {
    use candor_cards::{Command, Failed, Given, How, explain};
    let failure = "fatal: not a git repository (or any of the parent directories): .git\n";
    let long = "nothing to see here\n".repeat(5_000) + failure;
    let command = Command::line("git status");
    let cards = [failure, &long].map(|stderr| {
        let failed = Failed { command: &command, how: How::Exited(128), stdout: "", stderr };
        explain(&failed, &RuleBase::built_in(), &Given::default()).card
    });
    assert_eq!(cards[0].code, "GIT_NOT_A_REPOSITORY");
    assert_eq!(cards[0], cards[1]);
}

/// The first step for a command whose file has this near neighbour.
fn first_step(line: &str, output: &str, neighbour: &str) -> String {
    use candor_cards::{Command, Failed, Given, How, explain};
    let command = Command::line(line);
    let failed = Failed { command: &command, how: How::Exited(1), stdout: "", stderr: output };
    explain(&failed, &RuleBase::built_in(), &Given::new([(neighbour, "")])).card.steps[0].to_string()
}

/// Only the word that was meant is replaced, and only as a whole.
#[test]
fn a_corrected_command_differs_in_that_word_alone() {
    let missing = |name: &str| format!("cat: {name}: No such file or directory\n");
    assert_eq!(first_step("cat notse.txt", &missing("notse.txt"), "notes.txt"), "Run: cat notes.txt");
    assert_eq!(first_step("cat cat", &missing("cat"), "cats"), "Run: cat cats");
    assert_eq!(
        first_step("cat note.txt > a-note.txt", &missing("note.txt"), "notes.txt"),
        "Run: cat notes.txt > a-note.txt"
    );
    // Between quotes that are there, a name that needs quotes of its own cannot stand.
    let quoted = first_step("cat \"report.txt\"", &missing("report.txt"), "report`x`.txt");
    assert!(!quoted.contains('`'), "{quoted}");
}

/// With the wrong file they would do harm.
#[test]
fn commands_that_change_a_file_are_not_corrected_to_another_file() {
    for program in ["rm", "mv", "chmod"] {
        let line = format!("{program} notse.txt x");
        let output = format!("{program}: cannot access 'notse.txt': No such file or directory\n");
        let step = first_step(&line, &output, "notes.txt");
        assert!(!step.contains("notes.txt"), "{step}");
    }
}
