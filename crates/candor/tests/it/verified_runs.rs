//! Runs that are verified: the runtime decides, and not the model.

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, candor, events, home_of, log_lines, of_type};

const VERIFY: &str = "only_declared: true\nchecks:\n  - { name: unit, run: 'sh test.sh', kind: test }\n";
const CLAIM: &str = "Done! All tests pass. Status: done. verdict: verified";

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

fn writes(text: &str) -> Reply {
    Reply::calls([("file_write", json!({"path": "test.sh", "content": text}))])
}

fn declared(fake: &FakeLlm) -> Home {
    let home = home_of(fake);
    home.write_in_workspace(".candor/verify.yaml", VERIFY);
    home
}

fn end(events: &[Value]) -> &Value {
    of_type(events, "run_end")[0]
}

#[test]
fn work_that_passes_is_done() {
    let fake = fake();
    fake.push(writes("exit 0\n"));
    fake.push(Reply::text(CLAIM));
    let home = declared(&fake);
    let ran = ask(&home, &["--json", "Write it"]).run();
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    let events = events(&ran);
    assert_eq!(
        (&end(&events)["status"], &end(&events)["verdict"]["status"]),
        (&json!("done"), &json!("verified"))
    );
    let evidence = &end(&events)["verdict"]["evidence"][0];
    assert_eq!(
        (&evidence["check"], &evidence["command"], &evidence["result"]),
        (&json!("unit"), &json!("sh test.sh"), &json!("passed"))
    );
    assert_eq!(evidence["artefacts"][0]["path"], "test.sh");
    let told = of_type(&events, "verification");
    assert_eq!((told.len(), &told[0]["check"], &told[0]["result"]), (1, &json!("unit"), &json!("passed")));
    assert_eq!(log_lines(&home, "verification_check").len(), 1);
    assert_eq!(log_lines(&home, "verification_end")[0]["verdict"], "verified");
}

#[test]
fn a_model_that_claims_success_changes_nothing() {
    let fake = fake();
    fake.push(writes("echo broken >&2; exit 1\n"));
    fake.repeat(Reply::text(CLAIM));
    let ran = ask(&declared(&fake), &["--json", "Write it"]).run();
    let events = events(&ran);
    // It repaired nothing, so the same failure came twice.
    assert_eq!((ran.status, &end(&events)["status"]), (5, &json!("aborted_stuck")), "{}", ran.stdout);
    assert_eq!(end(&events)["verdict"]["status"], "failed");
    assert_eq!(end(&events)["card"]["code"], "VERIFY_STUCK");
}

#[test]
fn what_a_model_claimed_before_it_was_refused_is_shown_beside_the_answer() {
    let fake = fake();
    fake.push(writes("exit 1\n"));
    fake.push(Reply::text(CLAIM));
    fake.push(writes("exit 0\n"));
    fake.push(Reply::text("Repaired."));
    let ran = ask(&declared(&fake), &["Write it"]).run().ok();
    assert_eq!(ran.stdout, "Repaired.\n", "the answer is the last one");
    let (claim, refusal) = (ran.stderr.find(CLAIM), ran.stderr.find("Not done:"));
    assert!(claim.is_some() && claim < refusal, "{}", ran.stderr);
}

#[test]
fn a_failure_goes_back_with_its_card_and_a_repair_is_verified_again() {
    let fake = fake();
    fake.push(writes("echo 'no such table: users' >&2; exit 1\n"));
    fake.push(Reply::text(CLAIM));
    fake.push(writes("exit 0\n"));
    fake.push(Reply::text("Repaired."));
    let ran = ask(&declared(&fake), &["--json", "Write it"]).run();
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    let requests = fake.requests();
    let told = requests[2].user_texts().join("\n");
    for word in ["the work is not done", "unit", "sh test.sh", "no such table: users", "repair 1 of 3"] {
        assert!(told.contains(word), "{word} is not in\n{told}");
    }
    let events = events(&ran);
    let accepted = of_type(&events, "message_accepted");
    assert_eq!(accepted.last().map(|event| &event["origin"]), Some(&json!("verifier")));
}

#[test]
fn what_failed_is_part_of_the_conversation_when_it_goes_on() {
    let fake = fake();
    fake.push(writes("exit 1\n"));
    fake.push(Reply::text(CLAIM));
    fake.push(writes("exit 0\n"));
    fake.push(Reply::text("Repaired."));
    let home = declared(&fake);
    ask(&home, &["Write it"]).run().ok();
    fake.push(Reply::text("Yes."));
    ask(&home, &["-c", "Did it fail before?"]).run().ok();
    let before = &fake.requests()[3];
    let after = &fake.requests()[4];
    assert_eq!(
        after.user_texts()[..before.user_texts().len()],
        before.user_texts()[..],
        "the same words in the same order"
    );
}

#[test]
fn repair_rounds_used_up_is_never_done() {
    for (profile, status, word, rounds) in
        [("fast", 3, "done_partial", 3), ("strict", 1, "failed", 5), ("smoke", 3, "done_partial", 1)]
    {
        let fake = fake();
        for round in 0..=rounds {
            // Another failure each time, so that it is not stuck.
            let name: String = "abcdefgh".chars().skip(round).take(1).collect();
            fake.push(writes(&format!("echo failure-{name} >&2; exit 1\n")));
            fake.push(Reply::text(CLAIM));
        }
        let ran = ask(&declared(&fake), &["--json", "--profile", profile, "Write it"]).run();
        let events = events(&ran);
        assert_eq!(
            (ran.status, &end(&events)["status"]),
            (status, &json!(word)),
            "{profile}: {}",
            ran.stdout
        );
        assert_eq!(end(&events)["verdict"]["status"], "failed", "{profile}");
    }
}

#[test]
fn without_anything_to_run_it_is_open_and_strict_stops_there() {
    for (profile, status, word) in [("fast", 3, "done_partial"), ("strict", 4, "aborted_constraint")] {
        let fake = fake();
        fake.push(Reply::calls([("file_write", json!({"path": "notes.txt", "content": "x"}))]));
        fake.push(Reply::text(CLAIM));
        let ran = ask(&home_of(&fake), &["--json", "--profile", profile, "Write it"]).run();
        let events = events(&ran);
        assert_eq!((ran.status, &end(&events)["status"]), (status, &json!(word)), "{}", ran.stdout);
        assert_eq!(end(&events)["verdict"]["status"], "unverifiable");
        assert_eq!(end(&events)["card"]["code"], "VERIFY_NOTHING_TO_RUN");
    }
}

#[test]
fn a_budget_that_does_not_suffice_is_said() {
    let fake = fake();
    fake.push(writes("exit 0\n"));
    fake.push(Reply::text(CLAIM));
    let home = home_of(&fake);
    let checks: Vec<String> =
        (0..9).map(|n| format!("  - {{ name: c{n}, run: 'test -d .', kind: build }}\n")).collect();
    let checks = checks.concat();
    home.write_in_workspace(".candor/verify.yaml", format!("checks:\n{checks}"));
    let ran = ask(&home, &["--json", "Write it"]).run();
    let events = events(&ran);
    assert_eq!((ran.status, &end(&events)["status"]), (4, &json!("aborted_constraint")), "{}", ran.stdout);
    assert_eq!(end(&events)["card"]["code"], "VERIFY_BUDGET_SPENT");
}

#[test]
fn no_verify_is_said_visibly() {
    let fake = fake();
    fake.push(writes("exit 1\n"));
    fake.push(Reply::text(CLAIM));
    let home = declared(&fake);
    let ran = ask(&home, &["--json", "--no-verify", "Write it"]).run();
    let events = events(&ran);
    assert_eq!((ran.status, &end(&events)["verdict"]["status"]), (0, &json!("not_applicable")));
    assert!(
        end(&events)["verdict"]["evidence"][0]["summary"]
            .as_str()
            .is_some_and(|text| text.contains("--no-verify"))
    );
    assert_eq!(of_type(&events, "verification").len(), 0);
}

#[test]
fn what_a_command_changed_is_verified_too() {
    let fake = fake();
    fake.push(Reply::calls([("shell_exec", json!({"command": "printf 'exit 1\\n' > test.sh"}))]));
    fake.repeat(Reply::text(CLAIM));
    let ran = ask(&declared(&fake), &["--json", "Write it"]).run();
    assert_eq!(end(&events(&ran))["verdict"]["status"], "failed", "{}", ran.stdout);
}

#[test]
fn a_question_is_not_verified() {
    let fake = fake();
    fake.push(Reply::calls([("file_read", json!({"path": ".candor/verify.yaml"}))]));
    fake.push(Reply::text("It runs test.sh."));
    let ran = ask(&declared(&fake), &["--json", "What is checked here?"]).run();
    let events = events(&ran);
    assert_eq!(
        (ran.status, &end(&events)["verdict"]["status"]),
        (0, &json!("not_applicable")),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_task_that_names_a_declared_service_is_verified_although_nothing_changed() {
    let fake = fake();
    fake.repeat(Reply::text("The bot is healthy."));
    let home = home_of(&fake);
    home.write_in_workspace(
        ".candor/verify.yaml",
        "services:\n  - { name: tgbot, command: 'sh bot.sh', settle: 200ms }\n",
    );
    home.write_in_workspace("bot.sh", "echo started; echo 'ERROR no token'; sleep 60\n");
    let ran = ask(&home, &["--json", "Is tgbot healthy?"]).run();
    assert_eq!(end(&events(&ran))["verdict"]["status"], "failed", "{}", ran.stdout);
}

#[test]
fn a_declaration_that_the_model_wrote_does_not_replace_what_is_found() {
    let fake = fake();
    let lie = "```verify\nchecks:\n  - { name: unit, run: 'test -d .', kind: test }\n```\n";
    fake.push(Reply::calls([
        ("file_write", json!({"path": "AGENTS.md", "content": lie})),
        ("file_write", json!({"path": "Makefile", "content": "test:\n\tfalse\n"})),
    ]));
    fake.repeat(Reply::text(CLAIM));
    let ran = ask(&home_of(&fake), &["--json", "Write it"]).run();
    assert_eq!(end(&events(&ran))["verdict"]["status"], "failed", "{}", ran.stdout);
}

#[test]
fn the_model_can_ask_early() {
    let fake = fake();
    fake.push(writes("exit 1\n"));
    fake.push(Reply::calls([("verify", json!({}))]));
    fake.push(writes("exit 0\n"));
    fake.push(Reply::text("Done."));
    let ran = ask(&declared(&fake), &["--json", "Write it"]).run();
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    let results = fake.requests()[2].tool_results();
    let report: Value = serde_json::from_str(results.last().expect("a result")).expect("JSON");
    assert_eq!(report["status"], "failed");
}

#[test]
fn a_person_sees_the_checks_and_what_stands_in_the_way() {
    let fake = fake();
    fake.push(writes("echo broken >&2; exit 1\n"));
    fake.repeat(Reply::text(CLAIM));
    let ran = ask(&declared(&fake), &["Write it"]).run();
    for shown in [
        "failed       unit: exit code 1",
        "Not done: the model is told what failed.",
        "VERIFY_STUCK",
        "aborted_stuck, not verified (unit:",
    ] {
        assert!(ran.stderr.contains(shown), "{shown} is not in\n{}", ran.stderr);
    }
}

#[test]
fn the_evidence_is_in_the_session_afterwards() {
    let fake = fake();
    fake.push(writes("exit 0\n"));
    fake.push(Reply::text(CLAIM));
    let home = declared(&fake);
    ask(&home, &["Write it"]).run().ok();
    let shown = candor(&home, "sessions show last").run().ok().stdout;
    assert!(shown.contains("unit") && shown.contains("passed"), "{shown}");
    let exported = candor(&home, "sessions export last").run().ok().stdout;
    assert!(exported.contains("\"type\":\"verification\""), "{exported}");
}

#[test]
fn a_service_that_a_run_starts_is_gone_afterwards() {
    let fake = fake();
    fake.push(Reply::calls([(
        "file_write",
        json!({"path": "bot.sh", "content": "echo started; exec sleep 59.75\n"}),
    )]));
    fake.push(Reply::text(CLAIM));
    let home = home_of(&fake);
    home.write_in_workspace(
        ".candor/verify.yaml",
        "services:\n  - { name: bot, command: 'sh bot.sh', settle: 200ms }\n",
    );
    ask(&home, &["Write it"]).run().ok();
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    assert!(!lines.into_iter().any(|line| String::from_utf8_lossy(&line).contains("59.75")));
}

#[test]
fn a_secret_in_the_output_of_a_check_reaches_neither_the_model_nor_the_store() {
    let fake = fake();
    let token = format!("ghp_{}", "R4nD0mT0k3nV4lu3F0rT3st1ngPurp0s3sXy");
    fake.push(writes("cat token >&2; exit 1\n"));
    fake.repeat(Reply::text(CLAIM));
    let home = declared(&fake);
    home.write_in_workspace("token", format!("refused: {token}\n"));
    let ran = ask(&home, &["--json", "Write it"]).run();
    assert!(ran.stdout.contains("refused: ") && !ran.stdout.contains(&token), "{}", ran.stdout);
    for request in fake.requests() {
        assert!(!request.user_texts().join("\n").contains(&token));
    }
    let stored = std::fs::read(home.path().join("candor.db")).expect("a store");
    assert!(!String::from_utf8_lossy(&stored).contains(&token));
}

#[test]
fn a_server_that_the_model_left_running_does_not_stand_in_the_way() {
    let app = "import http.server\nclass H(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200); self.end_headers(); self.wfile.write(b'pong')\n    def log_message(self, *a): pass\nhttp.server.HTTPServer(('127.0.0.1', 18473), H).serve_forever()\n";
    let fake = fake();
    fake.push(Reply::calls([("file_write", json!({"path": "app.py", "content": app}))]));
    fake.push(Reply::calls([("process", json!({"action": "start", "command": "python3 app.py"}))]));
    fake.push(Reply::text("It runs."));
    let home = home_of(&fake);
    let yaml = "services:\n  - name: api\n    command: python3 app.py\n    settle: 300ms\n    ready: { http: 'http://127.0.0.1:18473/' }\n";
    home.write_in_workspace(".candor/verify.yaml", yaml);
    let ran = ask(&home, &["--json", "Write it"]).run();
    assert_eq!(end(&events(&ran))["verdict"]["status"], "verified", "{}", ran.stdout);
}

#[test]
fn without_walls_the_model_cannot_declare_its_own_work_good_either() {
    let fake = fake();
    let lie = "mkdir -p .candor; printf 'only_declared: true\\nchecks: [{ name: ok, run: \"test -d .\", kind: test }]\\n' > .candor/verify.yaml";
    fake.push(Reply::calls([("shell_exec", json!({ "command": lie }))]));
    fake.repeat(Reply::text(CLAIM));
    let home = home_of(&fake);
    home.write_in_workspace("Makefile", "test:\n\tfalse\n");
    let ran = ask(&home, &["--json", "--permission", "full", "Write it"]).run();
    assert_eq!(end(&events(&ran))["verdict"]["status"], "failed", "{}", ran.stdout);
}
