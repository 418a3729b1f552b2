//! `candor verify`: without a model and without a key.

use candor_testkit::{Candor, Home, Ran};
use serde_json::{Value, json};

use crate::rig::{BINARY, candor};

const GOOD: &str = "only_declared: true\nchecks:\n  - { name: unit, run: 'sh test.sh', kind: test }\n";

fn home(yaml: &str, files: &[(&str, &str)]) -> Home {
    let home = Home::new();
    for (name, text) in files {
        home.write_in_workspace(name, text);
    }
    if !yaml.is_empty() {
        home.write_in_workspace(".candor/verify.yaml", yaml);
    }
    home
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {} {}", ran.stdout, ran.stderr))
}

fn service(command: &str) -> String {
    format!("services:\n  - {{ name: bot, command: {command:?}, settle: 300ms }}\n")
}

#[test]
fn what_passes_is_verified_and_exits_with_0() {
    let ran = candor(&home(GOOD, &[("test.sh", "exit 0\n")]), "verify").run().ok();
    assert!(
        ran.stdout.contains("passed") && ran.stdout.contains("verified: 1 passed; profile fast"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_fails_exits_with_1_and_says_what_to_do() {
    let ran = candor(&home(GOOD, &[("test.sh", "echo boom >&2; exit 3\n")]), "verify").run().code(1);
    for shown in ["failed", "exit code 3", "$ sh test.sh", "boom", "next:", "failed: 1 failed"] {
        assert!(ran.stdout.contains(shown), "{shown} is not in\n{}", ran.stdout);
    }
}

#[test]
fn nothing_to_run_exits_with_4() {
    let ran = candor(&home("", &[("notes.txt", "x")]), "verify").run().code(4);
    assert!(
        ran.stdout.contains("unverifiable") && ran.stdout.contains("VERIFY_NOTHING_TO_RUN"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_service_that_is_not_there_is_bad_usage() {
    candor(&home(&service("sleep 9"), &[]), "verify --service nope")
        .run()
        .code(2)
        .stderr_has("There are: bot.");
}

#[test]
fn json_carries_the_fields_of_the_ticket_under_its_names() {
    let line = "handlers.messages - ERROR - Error for user 5927508593: Request URL is missing an 'http://' or 'https://' protocol.";
    let bot = format!("echo bot started; echo \"{line}\"; exec sleep 60\n");
    let home = home(&service("sh bot.sh"), &[("bot.sh", &bot)]);
    let ran = candor(&home, "verify --json").run().code(1);
    let report = json_of(&ran);
    assert_eq!(report["status"], "failed");
    assert_eq!(report["serviceCommands"], json!(["sh bot.sh"]));
    assert_eq!(report["functionalChecks"], json!([]));
    let entry = &report["logDiagnostics"][0];
    assert_eq!((&entry["source"], &entry["file"]), (&json!("service_log"), &json!("stdout")));
    assert_eq!(entry["message"], line);
    assert_eq!(report["failureHistory"][0]["reason"], "runtime log errors detected");
}

/// The words in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

#[test]
fn json_has_the_keys_that_the_documentation_names() {
    let document = include_str!("../../../../docs/verify.md");
    let table = document.split("`--json` prints one object:").nth(1).expect("a table");
    let rows: Vec<(&str, &str)> = table
        .lines()
        .skip_while(|line| !line.starts_with("| `"))
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| line.trim_matches('|').split_once('|'))
        .collect();
    let bot = "echo waiting for messages; while read line; do echo \"ERROR: $line\"; done\n";
    let yaml = "only_declared: true\ntypo: 1\nchecks:\n  - { name: build, run: 'python3 -m py_compile tool.py', cwd: tool, kind: build }\nservices:\n  - name: bot\n    command: sh bot.sh\n    settle: 300ms\n    probes:\n      - { name: echo, stdin: { send: hello, expect: hello } }\n";
    let home = home(yaml, &[("bot.sh", bot), ("tool/tool.py", "def broken(:\n")]);
    let report = json_of(&candor(&home, "verify --json").run().code(1));
    let named: Vec<&str> = rows.iter().flat_map(|(names, _)| quoted(names)).collect();
    assert_eq!(keys(&report), named);
    for (names, what) in rows {
        let items = report[quoted(names)[0]].as_array().cloned().unwrap_or_default();
        for key in items.iter().flat_map(keys) {
            let is_told = quoted(what).contains(&key) || matches!(names.trim(), "`problems`, `notes`");
            assert!(is_told, "{key} of {names} is not in the documentation");
        }
        let is_empty = items.is_empty() && report[quoted(names)[0]].is_array();
        assert!(!is_empty, "this test has nothing to look at in {names}: {report:#}");
    }
}

#[test]
fn functional_checks_are_recorded_with_what_came_back() {
    let bot = "echo waiting for messages; while read line; do echo \"got $line\"; done\n";
    let yaml = "services:\n  - name: bot\n    command: sh bot.sh\n    settle: 300ms\n    probes:\n      - { name: echo, stdin: { send: hello, expect: got hello } }\n";
    let ran = candor(&home(yaml, &[("bot.sh", bot)]), "verify --json").run().ok();
    let checks = json_of(&ran)["functionalChecks"].clone();
    assert_eq!(checks.as_array().map(Vec::len), Some(1), "{checks}");
    assert!(checks[0].to_string().contains("got hello"), "{checks}");
}

#[test]
fn junit_and_sarif_are_what_their_readers_expect() {
    let home = home(GOOD, &[("test.sh", "exit 1\n")]);
    let junit = candor(&home, "verify --junit").run().code(1).stdout;
    assert!(
        junit.starts_with("<?xml") && junit.contains("<failure") && junit.contains("name=\"unit\""),
        "{junit}"
    );
    let sarif = json_of(&candor(&home, "verify --sarif").run().code(1));
    assert_eq!(
        (&sarif["version"], &sarif["runs"][0]["tool"]["driver"]["name"]),
        (&json!("2.1.0"), &json!("Candor"))
    );
    candor(&home, "verify --json --junit").run().code(2);
}

#[test]
fn the_plan_says_what_would_run_and_why_and_runs_nothing() {
    let home = home(
        &GOOD.replace("only_declared: true\n", ""),
        &[("test.sh", "touch ran\n"), ("package.json", "{\"scripts\":{\"start\":\"node server.js\"}}")],
    );
    let ran = candor(&home, "verify --plan").run().ok();
    for shown in ["$ sh test.sh", "because:", ".candor/verify.yaml", "npm start"] {
        assert!(ran.stdout.contains(shown), "{shown} is not in\n{}", ran.stdout);
    }
    let plan = json_of(&candor(&home, "verify --plan --json").run().ok());
    let runs: Vec<&Value> =
        plan["checks"].as_array().into_iter().flatten().map(|check| &check["run"]).collect();
    assert!(runs.contains(&&json!("sh test.sh")), "{plan:#}");
    assert!(!home.workspace().join("ran").exists());
}

#[test]
fn a_plan_is_in_the_order_of_the_work_and_says_why_something_is_left_out() {
    let yaml = "only_declared: true\nchecks:\n  - { name: unit, run: 'test -d .', kind: test }\n  - { name: style, run: 'test -d .', kind: lint }\n  - { name: make, run: 'test -d .', kind: build }\nservices:\n  - { name: web, command: sleep 9, cwd: api/ }\n  - { name: worker, command: sleep 9 }\n";
    let home = home(yaml, &[("api/notes", "")]);
    let heads = |line: &str| -> Vec<String> {
        let text = candor(&home, line).run().ok().stdout;
        let is_head = |line: &&str| !line.is_empty() && !line.starts_with([' ', 'p']);
        text.lines().filter(is_head).map(str::to_owned).collect()
    };
    let fast = [
        "build    make",
        "test     unit",
        "lint     style  (left out: the profile fast does not ask for it)",
        "service  web",
        "service  worker",
    ];
    assert_eq!(heads("verify --plan"), fast);
    let why = "  (left out: not asked for: --service web)";
    let one = ["test     unit", "lint     style", "build    make"].map(|head| format!("{head}{why}"));
    let [unit, style, make] = one;
    assert_eq!(
        heads("verify --plan --service web"),
        [unit, style, make, "service  web".to_owned(), format!("service  worker{why}")]
    );
    let text = candor(&home, "verify --plan").run().ok().stdout;
    assert!(text.starts_with("plan: profile fast\n") && text.contains("\n    in api\n"), "{text}");
}

#[test]
fn a_plan_says_what_is_expected_of_a_probe_that_nobody_declared() {
    let manifest = "{\"scripts\":{\"start\":\"node server.js\"}}";
    let server = "require('http').createServer((q, s) => s.end('x')).listen(4001)\n";
    let home = home("", &[("package.json", manifest), ("server.js", server)]);
    candor(&home, "verify --plan").run().ok().stdout_has(
        "    probe GET /health: GET /health, fails at a 5xx or an error page; derived, for a service that opens a port\n",
    );
}

#[test]
fn a_profile_can_be_named() {
    let yaml = "checks:\n  - { name: style, run: 'touch styled', kind: lint }\n  - { name: unit, run: 'test -d .', kind: test }\n";
    let home = home(yaml, &[]);
    candor(&home, "verify").run().ok();
    assert!(!home.workspace().join("styled").exists());
    let ran = candor(&home, "verify --profile strict").run().ok();
    assert!(home.workspace().join("styled").exists() && ran.stdout.contains("profile strict"));
}

#[test]
fn secrets_are_masked_in_every_form() {
    let token = format!("ghp_{}", "R4nD0mT0k3nV4lu3F0rT3st1ngPurp0s3sXy");
    let home = home(&service(&format!("echo 'ERROR: token {token} was refused'; sleep 60")), &[]);
    for form in ["verify", "verify --json", "verify --junit", "verify --sarif"] {
        let ran = candor(&home, form).run().code(1);
        assert!(!ran.stdout.contains(&token) && !ran.stderr.contains(&token), "{form}: {}", ran.stdout);
        assert!(ran.stdout.contains("was refused"), "{form}: {}", ran.stdout);
    }
}

#[test]
fn commands_run_behind_the_walls() {
    let home = home("checks:\n  - { name: unit, run: 'touch \"$HOME/escaped\"', kind: test }\n", &[]);
    candor(&home, "verify").run();
    assert!(!home.user().join("escaped").exists(), "a check writes in the workspace and nowhere else");
}

#[test]
fn a_command_that_the_gate_refuses_is_not_run_and_leaves_it_open() {
    let home = home("checks:\n  - { name: unit, run: 'touch ran; rm -rf /', kind: test }\n", &[]);
    let ran = candor(&home, "verify").run().code(4);
    assert!(!home.workspace().join("ran").exists(), "{}", ran.stdout);
}

#[test]
fn a_service_is_reached_inside_the_walls() {
    let app = "import http.server, os\nclass H(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200); self.end_headers(); self.wfile.write(b'pong')\n    def log_message(self, *a): pass\nhttp.server.HTTPServer(('127.0.0.1', 18471), H).serve_forever()\n";
    let yaml = "services:\n  - name: api\n    command: python3 app.py\n    settle: 300ms\n    ready: { http: 'http://127.0.0.1:18471/' }\n    probes:\n      - { name: ping, http: { url: 'http://127.0.0.1:18471/ping', contains: pong } }\n";
    candor(&home(yaml, &[("app.py", app)]), "verify").run().ok();
}

#[test]
fn complaints_are_remembered_from_one_look_to_the_next() {
    let yaml = "checks:\n  - { name: build, run: 'python3 -m py_compile tool.py', kind: build }\n";
    let home = home(yaml, &[("tool.py", "def broken(:\n")]);
    home.write("config.toml", "");
    candor(&home, "verify").run().code(1);
    let report = json_of(&candor(&home, "verify --json").run().code(1));
    assert_eq!(report["diagnostics"][0]["seen"], 2, "{report:#}");
}

#[test]
fn it_works_without_a_home_a_key_and_a_configuration() {
    let home = home(GOOD, &[("test.sh", "exit 0\n")]);
    Candor::new(BINARY, &home).args(["verify"]).run().ok();
    assert!(!home.path().join("candor.db").exists());
}
