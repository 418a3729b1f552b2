//! The report as JSON, `JUnit`, SARIF and text.

use std::path::PathBuf;
use std::time::Duration;

use candor_protocol::{
    CheckResult, Class, ErrorCard, Evidence, EvidenceKind, LogRange, Step, Verdict, VerdictStatus,
};
use candor_testkit::Rng;
use candor_verify::diagnostics::Seen;
use candor_verify::found::{Diagnostic, LogEntry, LogSource};
use candor_verify::plan::Problem;
use candor_verify::report::{Failure, Paint, Report, to_json, to_junit, to_sarif, to_text};
use serde_json::{Value, json};

fn card() -> ErrorCard {
    ErrorCard {
        code: "TESTS_FAILED".to_owned(),
        class: Class::Verification,
        title: "Tests failed".to_owned(),
        cause: "2 of 14 tests failed.".to_owned(),
        tried: Vec::new(),
        steps: vec![Step::run("pytest -q tests/test_a.py"), Step::Do { text: "Read it".to_owned() }],
        verify: None,
        retryable: false,
        exit_code: 1,
    }
}

fn evidence() -> Vec<Evidence> {
    use CheckResult::{Failed, Flaky, Passed, Skipped, Unverifiable};
    let mut failed = Evidence::new("unit", EvidenceKind::Test, Failed, "2 of 14 tests failed");
    failed.command = Some("pytest -q".to_owned());
    failed.duration_ms = 3400;
    failed.excerpt = Some("E   assert 1 == 2\nE   <&\">'".to_owned());
    failed.card = Some(card());
    let mut flaky = Evidence::new("e2e", EvidenceKind::Test, Flaky, "failed once, passed then");
    flaky.excerpt = Some("timeout".to_owned());
    let mut probe = Evidence::new("api: ping", EvidenceKind::Probe, Passed, "GET /ping: 200");
    probe.duration_ms = 12;
    probe.excerpt = Some("pong".to_owned());
    let mut log = Evidence::new("api: log", EvidenceKind::Log, Failed, "1 error in the log");
    log.ranges = vec![LogRange { file: "stdout".to_owned(), from: 0, to: 99 }];
    vec![
        Evidence::new("build", EvidenceKind::Build, Passed, "cargo build"),
        failed,
        flaky,
        Evidence::new("types", EvidenceKind::Types, Unverifiable, "mypy is not there"),
        Evidence::new("lint", EvidenceKind::Lint, Skipped, "not in this profile"),
        probe,
        log,
    ]
}

fn report() -> Report {
    let log = |source, file: &str, timestamp, offset| LogEntry {
        source,
        file: file.to_owned(),
        message: "handlers.messages - ERROR - Error for user 1".to_owned(),
        timestamp,
        offset,
    };
    let line = |file: &str, line, column, is_error, code: Option<&str>| Seen {
        diagnostic: Diagnostic {
            file: file.to_owned(),
            line,
            column,
            is_error,
            code: code.map(str::to_owned),
            message: "mismatched types".to_owned(),
        },
        check: "build".to_owned(),
        seen: 2,
        first_seen: 1000,
        last_seen: 2000,
    };
    Report {
        verdict: Verdict { status: VerdictStatus::Failed, profile: "fast".to_owned(), evidence: evidence() },
        workspace: "/home/you/project".to_owned(),
        stacks: vec!["python (pip)".to_owned()],
        service_commands: vec!["python3 bot.py".to_owned()],
        log_diagnostics: vec![
            log(LogSource::ServiceLog, "stderr", Some(1_763_250_000_000), 17),
            log(LogSource::ProjectLog, "logs/run 1.log", None, 5),
        ],
        failure_history: vec![Failure {
            at: 1_763_250_000_001,
            check: "api: log".to_owned(),
            reason: "runtime log errors detected".to_owned(),
        }],
        diagnostics: vec![
            line("src/ä b:c#1.rs", Some(3), Some(7), true, Some("E0308")),
            line("/home/you/project/./src/x.rs", Some(4), None, false, None),
            line("/usr/include/stdio.h", None, None, true, Some("")),
            line("", Some(1), Some(1), true, None),
            line("zero.c", Some(0), Some(0), true, Some("C1")),
        ],
        problems: vec![Problem {
            file: ".candor/verify.yaml".into(),
            line: 3,
            column: 5,
            message: "unknown key \"x\"".to_owned(),
        }],
        notes: vec!["found and left out: e2e".to_owned()],
        duration: Duration::from_millis(12_345),
    }
}

#[test]
fn s002_the_json_carries_the_verdict_and_the_names_of_the_seed() {
    let json = to_json(&report());
    assert_eq!((&json["status"], &json["profile"]), (&json!("failed"), &json!("fast")));
    assert_eq!(json["evidence"].as_array().unwrap().len(), 7);
    assert_eq!(json["evidence"][1]["durationMs"], json!(3400));
    assert_eq!(json["serviceCommands"], json!(["python3 bot.py"]));
    assert_eq!(
        json["functionalChecks"],
        json!([{ "name": "api: ping", "ok": true, "result": "passed", "summary": "GET /ping: 200", "durationMs": 12, "sample": "pong" }])
    );
    assert_eq!(
        json["logDiagnostics"],
        json!([
            { "source": "service_log", "file": "stderr", "message": "handlers.messages - ERROR - Error for user 1", "timestamp": 1_763_250_000_000_i64, "offset": 17 },
            { "source": "project_log", "file": "logs/run 1.log", "message": "handlers.messages - ERROR - Error for user 1", "offset": 5 },
        ])
    );
    assert_eq!(
        json["failureHistory"],
        json!([{ "at": 1_763_250_000_001_i64, "check": "api: log", "reason": "runtime log errors detected" }])
    );
    assert_eq!(
        json["diagnostics"][0],
        json!({ "file": "src/ä b:c#1.rs", "line": 3, "column": 7, "severity": "error", "code": "E0308", "message": "mismatched types",
            "check": "build", "seen": 2, "firstSeen": 1000, "lastSeen": 2000 })
    );
    assert_eq!(json["diagnostics"][1]["severity"], json!("warning"));
    assert_eq!(
        json["problems"],
        json!([{ "file": ".candor/verify.yaml", "line": 3, "column": 5, "message": "unknown key \"x\"" }])
    );
    assert_eq!((&json["notes"][0], &json["durationMs"]), (&json!("found and left out: e2e"), &json!(12_345)));
    assert_eq!(
        (&json["workspace"], &json["stacks"]),
        (&json!("/home/you/project"), &json!(["python (pip)"]))
    );
}

#[test]
fn a_probe_that_did_not_pass_is_not_ok() {
    let mut report = report();
    for (result, ok) in [
        (CheckResult::Failed, false),
        (CheckResult::Unverifiable, false),
        (CheckResult::Skipped, false),
        (CheckResult::Flaky, true),
    ] {
        report.verdict.evidence[5].result = result;
        assert_eq!(to_json(&report)["functionalChecks"][0]["ok"], json!(ok), "{result:?}");
    }
}

/// What the schema that build servers check `JUnit` reports by asks for, as far as we write it.
#[track_caller]
fn check_junit(text: &str) {
    let document = roxmltree::Document::parse(text).unwrap();
    let suite = document.root_element();
    let elements = |node: roxmltree::Node<'_, '_>| -> Vec<String> {
        node.children()
            .filter(roxmltree::Node::is_element)
            .map(|child| child.tag_name().name().to_owned())
            .collect()
    };
    assert_eq!(suite.tag_name().name(), "testsuite");
    assert!(suite.attribute("name").is_some() && suite.attribute("time").unwrap().parse::<f64>().is_ok());
    let children = elements(suite);
    assert!(children.iter().skip(1).all(|name| name == "testcase"), "properties come first: {children:?}");
    let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
    for (counted, tag) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
        let number = cases.iter().filter(|case| elements(**case).iter().any(|name| name == tag)).count();
        assert_eq!(suite.attribute(counted).unwrap().parse(), Ok(number), "{counted}");
    }
    assert_eq!(suite.attribute("tests").unwrap().parse(), Ok(cases.len()));
    for case in cases {
        let mut attributes: Vec<&str> = case.attributes().map(|attribute| attribute.name()).collect();
        attributes.sort_unstable();
        assert_eq!(attributes, ["classname", "name", "time"]);
        assert!(case.attribute("time").unwrap().parse::<f64>().is_ok());
        let children = elements(case);
        let children: Vec<&str> = children.iter().map(String::as_str).collect();
        let is_known = matches!(
            children.as_slice(),
            [] | ["failure" | "error" | "skipped"] | ["properties", "flakyFailure"]
        );
        assert!(is_known, "{children:?}");
        for child in case.children().filter(|child| child.is_element() && !child.has_tag_name("properties")) {
            assert!(child.attribute("message").is_some(), "{child:?}");
        }
    }
}

#[test]
fn junit_has_a_case_for_every_piece_of_evidence() {
    let text = to_junit(&report());
    check_junit(&text);
    let document = roxmltree::Document::parse(&text).unwrap();
    let suite = document.root_element();
    assert_eq!(suite.tag_name().name(), "testsuite");
    for (name, value) in [
        ("tests", "7"),
        ("failures", "2"),
        ("skipped", "2"),
        ("errors", "0"),
        ("time", "12.345"),
        ("name", "candor verify"),
    ] {
        assert_eq!(suite.attribute(name), Some(value), "{name}");
    }
    let property = |name: &str| {
        suite
            .descendants()
            .find(|node| node.attribute("name") == Some(name))
            .and_then(|node| node.attribute("value"))
    };
    assert_eq!((property("verdict"), property("profile")), (Some("failed"), Some("fast")));
    let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
    let child = |index: usize, name: &str| cases[index].children().find(|node| node.has_tag_name(name));
    let inner = |index: usize| cases[index].children().filter(roxmltree::Node::is_element).count();
    assert_eq!(
        (cases[0].attribute("name"), cases[0].attribute("classname")),
        (Some("build"), Some("verify.build"))
    );
    assert_eq!(inner(0), 0);
    let failure = child(1, "failure").unwrap();
    assert_eq!(failure.attribute("message"), Some("2 of 14 tests failed"));
    assert_eq!(
        failure.text(),
        Some(
            "$ pytest -q\nE   assert 1 == 2\nE   <&\">'\nTESTS_FAILED: 2 of 14 tests failed.\n1. Run: pytest -q tests/test_a.py\n2. Read it"
        )
    );
    assert_eq!(cases[1].attribute("time"), Some("3.400"));
    assert_eq!(child(2, "flakyFailure").unwrap().text(), Some("timeout"));
    assert!(child(2, "failure").is_none() && child(2, "properties").is_some());
    let skipped = child(3, "skipped").unwrap();
    assert_eq!(skipped.attribute("message"), Some("could not be checked: mypy is not there"));
    assert_eq!(child(4, "skipped").unwrap().attribute("message"), Some("not in this profile"));
}

#[test]
fn junit_is_xml_whatever_the_text() {
    let mut report = report();
    let wild = "a\0\u{1}\u{1b}[31m\r\n\t\u{7f}\u{85}\u{fffe}\u{ffff}\u{10ffff}]]><!-- <?x?> &amp; \u{2028}";
    for evidence in &mut report.verdict.evidence {
        evidence.check = wild.to_owned();
        evidence.summary = wild.to_owned();
        evidence.excerpt = Some(wild.to_owned());
        evidence.command = Some(wild.to_owned());
    }
    report.verdict.profile = wild.to_owned();
    let text = to_junit(&report);
    let document = roxmltree::Document::parse(&text).unwrap();
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    let shown = failure.attribute("message").unwrap();
    // The line end is kept, also in an attribute; what XML cannot hold is written out.
    assert!(shown.starts_with("a\\u{0}\\u{1}\\u{1b}[31m\\r\n\t"), "{shown:?}");
    assert!(shown.ends_with("]]><!-- <?x?> &amp; \u{2028}"), "{shown:?}");
}

#[test]
fn every_form_takes_any_text() {
    let mut rng = Rng::new(7);
    for _ in 0..200 {
        let mut report = report();
        let mut any = || -> String {
            (0..rng.below(40))
                .map(|_| char::from_u32(u32::try_from(rng.below(0x11_0000)).unwrap()).unwrap_or('\0'))
                .collect()
        };
        for evidence in &mut report.verdict.evidence {
            (evidence.check, evidence.summary, evidence.excerpt) = (any(), any(), Some(any()));
        }
        for line in &mut report.diagnostics {
            (line.diagnostic.file, line.diagnostic.message, line.diagnostic.code) =
                (any(), any(), Some(any()));
        }
        check_junit(&to_junit(&report));
        check_sarif(&to_sarif(&report));
        to_json(&report);
        let text = to_text(&report, Paint::Plain);
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}

/// What SARIF 2.1.0 asks for, as far as we write it.
#[track_caller]
fn check_sarif(sarif: &Value) {
    assert_eq!(sarif["version"], json!("2.1.0"));
    let run = &sarif["runs"][0];
    assert!(run["tool"]["driver"]["name"].is_string());
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "each rule is there once");
    for result in run["results"].as_array().unwrap() {
        assert!(result["message"]["text"].is_string());
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(Some(ids[index]), result["ruleId"].as_str());
        assert!(matches!(result["level"].as_str(), Some("error" | "warning")));
        for location in result["locations"].as_array().into_iter().flatten() {
            let Some(place) = location.get("physicalLocation") else { continue };
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%:".contains(&byte);
            assert!(!uri.is_empty() && uri.bytes().all(is_plain), "{uri}");
            assert!(uri.starts_with("file:///") || !uri.contains(':'), "{uri}");
            if let Some(region) = place.get("region") {
                assert!(region.get("startLine").is_none_or(|line| line.as_u64() >= Some(1)));
                assert!(region.get("startColumn").is_none_or(|column| column.as_u64() >= Some(1)));
            }
        }
    }
}

#[test]
fn sarif_has_a_result_for_all_that_is_wrong() {
    let sarif = to_sarif(&report());
    check_sarif(&sarif);
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<_> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(
        rules,
        [
            "check/test",
            "check/log",
            "E0308",
            "build",
            "build",
            "build",
            "C1",
            "runtime-log-error",
            "runtime-log-error",
            "declaration"
        ]
    );
    let place = |index: usize| &results[index]["locations"][0]["physicalLocation"];
    assert_eq!(
        place(2),
        &json!({
            "artifactLocation": { "uri": "src/%C3%A4%20b%3Ac%231.rs", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": 3, "startColumn": 7 },
        })
    );
    assert_eq!(
        place(3),
        &json!({ "artifactLocation": { "uri": "src/x.rs", "uriBaseId": "%SRCROOT%" }, "region": { "startLine": 4 } })
    );
    assert_eq!(place(4), &json!({ "artifactLocation": { "uri": "file:///usr/include/stdio.h" } }));
    assert!(results[5].get("locations").is_none(), "a file without a name has no place");
    assert_eq!(place(6), &json!({ "artifactLocation": { "uri": "zero.c", "uriBaseId": "%SRCROOT%" } }));
    assert_eq!(results[7]["locations"][0]["logicalLocations"][0]["name"], json!("stderr"));
    assert_eq!(
        place(8),
        &json!({ "artifactLocation": { "uri": "logs/run%201.log", "uriBaseId": "%SRCROOT%" }, "region": { "byteOffset": 5 } })
    );
    assert_eq!(place(9)["region"], json!({ "startLine": 3, "startColumn": 5 }));
    assert_eq!(results[3]["level"], json!("warning"));
    assert!(
        results[0]["message"]["text"].as_str().unwrap().starts_with("unit: 2 of 14 tests failed\nE   assert")
    );
    assert_eq!(sarif["runs"][0]["properties"]["verdict"], json!("failed"));
}

#[test]
fn sarif_of_a_clean_run_has_no_results() {
    let verdict = Verdict {
        status: VerdictStatus::Verified,
        profile: "fast".to_owned(),
        evidence: vec![evidence().remove(0)],
    };
    let clean = Report {
        verdict,
        diagnostics: Vec::new(),
        log_diagnostics: Vec::new(),
        problems: Vec::new(),
        ..report()
    };
    let sarif = to_sarif(&clean);
    check_sarif(&sarif);
    assert_eq!(sarif["runs"][0]["results"], json!([]));
}

#[test]
fn the_text_is_a_checklist_with_next_steps_and_the_verdict_last() {
    let text = to_text(&report(), Paint::Plain);
    assert_eq!(
        text,
        "\
passed       build      cargo build
failed       unit       2 of 14 tests failed (3.4 s)
    $ pytest -q
    | E   assert 1 == 2
    | E   <&\">'
    next: Run: pytest -q tests/test_a.py  (candor errors show TESTS_FAILED)
flaky        e2e        failed once, passed then
    | timeout
unverifiable types      mypy is not there
skipped      lint       not in this profile
passed       api: ping  GET /ping: 200 (12 ms)
failed       api: log   1 error in the log
error: src/ä b:c#1.rs:3:7: [E0308] mismatched types (seen 2 times)
error: /usr/include/stdio.h: mismatched types (seen 2 times)
error: mismatched types (seen 2 times)
error: zero.c: [C1] mismatched types (seen 2 times)
note: found and left out: e2e

failed: 2 passed, 1 flaky, 2 failed, 1 unverifiable, 1 skipped; profile fast, 12.3 s"
    );
}

#[test]
fn the_text_has_colours_where_they_are_wanted_and_is_the_same_without() {
    let (plain, painted) = (to_text(&report(), Paint::Plain), to_text(&report(), Paint::Colours));
    assert!(!plain.contains('\u{1b}') && painted.contains("\u{1b}[31m"));
    let mut bare = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare += before;
        rest = after.split_once('m').unwrap().1;
    }
    assert_eq!(bare + rest, plain);
}

#[test]
fn the_text_shows_no_more_than_a_person_reads_and_nothing_commands_the_terminal() {
    let mut report = report();
    report.verdict.evidence[1].excerpt = Some("\u{1b}[2Jline\n".repeat(50));
    report.verdict.evidence[1].summary = format!("a\nb\u{202e}{}", "x".repeat(1000));
    let error = report.diagnostics[0].clone();
    report.diagnostics = vec![error; 25];
    let text = to_text(&report, Paint::Plain);
    assert!(text.contains("    | and 38 more lines") && text.contains("and 15 more errors"), "{text}");
    assert!(text.contains("a\\nb\\u{202e}xxx") && text.contains("    | \\u{1b}[2Jline"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 400));
}

#[test]
fn every_verdict_has_its_word() {
    for (status, word) in [
        (VerdictStatus::Verified, "verified: 1 passed; profile fast, 12.3 s"),
        (VerdictStatus::Failed, "failed: 1 passed"),
        (VerdictStatus::Unverifiable, "unverifiable: 1 passed"),
        (VerdictStatus::NotApplicable, "nothing to verify: 1 passed"),
    ] {
        let mut report = report();
        report.verdict.status = status;
        report.verdict.evidence.truncate(1);
        let text = to_text(&report, Paint::Plain);
        assert!(text.lines().last().unwrap().starts_with(word), "{text}");
    }
    let mut report = report();
    report.verdict.evidence.clear();
    assert!(to_text(&report, Paint::Plain).contains("failed: nothing was checked"));
}

#[test]
fn a_file_whose_name_is_no_text_is_reported_all_the_same() {
    use std::os::unix::ffi::OsStringExt;
    let mut report = report();
    report.problems[0].file = PathBuf::from(std::ffi::OsString::from_vec(b"a\xff.yaml".to_vec()));
    assert_eq!(to_json(&report)["problems"][0]["file"], json!("a\u{fffd}.yaml"));
    check_sarif(&to_sarif(&report));
    to_text(&report, Paint::Plain);
}
