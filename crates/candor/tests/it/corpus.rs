//! Failures that real programs really produce here: each must get a card of its own, and most first steps must repair them.
#![expect(clippy::disallowed_methods, reason = "real programs are started as somebody would")]

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;

use candor_testkit::{Candor, Home};
use serde::Deserialize;
use serde_json::Value;

/// What the corpus must at least be, and what must at least come of it.
const CASES_MIN: usize = 150;
const SPECIFIC_PERCENT_MIN: usize = 95;
const REPAIRED_PERCENT_MIN: usize = 80;

/// Most cases wait for a process more than they compute.
const AT_ONCE: usize = 4;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    setup: String,
    run: String,
    code: String,
    /// What tells that it is repaired; else the command itself must work.
    #[serde(default)]
    repaired: Option<String>,
    /// The first step is the corrected command: that it works is the repair.
    #[serde(default)]
    corrected: bool,
    /// No command can repair it. It counts as not repaired.
    #[serde(default)]
    unrepairable: bool,
}

/// What came of a case.
struct Came {
    specific: bool,
    repaired: bool,
    /// What is not as the case says.
    wrong: Option<String>,
}

fn cases() -> Vec<Case> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read =
        |path: PathBuf| -> Vec<Case> { serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap() };
    paths.into_iter().flat_map(read).collect()
}

/// The same environment for the setup, the command, its first step and the check.
fn environment(home: &Home) -> Vec<(&'static str, String)> {
    let mut variables: Vec<(&str, String)> = [
        ("LC_ALL", "C.UTF-8"),
        ("GIT_AUTHOR_NAME", "T"),
        ("GIT_AUTHOR_EMAIL", "t@example.com"),
        ("GIT_COMMITTER_NAME", "T"),
        ("GIT_COMMITTER_EMAIL", "t@example.com"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("CARGO_NET_OFFLINE", "true"),
        ("npm_config_update_notifier", "false"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into();
    variables.push(("HOME", home.user().display().to_string()));
    variables.push(("TMPDIR", home.tmp().display().to_string()));
    // Where cargo and rustup keep what they need, which is not below the new home.
    for name in ["CARGO_HOME", "RUSTUP_HOME"] {
        let below = if name == "CARGO_HOME" { ".cargo" } else { ".rustup" };
        let usual = std::env::var_os("HOME").map(|home| Path::new(&home).join(below).display().to_string());
        variables.extend(std::env::var(name).ok().or(usual).map(|value| (name, value)));
    }
    variables
}

fn sh(line: &str, home: &Home) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(home.workspace()).env_clear().stdin(Stdio::null());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(environment(home)).output().unwrap()
}

fn try_case(case: &Case) -> Came {
    let home = Home::new();
    let wrong = |text: String| Came {
        specific: false,
        repaired: false,
        wrong: Some(format!("{}: {text}", case.name)),
    };
    let setup = sh(&format!("set -e\n{}", case.setup), &home);
    if !setup.status.success() {
        return wrong(format!("the setup failed: {}", String::from_utf8_lossy(&setup.stderr)));
    }
    let mut card = Candor::new(env!("CARGO_BIN_EXE_candor"), &home);
    for (name, value) in environment(&home) {
        card = card.env(name, value);
    }
    let out = home.tmp().join("results.jsonl");
    let ran =
        card.args(["card", "--json", "--out", out.to_str().unwrap(), "--", "sh", "-c", &case.run]).run();
    let record: Value = serde_json::from_str(ran.stdout.trim()).unwrap_or_default();
    if record["success"] != false {
        return wrong(format!("it did not fail: {ran}"));
    }
    let card = &record["error_card"];
    let specific = card["source"] != "generic";
    let first = &card["steps"][0];
    let mut result = Came { specific, repaired: false, wrong: None };
    if card["code"] != case.code.as_str() {
        result.wrong = Some(format!("{}: the card is {}, expected {}", case.name, card["code"], case.code));
    }
    if let (Some("run"), Some(step)) = (first["kind"].as_str(), first["command"].as_str()) {
        let stepped = sh(step, &home);
        let repaired = || sh(case.repaired.as_deref().unwrap_or(&case.run), &home).status.success();
        result.repaired = stepped.status.success() && (case.corrected || repaired());
    }
    if !result.repaired && !case.unrepairable && result.wrong.is_none() {
        result.wrong = Some(format!("{}: the first step does not repair it: {first}", case.name));
    }
    result
}

#[test]
fn corpus_of_failures_that_real_programs_produce() {
    let cases = cases();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    let programs: BTreeSet<&str> =
        cases.iter().flat_map(|case| case.needs.iter().map(String::as_str)).collect();
    let missing: Vec<&&str> = programs.iter().filter(|program| which(program).is_none()).collect();
    assert!(missing.is_empty(), "`cargo xtask test` installs what is missing here: {missing:?}");
    let queue: Mutex<VecDeque<&Case>> = Mutex::new(cases.iter().collect());
    let came: Mutex<Vec<Came>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = { queue.lock().unwrap().pop_front() } {
                    let result = try_case(case);
                    came.lock().unwrap().push(result);
                }
            });
        }
    });
    let came = came.into_inner().unwrap();
    let (total, specific) = (came.len(), came.iter().filter(|came| came.specific).count());
    let repaired = came.iter().filter(|came| came.repaired).count();
    let wrong: Vec<&str> = came.iter().filter_map(|came| came.wrong.as_deref()).collect();
    println!(
        "figure: {total} failures of real programs: {specific} specific ({}%), {repaired} repaired by the first step ({}%)",
        specific * 100 / total,
        repaired * 100 / total
    );
    assert!(wrong.is_empty(), "{} of {total} are not as they say:\n{}", wrong.len(), wrong.join("\n"));
    assert!(total >= CASES_MIN);
    assert!(specific * 100 >= total * SPECIFIC_PERCENT_MIN);
    assert!(repaired * 100 >= total * REPAIRED_PERCENT_MIN);
}

fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|file| file.is_file())
}
