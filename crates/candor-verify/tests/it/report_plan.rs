//! A plan, for people and for programs.

use candor_verify::declare::read;
use candor_verify::plan::Plan;
use candor_verify::report::{LeftOut, Paint, Selection, plan_json, plan_text};
use serde_json::json;

use crate::declare::{EVERYTHING, workspace};

fn plan() -> Plan {
    let mut plan = read(workspace(".candor/verify.yaml", EVERYTHING).path());
    plan.stacks = vec!["python (pip)".to_owned()];
    plan
}

fn left_out() -> [LeftOut; 1] {
    [LeftOut { name: "kinds".to_owned(), why: "smoke leaves types out".to_owned() }]
}

#[test]
fn a_plan_says_what_would_run_and_why() {
    let left_out = left_out();
    let text = plan_text(&plan(), &Selection { profile: "smoke", left_out: &left_out }, Paint::Plain);
    let expected = r#"plan: python (pip); profile smoke

test     unit
    $ pytest -q
    because: declared (.candor/verify.yaml:5)

types    kinds  (left out: smoke leaves types out)
    $ make types
    in backend
    with the variables PORT, VERSION, DEBUG, EMPTY, TEXT
    needs make, gcc
    within 90s
    because: declared (.candor/verify.yaml:6)

custom   true
    $ true
    because: declared (.candor/verify.yaml:13)

service  api
    $ python3 app.py
    with the variables A
    needs python3
    ready: http://127.0.0.1:8000/healthz answers within 10s
    probe ping: GET http://127.0.0.1:8000/ping, 200, contains "pong", within 5s, 3 more tries
    probe GET /health: GET /health, 2xx or 3xx, within 2s
    probe POST /x: POST /x, 2xx or 3xx, content-type with "json", within 2s
    probe GET /y: GET /y, 2xx or 3xx, matches "^\\d+$", $.a.b[0] is 1, $['c d'][*] is "ok", $ is null, fits its schema, within 2s
    probe port: 127.0.0.1:8000 accepts a connection, within 2s
    probe grpc localhost:50051: localhost:50051 says SERVING, within 2s
    probe grpc [::1]:50051: [::1]:50051 says SERVING for a.B, within 2s
    probe websocket ws://127.0.0.1:8000/ws: connect to ws://127.0.0.1:8000/ws, send "hi", expects "hello", within 2s
    probe websocket /ws: connect to /ws, within 2s
    probe cli: $ python3 probe.py, exit 3, stdout with "ok", stderr with "5", within 2s
    probe exec python3 other.py: $ python3 other.py, exit 0, within 2s
    probe stdin ping: send "ping" to stdin, expects "pong", within 2s
    probe file out/result.txt: the file out/result.txt is there, expects "done", matches "^d", within 2s
    probe file out/other.txt: the file out/other.txt is there, within 2s
    probe log started in \d+ ms: a line of its logs matches "started in \\d+ ms", within 2s
    probe sql select 1: query "select 1", expects "1", within 2s
    probe sql select 1 2: query "select 1", within 2s
    probe message ping: message "ping" through TELEGRAM_API_BASE, expects "pong", within 2s
    logs: stdout, stderr, logs/*.log
    is left running
    because: declared (.candor/verify.yaml:15)
"#;
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.contains("\n    ready: [::1]:9000 accepts connections within 60s\n    no probes\n"),
        "{text}"
    );
    assert!(text.contains("\n    ready: a line matches \"listening on \\\\d+\" within 60s\n"), "{text}");
    assert!(!text.contains("u:p@"), "a password is not shown: {text}");
}

#[test]
fn an_empty_plan_says_so_and_mistakes_and_notes_are_at_its_end() {
    let mut plan = read(workspace(".candor/verify.yaml", "remote_probes: true\nx: 1\n").path());
    plan.notes.push("a note".to_owned());
    let text = plan_text(&plan, &Selection { profile: "fast", left_out: &[] }, Paint::Plain);
    assert_eq!(
        text,
        "plan: no kind of project that is known; profile fast\n\
         nothing that can be run was found; .candor/verify.yaml can declare it\n\
         probes may leave this machine: remote_probes is declared\n\n\
         mistake: .candor/verify.yaml:2:1: unknown key \"x\"; known here: checks, services, only_declared, remote_probes\n\
         note: a note"
    );
}

#[test]
fn a_plan_as_json_names_everything_but_the_values_of_variables() {
    let left_out = left_out();
    let json = plan_json(&plan(), &Selection { profile: "smoke", left_out: &left_out });
    assert_eq!(
        json["checks"][1],
        json!({ "name": "kinds", "kind": "types", "run": "make types", "cwd": "backend",
            "env": ["PORT", "VERSION", "DEBUG", "EMPTY", "TEXT"], "timeoutMs": 90_000, "needs": ["make", "gcc"], "needsFiles": [],
            "source": { "file": ".candor/verify.yaml", "line": 6, "declared": true, "why": "declared" },
            "leftOut": "smoke leaves types out" })
    );
    let api = &json["services"][0];
    assert_eq!(api["ready"], json!({ "http": "http://127.0.0.1:8000/healthz", "timeoutMs": 10_000 }));
    assert_eq!(
        (&api["stopSignal"], &api["settleMs"], &api["cwd"]),
        (&json!("SIGINT"), &json!(500), &json!("."))
    );
    assert_eq!(
        api["probes"][0],
        json!({ "name": "ping", "asks": "GET http://127.0.0.1:8000/ping, 200, contains \"pong\"", "timeoutMs": 5000, "retries": 3, "derived": false })
    );
    assert_eq!(
        (&json["profile"], &json["onlyDeclared"], &json["remoteProbes"]),
        (&json!("smoke"), &json!(true), &json!(false))
    );
    assert_eq!((&json["problems"], &json["stacks"]), (&json!([]), &json!(["python (pip)"])));
    assert!(!json.to_string().contains("u:p@"));
}
