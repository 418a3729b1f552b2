//! What the commands print.

use candor_testkit::{Candor, Home};
use serde_json::Value;

use super::{home, ids, run, synced};
use crate::rig::candor;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn from_nothing_to_a_text_in_four_commands() {
    let home = home();
    run(&home, "ctx create")
        .ok()
        .stdout_has("made _ctx/candor_config.json")
        .stderr_has("next: candor ctx sync -s /");
    run(&home, "ctx sync").ok().stdout_has("packed 3 files");
    let ran = run(&home, "ctx search -q greet").ok();
    let first = ran.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("code:") && first.contains("lib.rs > fn greet") && first.contains(" tokens"),
        "{first}"
    );
    let id = first.split(' ').next().unwrap();
    run(&home, &format!("ctx get --mode raw --ids {id}")).ok().stdout_has("pub fn greet(name: &str) {}");
    run(&home, "ctx validate").ok().stdout_has("all as packed");
    run(&home, "ctx stats").ok().stdout_has("code     1 chunk").stdout_has("stale    0 files");
}

#[test]
fn every_command_answers_in_json() {
    let home = home();
    assert_eq!(json(&run(&home, "ctx create --json").ok().stdout)["config"], "new");
    assert_eq!(json(&run(&home, "ctx sync --json").ok().stdout)["files"], 3);
    let found = json(&run(&home, "ctx search -q greet --json").ok().stdout);
    assert_eq!(found["hits"][0]["source_path"], "src/lib.rs");
    let id = found["hits"][0]["id"].as_str().unwrap().to_owned();
    let got = json(&run(&home, &format!("ctx get --json --ids {id}")).ok().stdout);
    assert_eq!(
        (got["report"]["stop_reason"].as_str(), got["chunks"][0]["id"].as_str()),
        (Some("complete"), Some(&*id))
    );
    assert_eq!(json(&run(&home, "ctx stats --json").ok().stdout)["kinds"]["code"]["chunks"], 1);
    assert_eq!(json(&run(&home, "ctx validate --json").ok().stdout)["files"], 3);
    assert_eq!(json(&run(&home, "ctx refresh-prime --json").ok().stdout)["prime"], "kept");
}

/// The line is there once, and last, whatever happens.
#[test]
fn pd_report_is_the_last_line_of_every_get() {
    let home = synced();
    let some = ids(&home, "");
    let all = some.join(",");
    let report = |line: &str, code: i32| {
        let ran = run(&home, &format!("ctx get --pd-report {line}")).code(code);
        assert_eq!(ran.stdout.matches("PD_REPORT").count(), 1, "{}", ran.stdout);
        let last = ran.stdout.trim_end().lines().last().unwrap().to_owned();
        let values: Vec<&str> = last.split(' ').collect();
        assert_eq!((values.len(), values[..2].join(" ")), (8, "PD_REPORT v=1".to_owned()), "{last}");
        last
    };
    let complete = report(&format!("--ids {all}"), 0);
    assert!(
        complete.contains("stop_reason=complete")
            && complete.contains(&format!("chunks_requested={}", some.len()))
    );
    assert!(report(&format!("--ids {all} --budget 1"), 0).contains("stop_reason=budget chunks_returned=1"));
    assert!(
        report(&format!("--ids {} --ids {} --max-chunks 1", some[0], some[1]), 0)
            .contains("stop_reason=max_chunks")
    );
    let failed = "PD_REPORT v=1 stop_reason=error chunks_returned=0 chunks_requested=2 chars_returned_total=0 strong_hit=0 support=0";
    assert_eq!(report(&format!("--ids {},prime:abc", some[0]), 1), failed);
    assert!(report("--ids ,", 2).contains("stop_reason=error chunks_returned=0 chunks_requested=0"));
    assert!(report("--ids a -s nowhere", 1).contains("stop_reason=error"));
    std::fs::remove_file(home.workspace().join("_ctx/candor_config.json")).unwrap();
    assert!(report("--ids a", 1).contains("stop_reason=error"));
}

#[test]
fn a_secret_in_a_file_is_masked_where_it_is_printed() {
    let home = home();
    let token = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    home.write_in_workspace("notes.md", format!("# Notes\n\nneedle {token}\n"));
    run(&home, "ctx create").ok();
    run(&home, "ctx sync").ok();
    let id = ids(&home, "notes.md").remove(0);
    for line in [
        "ctx search -q needle".to_owned(),
        format!("ctx get --ids {id}"),
        format!("ctx get --json --ids {id} --pd-report"),
    ] {
        let ran = run(&home, &line).ok();
        assert!(ran.stdout.contains("[REDACTED]") && !ran.stdout.contains("aB3dE6gH9"), "{}", ran.stdout);
    }
    // What is counted is what was printed.
    let ran = run(&home, &format!("ctx get --mode raw --ids {id} --pd-report")).ok();
    let chars = "# Notes\n\nneedle [REDACTED]\n".len();
    assert!(ran.stdout.contains(&format!("chars_returned_total={chars} ")), "{}", ran.stdout);
}

#[test]
fn what_changed_since_is_a_warning_of_a_search() {
    let home = synced();
    home.write_in_workspace("src/lib.rs", "pub fn other() {}\n");
    let ran = run(&home, "ctx search -q greet").ok();
    assert!(ran.stderr.contains("warning:") && ran.stderr.contains("candor ctx sync -s /"), "{}", ran.stderr);
}

#[test]
fn a_question_without_a_word_is_bad_usage() {
    let home = synced();
    candor(&home, "ctx search -q").args([" -- "]).run().code(2).stderr_has("USAGE_INVALID_VALUE");
    run(&home, "ctx search").code(2).stderr_has("USAGE_MISSING_ARGUMENT");
    run(&home, "ctx get --ids a --mode whole").code(2).stderr_has("USAGE_INVALID_VALUE");
}

#[test]
fn what_the_settings_hide_is_not_packed() {
    let home = home();
    home.write(
        "config.toml",
        format!("[security]\ndenied_paths = [\"{}/src\"]\n", home.workspace().display()),
    );
    run(&home, "ctx create").ok();
    run(&home, "ctx sync").ok().stdout_has("packed 2 files");
}

/// A cloned folder may hold links in place of what is written.
#[test]
fn links_in_place_of_the_lock_and_the_index_lead_nowhere() {
    for name in ["lock", "index.db"] {
        let home = Home::new();
        home.write_in_workspace("README.md", "# Lids\n\nThe context of lids.\n");
        let canary = home.write_in_workspace("canary.bin", "untouched");
        let run = |words: &[&str]| Candor::new(env!("CARGO_BIN_EXE_candor"), &home).args(words).run();
        run(&["ctx", "create", "-s", "."]).ok();
        let _ = std::fs::remove_file(home.workspace().join("_ctx").join(name));
        std::os::unix::fs::symlink(&canary, home.workspace().join("_ctx").join(name)).unwrap();
        let _ = run(&["ctx", "sync", "-s", "."]);
        let _ = run(&["ctx", "search", "-s", ".", "-q", "lids"]);
        assert_eq!(std::fs::read_to_string(&canary).unwrap(), "untouched", "{name}");
    }
}
