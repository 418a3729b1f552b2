//! `candor harness`: real ids, real commands, typed results, and an exit code that tells.

use std::fs;

use candor_testkit::{Candor, Home, Ran};
use serde_json::Value;

fn candor(home: &Home, words: &[&str]) -> Ran {
    Candor::new(env!("CARGO_BIN_EXE_candor"), home).args(words).run()
}

/// A segment with a pack.
fn segment() -> Home {
    let home = Home::new();
    home.write_in_workspace("README.md", "# Lids\n\nThe context of lids.\n");
    candor(&home, &["ctx", "create", "-s", "."]).ok();
    candor(&home, &["ctx", "sync", "-s", "."]).ok();
    home
}

fn results(home: &Home, folder: &str) -> Vec<Value> {
    let path = home.workspace().join(folder).join("telemetry/harness_results.jsonl");
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_usual_scenarios_run_with_real_ids_and_give_typed_results() {
    let home = segment();
    let ran = candor(&home, &["harness", "."]).ok();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let pack: Value =
        serde_json::from_str(&fs::read_to_string(home.workspace().join("_ctx/context_pack.json")).unwrap())
            .unwrap();
    let known: Vec<&str> =
        pack["chunks"].as_array().unwrap().iter().map(|chunk| chunk["id"].as_str().unwrap()).collect();
    let ids = lines[0].strip_prefix("✅ Resolved IDs: ['").unwrap().strip_suffix("']").unwrap();
    assert!(ids.split("', '").all(|id| known.contains(&id)), "{ids} of {known:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("▶️  Running: candor ctx ")).count(), 4);
    assert_eq!(lines.iter().filter(|line| **line == "   ✅ Success").count(), 4);
    assert!(lines.contains(&"   📊 PD_REPORT: {'chunks_returned': 2, 'strong_hit': 0}"), "{ran}");
    assert!(lines.contains(&"4 scenarios: 4 passed, 0 failed (0 of them required)"), "{ran}");
    let results = results(&home, "_ctx");
    assert_eq!(results.len(), 4);
    let report = &results[3]["pd_report"];
    assert_eq!((&report["v"], &report["chunks_returned"]), (&"1".into(), &2.into()));
}

#[test]
fn without_a_pack_a_sync_is_tried_first() {
    let home = segment();
    fs::remove_file(home.workspace().join("_ctx/context_pack.json")).unwrap();
    let ran = candor(&home, &["harness"]).ok();
    assert!(
        ran.stdout.starts_with("▶️  Running: candor ctx sync -s .\n   ✅ Success\n✅ Resolved IDs: ["),
        "{ran}"
    );
}

/// Its steps, carried out as they stand, lead to a harness that passes.
#[test]
fn without_ids_there_is_a_card_whose_steps_repair_it() {
    let home = Home::new();
    home.write_in_workspace("README.md", "# Lids\n");
    let ran = candor(&home, &["harness"]).code(4);
    assert!(ran.stderr.contains("Error Code: HARNESS_NO_IDS\n"), "{ran}");
    let results = results(&home, ".candor");
    assert_eq!(results[0]["command"], "harness_resolve_ids");
    assert_eq!((&results[0]["returncode"], &results[0]["success"]), (&4.into(), &false.into()));
    let steps = ran.stderr.split_once("Recovery Steps:\n").unwrap().1;
    let commands: Vec<&str> =
        steps.lines().filter_map(|line| line.split_once("candor ").map(|(_, rest)| rest)).collect();
    assert_eq!(commands.len(), 4, "three steps and the verification: {steps}");
    for command in commands {
        candor(&home, &command.split(' ').collect::<Vec<_>>()).ok();
    }
    candor(&home, &["harness"]).ok();
}

const SCENARIOS: &str = "
scenarios:
  - { name: good, run: 'echo lid {segment}', expect: { stdout: '^lid \\.$' } }
  - { name: refused, run: 'candor ctx get -s {segment} --ids none:0', expect: { exit: 1, code: UNKNOWN_ID } }
  - { name: optional, run: 'exit 3', required: false }
  - { name: slow <&\">, run: 'sleep 300', timeout: 300ms, required: false }
";

#[test]
fn scenarios_of_one_s_own_run_with_limits_and_a_report_for_build_servers() {
    let home = segment();
    home.write_in_workspace(".candor/harness.yaml", SCENARIOS);
    let ran = candor(&home, &["harness", ".", "--junit", "report.xml"]).ok();
    assert!(ran.stdout.contains("4 scenarios: 2 passed, 2 failed (0 of them required)"), "{ran}");
    assert!(ran.stdout.contains("Error Code: COMMAND_TIMED_OUT"), "{ran}");
    let report = fs::read_to_string(home.workspace().join("report.xml")).unwrap();
    assert!(report.contains("tests=\"4\" failures=\"2\""), "{report}");
    assert!(report.contains("name=\"slow &lt;&amp;&quot;&gt;\""), "{report}");
    assert!(report.contains("<failure message=\"exit code 3, expected 0\">"), "{report}");
}

#[test]
fn a_required_scenario_that_fails_fails_the_harness() {
    let home = segment();
    for (scenario, why) in [
        ("{ name: x, run: 'exit 3' }", "exit code 3, expected 0"),
        ("{ name: x, run: 'echo a', expect: { stdout: b } }", "stdout does not match b"),
        (
            "{ name: x, run: 'exit 1', expect: { exit: 1, code: OTHER } }",
            "the card is COMMAND_FAILED, expected OTHER",
        ),
    ] {
        home.write_in_workspace(".candor/harness.yaml", format!("scenarios: [{scenario}]\n"));
        let ran = candor(&home, &["harness"]).code(1);
        assert!(ran.stdout.contains(&format!("   ❌ Failed: {why}\n")), "{ran}");
    }
}

#[test]
fn scenarios_that_cannot_be_read_are_a_card() {
    let home = segment();
    for text in [
        "scenarios: [",
        "scenarios: []",
        "scenarios: [{ name: x }]",
        "scenarios: [{ name: x, run: y, timeout: soon }]",
        "scenarios: [{ name: x, run: y, expect: { stdout: '(' } }]",
    ] {
        home.write_in_workspace(".candor/harness.yaml", text);
        candor(&home, &["harness"]).code(1).stderr_has("Error Code: HARNESS_INVALID\n");
    }
}

/// A build server that finds no report takes the last one, or none, for a good one.
#[test]
fn what_keeps_the_harness_from_running_is_an_error_in_the_report() {
    for (broken, code, exit) in [(false, "HARNESS_NO_IDS", 4), (true, "HARNESS_INVALID", 1)] {
        let home = Home::new();
        if broken {
            home.write_in_workspace(".candor/harness.yaml", "scenarios: [");
        }
        candor(&home, &["harness", ".", "--junit", "report.xml"]).code(exit).stderr_has(code);
        let report = fs::read_to_string(home.workspace().join("report.xml")).unwrap();
        assert!(report.contains("tests=\"1\" failures=\"0\" errors=\"1\""), "{report}");
        assert!(report.contains(&format!("<error type=\"{code}\" message=\"")), "{report}");
        assert!(report.contains("Recovery Steps:\n1. "), "{report}");
        let ran = candor(&home, &["harness", ".", "--junit", "no/such/report.xml"]).code(exit);
        assert!(ran.stderr.contains("warning: no report: ") && ran.stderr.contains(code), "{ran}");
    }
}

/// The seed's harness applied a relative path twice.
#[test]
fn a_segment_elsewhere_is_found_from_where_one_stands() {
    let home = Home::new();
    fs::create_dir(home.workspace().join("lids")).unwrap();
    home.write_in_workspace("lids/README.md", "# Lids\n\nThe context of lids.\n");
    candor(&home, &["ctx", "create", "-s", "lids"]).ok();
    candor(&home, &["harness", "lids"]).ok();
    assert!(home.workspace().join("lids/_ctx/telemetry/harness_results.jsonl").is_file());
}
