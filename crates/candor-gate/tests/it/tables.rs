//! The two tables: what must not pass, and what must not be in the way.
//!
//! A line is `verdict<TAB>command`; `stop` means anything but allow. What must not pass is tried by its effect, too, in the tests
//! of the tools.

use candor_gate::{Lists, Verdict};

use crate::cases::cases;
use crate::scene::judge_with;

const BYPASS: &str = include_str!("bypass.tsv");
const BENIGN: &str = include_str!("benign.tsv");

#[test]
fn r26_no_bypass_is_allowed() {
    let cases = cases(BYPASS);
    assert!(cases.len() >= 400, "only {} cases", cases.len());
    let wrong = wrong(&cases);
    println!(
        "figure: bypass table: {} commands that must not pass, {} came out wrong",
        cases.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{} of {} came out wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn r26_ordinary_work_is_allowed() {
    let cases = cases(BENIGN);
    assert!(cases.len() >= 1_000, "only {} cases", cases.len());
    let wrong = wrong(&cases);
    println!("figure: bypass table: {} ordinary commands, {} came out wrong", cases.len(), wrong.len());
    assert!(wrong.is_empty(), "{} of {} came out wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn no_case_stands_in_a_table_twice() {
    for table in [BYPASS, BENIGN] {
        let mut commands: Vec<String> = cases(table).into_iter().map(|case| case.1).collect();
        let count = commands.len();
        commands.sort();
        commands.dedup();
        assert_eq!(commands.len(), count);
    }
}

fn wrong(cases: &[(&str, String)]) -> Vec<String> {
    let lists = Lists::default();
    let mut wrong = Vec::new();
    for (expected, command) in cases {
        let found = judge_with(&lists, command);
        let is_right = match *expected {
            "allow" => found.verdict == Verdict::Allow,
            "ask" => found.verdict == Verdict::Ask,
            "deny" => found.verdict == Verdict::Deny,
            "stop" => found.verdict != Verdict::Allow,
            other => panic!("no verdict: {other}"),
        };
        if !is_right {
            wrong.push(format!("{expected}, not {:?} ({}): {command:?}", found.verdict, found.rule));
        }
    }
    wrong
}
