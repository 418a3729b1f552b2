//! `.candor/verify.yaml`: what is read, and what is told about mistakes.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use candor_testkit::{Sweep, mutate};
use candor_verify::declare::read;
use candor_verify::plan::{
    CheckKind, HttpProbe, PROBE_TIMEOUT, Plan, Probe, ProbeHow, READY_TIMEOUT, ReadyWhen, StopSignal,
};
use serde_json::json;
use tempfile::TempDir;

/// Every key of a declaration.
pub(crate) const EVERYTHING: &str = r#"
only_declared: true
remote_probes: false
checks:
  - { name: unit, run: "pytest -q", kind: test }
  - name: kinds
    run: make types
    kind: types
    cwd: ./sub/../backend
    env: { PORT: 8000, VERSION: 1.10, DEBUG: true, EMPTY: , TEXT: "a b" }
    timeout: 1m30s
    needs: [make, gcc]
  - run: "true"
services:
  - name: api
    command: "python3 app.py"
    cwd: "."
    env:
      A: b
    settle: 500ms
    stop_signal: SIGINT
    keep_running: true
    ready: { http: "http://127.0.0.1:8000/healthz", timeout: 10s }
    needs: python3
    probes:
      - name: ping
        http: { url: "http://127.0.0.1:8000/ping", status: 200, contains: "pong" }
        timeout: 5
        retries: 3
      - http: /health
      - http: { path: "/x", method: post, headers: { X-A: 1 }, body: { a: [1, two] }, expect_headers: { content-type: json } }
      - http:
          url: /y
          regex: '^\d+$'
          json: { "$.a.b[0]": 1, "$['c d'][*]": ok, $: null }
          schema: { type: object, required: [a] }
      - { name: port, tcp: "127.0.0.1:8000" }
      - { grpc: "localhost:50051" }
      - { grpc: { address: "[::1]:50051", service: a.B } }
      - { websocket: { url: "ws://127.0.0.1:8000/ws", send: hi, expect: hello } }
      - { websocket: /ws }
      - { name: cli, exec: "python3 probe.py", expect: { exit: 3, stdout: "ok", stderr: 5 } }
      - { exec: "python3 other.py" }
      - { stdin: { send: ping, expect: pong } }
      - { file: { path: out/result.txt, contains: done, matches: "^d" } }
      - { file: out/other.txt }
      - { log: 'started in \d+ ms' }
      - { sql: { url: "sqlite:data/app.db", query: "select 1", expect: 1 } }
      - { sql: { url: "postgres://u:p@127.0.0.1:5432/app", query: "select 1" } }
      - { message: { text: "ping", expect: "pong", api_base_env: TELEGRAM_API_BASE } }
    logs: ["logs/*.log"]
    log_deny: ['handlers\.\w+ - ERROR -']
    log_allow: "connection reset by test client"
  - { command: ./worker.sh, ready: { tcp: "[::1]:9000" } }
  - { name: last, command: ./last.sh, ready: { log: "listening on \\d+" }, stop_signal: HUP }
"#;

/// Files in which there is nothing wrong.
pub(crate) const GOOD: &[(&str, &str)] = &[
    ("everything", EVERYTHING),
    ("nothing", ""),
    ("only a comment", "# nothing yet\n"),
    ("a document without contents", "---\n"),
    ("null", "~\n"),
    ("headings without contents", "checks:\nservices:\n"),
    ("keys without values", "checks:\n  - { run: x, kind: , cwd: , env: , timeout: , needs: , name: }\n"),
    ("a command that is a word of YAML", "checks:\n  - run: true\n"),
    ("a mark of the byte order", "\u{feff}checks:\n  - run: x\n"),
    ("line ends from elsewhere", "checks:\r\n  - run: x\r\n    kind: test\r\n"),
    ("base and alias", "checks:\n  - &a { run: x, env: { A: b } }\n  - { <<: *a, run: y }\n"),
    ("an empty list", "checks: []\nservices: []\n"),
];

/// Whether the JSON Schema sees a mistake as well. It knows nothing of regular expressions, names and places in other lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    Sees,
    IsBlind,
}
use Schema::{IsBlind, Sees};

/// Files with mistakes: before each place that is told stands a `¶`; then a part of every sentence, in the order of the places.
pub(crate) const BAD: &[(&str, &str, &[&str], Schema)] = &[
    ("no table", "¶- a\n", &["expected checks and services, a table of keys and values, found a list"], Sees),
    ("a word", "¶hello\n", &["found \"hello\""], Sees),
    ("unknown key", "¶check:\n  - run: x\n", &["unknown key \"check\"; did you mean \"checks\"?"], Sees),
    (
        "unknown key without a near one",
        "checks:\n  - run: x\n    ¶zzz: 1\n",
        &["unknown key \"zzz\"; known here: name, run, kind, cwd, env, timeout, needs"],
        Sees,
    ),
    ("another tool's word", "checks:\n  - ¶command: x\n", &["did you mean \"run\"?", "needs \"run\""], Sees),
    (
        "another tool's word too",
        "services:\n  - ¶{ ¶run: x }\n",
        &["needs \"command\"", "did you mean \"command\"?"],
        Sees,
    ),
    ("no list", "checks: ¶{ run: x }\n", &["checks: expected a list of checks, found a table"], Sees),
    (
        "no check",
        "checks:\n  - ¶pytest -q\n",
        &["expected a check, a table of keys and values, found \"pytest -q\""],
        Sees,
    ),
    ("no command", "checks:\n  - ¶name: a\n", &["a check needs \"run\""], Sees),
    ("empty command", "checks:\n  - run: ¶\" \"\n", &["run: expected a command, found nothing"], Sees),
    (
        "command as a list",
        "checks:\n  - run: ¶[pytest, -q]\n",
        &["run: expected a command in one text, found a list"],
        Sees,
    ),
    ("zero byte", "checks:\n  - run: ¶\"a\\0b\"\n", &["zero byte"], IsBlind),
    (
        "unknown kind",
        "checks:\n  - { run: x, kind: ¶tets }\n",
        &[
            "kind: expected one of build, test, lint, types, syntax, custom, install, found \"tets\"; did you mean \"test\"?",
        ],
        Sees,
    ),
    (
        "time without unit",
        "checks:\n  - { run: x, timeout: ¶5 parsecs }\n",
        &["timeout: expected a length of time such as 10s, 500ms or 2m, found \"5 parsecs\""],
        Sees,
    ),
    (
        "negative time",
        "checks:\n  - { run: x, timeout: ¶-5 }\n",
        &["timeout: expected a length of time"],
        Sees,
    ),
    ("no time", "checks:\n  - { run: x, timeout: ¶0s }\n", &["at least 1ms"], IsBlind),
    ("too long a time", "checks:\n  - { run: x, timeout: ¶25h }\n", &["at most 24h"], IsBlind),
    (
        "a time that is not",
        "checks:\n  - { run: x, timeout: ¶1e999s }\n",
        &["expected a length of time"],
        Sees,
    ),
    (
        "out of the workspace",
        "checks:\n  - { run: x, cwd: ¶../other }\n",
        &["cwd: \"../other\" leads out of the workspace"],
        IsBlind,
    ),
    (
        "out by a detour",
        "checks:\n  - { run: x, cwd: ¶a/../../b }\n",
        &["leads out of the workspace"],
        IsBlind,
    ),
    ("absolute folder", "checks:\n  - { run: x, cwd: ¶/etc }\n", &["leads out of the workspace"], Sees),
    ("home folder", "checks:\n  - { run: x, cwd: ¶~/x }\n", &["leads out of the workspace"], Sees),
    (
        "variables as a list",
        "checks:\n  - { run: x, env: ¶[A=b] }\n",
        &["env: expected variables and their values, found a list"],
        Sees,
    ),
    (
        "bad variable",
        "checks:\n  - { run: x, env: { ¶A-B: c } }\n",
        &["env: \"A-B\" cannot be one of variables"],
        Sees,
    ),
    (
        "a table for a variable",
        "checks:\n  - { run: x, env: { A: ¶[c] } }\n",
        &["expected text for \"A\", found a list"],
        Sees,
    ),
    (
        "a program with arguments",
        "checks:\n  - { run: x, needs: [¶\"a b\"] }\n",
        &["needs: expected the name of a program, found \"a b\""],
        Sees,
    ),
    ("long name", "checks:\n  - { run: x, name: ¶\"a\\nb\" }\n", &["name: expected a name, one line"], Sees),
    (
        "same name twice",
        "checks:\n  - { name: a, run: x }\n  - { name: ¶a, run: y }\n",
        &["another check is called \"a\" already; this one is left out"],
        IsBlind,
    ),
    (
        "same service twice",
        "services:\n  - { name: a, command: x }\n  - { command: y, name: ¶a }\n",
        &["another service is called \"a\" already"],
        IsBlind,
    ),
    (
        "same key twice",
        "checks:\n  - run: x\n    ¶run: y\n",
        &["the key \"run\" stands here a second time; the first is on line 2, and counts"],
        IsBlind,
    ),
    ("no flag", "only_declared: ¶yes\n", &["only_declared: expected true or false, found \"yes\""], IsBlind),
    (
        "no flag in a service",
        "services:\n  - { command: x, keep_running: ¶1 }\n",
        &["keep_running: expected true or false, found \"1\""],
        Sees,
    ),
    (
        "unknown signal",
        "services:\n  - { command: x, stop_signal: ¶USR1 }\n",
        &["stop_signal: expected one of SIGTERM"],
        Sees,
    ),
    (
        "bad pattern",
        "services:\n  - { command: x, log_deny: [¶'a(', b] }\n",
        &["log_deny: \"a(\" is no regular expression: unclosed group"],
        IsBlind,
    ),
    (
        "absolute log",
        "services:\n  - command: x\n    logs: [¶/var/log/syslog]\n",
        &["logs: \"/var/log/syslog\" leads out of the workspace"],
        Sees,
    ),
    (
        "not ready in any way",
        "services:\n  - command: x\n    ready: ¶{ timeout: 1s }\n",
        &["ready: expected one of http, tcp or log"],
        Sees,
    ),
    (
        "ready in two ways",
        "services:\n  - command: x\n    ready: { tcp: \"a:1\", ¶log: b }\n",
        &["ready: \"tcp\" tells already when it is ready"],
        Sees,
    ),
    (
        "ready without a host",
        "services:\n  - command: x\n    ready: { http: ¶/healthz }\n",
        &["http: expected an address such as \"http://127.0.0.1:8000/ping\""],
        Sees,
    ),
    (
        "ready as a word",
        "services:\n  - command: x\n    ready: ¶soon\n",
        &["ready: expected what tells that it is ready, a table"],
        Sees,
    ),
    (
        "probes as a table",
        "services:\n  - command: x\n    probes: ¶{ tcp: \"a:1\" }\n",
        &["probes: expected a list of probes, found a table"],
        Sees,
    ),
    (
        "a probe without a way",
        "services:\n  - command: x\n    probes:\n      - ¶{ name: a }\n",
        &["a probe needs a way to ask, one of http, tcp"],
        Sees,
    ),
    (
        "a probe with two ways",
        "services:\n  - command: x\n    probes:\n      - { http: /, ¶tcp: \"a:1\" }\n",
        &["this probe asks by \"http\" already"],
        Sees,
    ),
    (
        "expect without exec",
        "services:\n  - command: x\n    probes:\n      - { http: /, ¶expect: { exit: 0 } }\n",
        &["\"expect\" belongs to exec"],
        Sees,
    ),
    (
        "a URL without a scheme",
        "services:\n  - command: x\n    probes:\n      - { http: ¶\"127.0.0.1:8000/ping\" }\n",
        &["http: expected an address such as \"http://127.0.0.1:8000/ping\", or a path such as \"/ping\""],
        Sees,
    ),
    (
        "a URL with another scheme",
        "services:\n  - command: x\n    probes:\n      - { http: ¶\"ftp://a/\" }\n",
        &["begins with http:// or https://"],
        IsBlind,
    ),
    (
        "a URL without a host",
        "services:\n  - command: x\n    probes:\n      - { http: { url: ¶\"http:///x\" } }\n",
        &["url: expected a host"],
        Sees,
    ),
    (
        "a URL with a port too high",
        "services:\n  - command: x\n    probes:\n      - { http: ¶\"http://a:65536/\" }\n",
        &["a port from 1 to 65535"],
        IsBlind,
    ),
    (
        "a URL with a space",
        "services:\n  - command: x\n    probes:\n      - { http: ¶\"http://a/b c\" }\n",
        &["write %20"],
        Sees,
    ),
    (
        "url and path",
        "services:\n  - command: x\n    probes:\n      - http:\n          url: /a\n          ¶path: /b\n",
        &["http: \"url\" and \"path\" say the same"],
        Sees,
    ),
    (
        "neither url nor path",
        "services:\n  - command: x\n    probes:\n      - http: ¶{ status: 200 }\n",
        &["http: expected \"url\""],
        Sees,
    ),
    (
        "a path without a slash",
        "services:\n  - command: x\n    probes:\n      - http: { path: ¶ping }\n",
        &["path: expected a path that begins with one /"],
        Sees,
    ),
    (
        "a status that is none",
        "services:\n  - command: x\n    probes:\n      - http: { url: /, status: ¶99 }\n",
        &["status: expected a whole number from 100 to 599, found \"99\""],
        Sees,
    ),
    (
        "a method that is none",
        "services:\n  - command: x\n    probes:\n      - http: { url: /, method: ¶\"GET /\" }\n",
        &["method: expected a method such as GET or POST"],
        Sees,
    ),
    (
        "a header that is none",
        "services:\n  - command: x\n    probes:\n      - http: { url: /, headers: { ¶\"a b\": c } }\n",
        &["headers: \"a b\" cannot be one of headers"],
        Sees,
    ),
    (
        "a header of two lines",
        "services:\n  - command: x\n    probes:\n      - http: { url: /, headers: { a: ¶\"b\\r\\nc: d\" } }\n",
        &["holds a character that it cannot hold"],
        IsBlind,
    ),
    (
        "matches and regex",
        "services:\n  - command: x\n    probes:\n      - http: { url: /, matches: a, ¶regex: b }\n",
        &["\"matches\" and \"regex\" are the same"],
        Sees,
    ),
    (
        "a JSON path that is none",
        "services:\n  - command: x\n    probes:\n      - http: { url: /, json: { ¶a.b: 1 } }\n",
        &["json: \"a.b\" is no JSON path"],
        Sees,
    ),
    (
        "a schema that is none",
        "services:\n  - command: x\n    probes:\n      - http: { url: /, schema: ¶object }\n",
        &["schema: expected a JSON Schema, a table"],
        Sees,
    ),
    (
        "a port alone",
        "services:\n  - command: x\n    probes:\n      - tcp: ¶8000\n",
        &["tcp: expected host:port, such as \"127.0.0.1:8000\", found \"8000\""],
        Sees,
    ),
    (
        "a host alone",
        "services:\n  - command: x\n    probes:\n      - tcp: ¶localhost\n",
        &["tcp: expected host:port"],
        Sees,
    ),
    (
        "grpc without address",
        "services:\n  - command: x\n    probes:\n      - grpc: ¶{ service: a }\n",
        &["grpc: expected \"address\""],
        Sees,
    ),
    (
        "websocket by http",
        "services:\n  - command: x\n    probes:\n      - websocket: { url: ¶\"http://a/\" }\n",
        &["url: expected an address that begins with ws:// or wss://"],
        IsBlind,
    ),
    (
        "an exit code that is none",
        "services:\n  - command: x\n    probes:\n      - { exec: y, expect: { exit: ¶256 } }\n",
        &["exit: expected a whole number from 0 to 255"],
        Sees,
    ),
    (
        "a file elsewhere",
        "services:\n  - command: x\n    probes:\n      - file: { path: ¶/etc/passwd }\n",
        &["path: \"/etc/passwd\" leads out of the workspace"],
        Sees,
    ),
    (
        "a database elsewhere",
        "services:\n  - command: x\n    probes:\n      - sql: { url: ¶\"sqlite:///var/lib/x.db\", query: q }\n",
        &["url: expected a database file in the workspace"],
        Sees,
    ),
    (
        "a database of another kind",
        "services:\n  - command: x\n    probes:\n      - sql: { url: ¶\"mysql://u:secret@h/x\", query: q }\n",
        &["url: expected a database, such as"],
        Sees,
    ),
    (
        "a message without its variable",
        "services:\n  - command: x\n    probes:\n      - message: ¶{ text: ping }\n",
        &["message: expected \"api_base_env\""],
        Sees,
    ),
    (
        "too many tries",
        "services:\n  - command: x\n    probes:\n      - { tcp: \"a:1\", retries: ¶101 }\n",
        &["retries: expected a whole number from 0 to 100"],
        Sees,
    ),
    ("broken YAML", "checks:\n  - run: x\n  - run: ¶\"y\n", &["this is not valid YAML"], IsBlind),
    ("a tab as indentation", "checks:\n\t¶- run: x\n", &["this is not valid YAML: tabs disallowed"], IsBlind),
    ("two documents", "checks: []\n¶---\nchecks: []\n", &["a second YAML document begins here"], IsBlind),
    ("a list as a key", "¶[a]: b\n", &["a key must be a word"], IsBlind),
    ("an alias without an anchor", "checks: ¶*a\n", &["this is not valid YAML"], IsBlind),
    (
        "several mistakes, and characters of more than a byte",
        "checks:\n  - { name: \"äöü\", ¶kynd: test, run: x }\n  - { run: y, timeout: ¶soon }\n¶zervices: []\n",
        &["did you mean \"kind\"?", "found \"soon\"", "did you mean \"services\"?"],
        Sees,
    ),
];

/// A workspace with this declaration.
pub(crate) fn workspace(file: &str, text: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), file, text);
    folder
}

pub(crate) fn write(root: &Path, file: &str, text: impl AsRef<[u8]>) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn declared(text: impl AsRef<[u8]>) -> Plan {
    read(workspace(".candor/verify.yaml", text).path())
}

/// The problems, as `line:column message`.
pub(crate) fn told(plan: &Plan) -> Vec<String> {
    plan.problems
        .iter()
        .map(|problem| format!("{}:{} {}", problem.line, problem.column, problem.message))
        .collect()
}

#[test]
fn nothing_declared_is_an_empty_plan() {
    assert_eq!(read(tempfile::tempdir().unwrap().path()), Plan::default());
    assert_eq!(read(Path::new("not/there")), Plan::default());
}

#[test]
fn good_files_have_no_problems() {
    for (name, text) in GOOD {
        assert_eq!(told(&declared(text)), Vec::<String>::new(), "{name}");
    }
}

/// A text without its marks, and the places where they stood.
pub(crate) fn unmarked(marked: &str) -> (String, Vec<(u32, u32)>) {
    let (mut text, mut places, mut place) = (String::new(), Vec::new(), (1, 1));
    for c in marked.chars() {
        match c {
            '¶' => {
                places.push(place);
                continue;
            }
            '\n' => place = (place.0 + 1, 1),
            _ => place.1 += 1,
        }
        text.push(c);
    }
    (text, places)
}

#[test]
fn each_mistake_is_told_with_its_place_and_what_would_be_right() {
    for (name, marked, parts, _) in BAD {
        let (text, places) = unmarked(marked);
        let plan = declared(text);
        let told = told(&plan);
        assert_eq!(told.len(), parts.len(), "{name}: {told:#?}");
        for (told, part) in told.iter().zip(*parts) {
            assert!(told.contains(part), "{name}: expected {part}, told {told}");
        }
        let mut found: Vec<_> = plan.problems.iter().map(|problem| (problem.line, problem.column)).collect();
        found.dedup();
        assert_eq!(found, places, "{name}: {told:#?}");
        assert!(
            plan.problems.iter().all(|problem| problem.file == Path::new(".candor/verify.yaml")),
            "{name}"
        );
    }
}

#[test]
fn a_secret_in_a_wrong_place_is_not_quoted() {
    let text = "services:\n  - command: x\n    env: { A: [hunter2] }\n    probes:\n      - sql: { url: \"mysql://u:hunter2@h/x\", query: q }\n";
    assert!(!told(&declared(text)).concat().contains("hunter2"));
}

#[test]
fn checks_are_read_with_all_their_keys() {
    let plan = declared(EVERYTHING);
    assert!(plan.only_declared && !plan.remote_probes);
    let [unit, kinds, last] = plan.checks.as_slice() else { panic!("{:#?}", plan.checks) };
    assert_eq!((unit.name.as_str(), unit.run.as_str(), unit.kind), ("unit", "pytest -q", CheckKind::Test));
    assert_eq!((unit.source.file.as_path(), unit.source.line), (Path::new(".candor/verify.yaml"), Some(5)));
    assert!(unit.source.declared && unit.timeout.is_none() && unit.cwd.as_os_str().is_empty());
    assert_eq!((kinds.kind, kinds.cwd.as_path()), (CheckKind::Types, Path::new("backend")));
    let env: Vec<_> = kinds.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    // As they are written: a version is no number.
    assert_eq!(
        env,
        [("PORT", "8000"), ("VERSION", "1.10"), ("DEBUG", "true"), ("EMPTY", ""), ("TEXT", "a b")]
    );
    assert_eq!(
        (kinds.timeout, kinds.needs.as_slice()),
        (Some(Duration::from_secs(90)), &["make".to_owned(), "gcc".to_owned()][..])
    );
    assert_eq!((last.name.as_str(), last.kind), ("true", CheckKind::Custom));
}

#[test]
fn services_are_read_with_all_their_keys() {
    let plan = declared(EVERYTHING);
    let [api, worker, last] = plan.services.as_slice() else { panic!("{:#?}", plan.services) };
    assert_eq!((api.name.as_str(), api.command.as_str()), ("api", "python3 app.py"));
    assert!(api.cwd.as_os_str().is_empty() && api.keep_running && api.source.declared);
    assert_eq!(api.env, [("A".to_owned(), "b".to_owned())]);
    assert_eq!((api.settle, api.stop_signal), (Some(Duration::from_millis(500)), Some(StopSignal::Int)));
    let ready = api.ready.as_ref().unwrap();
    assert_eq!(ready.when, ReadyWhen::Http("http://127.0.0.1:8000/healthz".to_owned()));
    assert_eq!((ready.timeout, api.needs.as_slice()), (Duration::from_secs(10), &["python3".to_owned()][..]));
    assert_eq!(api.logs, ["logs/*.log"]);
    assert_eq!(api.log_deny, [r"handlers\.\w+ - ERROR -"]);
    assert_eq!(api.log_allow, ["connection reset by test client"]);
    assert_eq!((worker.name.as_str(), worker.keep_running), ("service", false));
    let ready = worker.ready.as_ref().unwrap();
    assert_eq!((&ready.when, ready.timeout), (&ReadyWhen::Tcp("[::1]:9000".to_owned()), READY_TIMEOUT));
    assert_eq!(last.ready.as_ref().unwrap().when, ReadyWhen::Log("listening on \\d+".to_owned()));
    assert_eq!(last.stop_signal, Some(StopSignal::Hup));
}

fn probe(plan: &Plan, name: &str) -> Probe {
    let found = plan.services.iter().flat_map(|service| &service.probes).find(|probe| probe.name == name);
    found.cloned().unwrap_or_else(|| panic!("no probe {name}: {:#?}", plan.services))
}

#[test]
fn http_probes_are_read_with_all_their_keys() {
    let plan = declared(EVERYTHING);
    let ping = probe(&plan, "ping");
    assert_eq!((ping.timeout, ping.retries, ping.derived), (Duration::from_secs(5), 3, false));
    assert_eq!(
        ping.how,
        ProbeHow::Http(HttpProbe {
            url: "http://127.0.0.1:8000/ping".to_owned(),
            status: Some(200),
            contains: Some("pong".to_owned()),
            ..HttpProbe::default()
        })
    );
    let health = probe(&plan, "GET /health");
    assert_eq!((health.timeout, health.retries), (PROBE_TIMEOUT, 0));
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        probe(&plan, "POST /x").how,
        ProbeHow::Http(HttpProbe {
            url: "/x".to_owned(),
            method: Some("POST".to_owned()),
            headers: vec![pair("X-A", "1"), pair("content-type", "application/json")],
            body: Some(r#"{"a":[1,"two"]}"#.to_owned()),
            expect_headers: vec![pair("content-type", "json")],
            ..HttpProbe::default()
        })
    );
    let json = [("$.a.b[0]", json!(1)), ("$['c d'][*]", json!("ok")), ("$", json!(null))];
    assert_eq!(
        probe(&plan, "GET /y").how,
        ProbeHow::Http(HttpProbe {
            url: "/y".to_owned(),
            matches: Some(r"^\d+$".to_owned()),
            json: json.into_iter().map(|(path, value)| (path.to_owned(), value)).collect(),
            schema: Some(json!({ "type": "object", "required": ["a"] })),
            ..HttpProbe::default()
        })
    );
}

#[test]
fn every_other_way_to_ask_is_read() {
    let plan = declared(EVERYTHING);
    let text = |text: &str| Some(text.to_owned());
    let grpc = |address: &str, service: &str| ProbeHow::Grpc {
        address: address.to_owned(),
        service: service.to_owned(),
    };
    let sql = |url: &str, expect| ProbeHow::Sql { url: url.to_owned(), query: "select 1".to_owned(), expect };
    let file = |path: &str, contains, matches| ProbeHow::File { path: path.into(), contains, matches };
    for (name, how) in [
        ("port", ProbeHow::Tcp("127.0.0.1:8000".to_owned())),
        ("grpc localhost:50051", grpc("localhost:50051", "")),
        ("grpc [::1]:50051", grpc("[::1]:50051", "a.B")),
        (
            "websocket ws://127.0.0.1:8000/ws",
            ProbeHow::Websocket {
                url: "ws://127.0.0.1:8000/ws".to_owned(),
                send: text("hi"),
                expect: text("hello"),
            },
        ),
        ("websocket /ws", ProbeHow::Websocket { url: "/ws".to_owned(), send: None, expect: None }),
        (
            "cli",
            ProbeHow::Exec {
                command: "python3 probe.py".to_owned(),
                exit: 3,
                stdout: text("ok"),
                stderr: text("5"),
            },
        ),
        (
            "exec python3 other.py",
            ProbeHow::Exec { command: "python3 other.py".to_owned(), exit: 0, stdout: None, stderr: None },
        ),
        ("stdin ping", ProbeHow::Stdin { send: "ping".to_owned(), expect: text("pong") }),
        ("file out/result.txt", file("out/result.txt", text("done"), text("^d"))),
        ("file out/other.txt", file("out/other.txt", None, None)),
        (r"log started in \d+ ms", ProbeHow::Log(r"started in \d+ ms".to_owned())),
        ("sql select 1", sql("sqlite:data/app.db", text("1"))),
        // The second without a name gets a number.
        ("sql select 1 2", sql("postgres://u:p@127.0.0.1:5432/app", None)),
        (
            "message ping",
            ProbeHow::Message {
                text: "ping".to_owned(),
                expect: text("pong"),
                api_base_env: "TELEGRAM_API_BASE".to_owned(),
            },
        ),
    ] {
        assert_eq!(probe(&plan, name).how, how, "{name}");
    }
    assert_eq!(plan.services[0].probes.len(), 18);
}

#[test]
fn the_example_of_the_contract_is_read_as_it_stands() {
    let plan = declared(
        r#"
checks:
  - { name: unit, run: "pytest -q", kind: test }            # kind: build | test | lint | types | syntax | custom
services:
  - name: api
    command: "python3 app.py"
    cwd: "."                                                 # optional, as are env, settle, stop_signal, keep_running
    ready: { http: "http://127.0.0.1:8000/healthz", timeout: 10s }   # or tcp: "127.0.0.1:8000", or log: "regex"
    probes:
      - { name: ping, http: { url: "http://127.0.0.1:8000/ping", status: 200, contains: "pong" } }
      - { name: cli,  exec: "python3 probe.py", expect: { exit: 0, stdout: "ok" } }
      - { name: chat, message: { text: "ping", expect: "pong", api_base_env: TELEGRAM_API_BASE } }
    logs: ["logs/*.log"]                                     # stdout and stderr are always watched
    log_deny: ['handlers\.\w+ - ERROR -']
    log_allow: ["connection reset by test client"]
"#,
    );
    assert_eq!(told(&plan), Vec::<String>::new());
    let names: Vec<_> = plan.services[0].probes.iter().map(|probe| probe.name.as_str()).collect();
    assert_eq!((plan.checks.len(), plan.services.len(), names), (1, 1, vec!["ping", "cli", "chat"]));
}

#[test]
fn a_mistake_leaves_out_as_little_as_possible() {
    let plan = declared(
        "checks:\n  - { run: a, kind: tets, timeout: soon, needs: [x, ''] }\n  - { run: b, cwd: /etc }\n  - { run: c }\n\
         services:\n  - command: s\n    ready: { http: nowhere }\n    settle: x\n    log_deny: ['(', ok]\n    probes:\n      \
         - { tcp: nowhere }\n      - { tcp: \"a:1\", timeout: never }\n      - { http: { url: /, statuz: 200 } }\n",
    );
    let runs: Vec<_> = plan.checks.iter().map(|check| check.run.as_str()).collect();
    // A check in another folder than the one that was meant would be another check.
    assert_eq!(runs, ["a", "c"]);
    assert_eq!((plan.checks[0].kind, plan.checks[0].timeout), (CheckKind::Custom, None));
    assert_eq!(plan.checks[0].needs, ["x"]);
    let service = &plan.services[0];
    assert_eq!(
        (service.ready.is_none(), service.settle, service.log_deny.as_slice()),
        (true, None, &["ok".to_owned()][..])
    );
    let names: Vec<_> = service.probes.iter().map(|probe| probe.name.as_str()).collect();
    assert_eq!(names, ["tcp a:1", "GET /"]);
    assert_eq!(plan.problems.len(), 10, "{:#?}", told(&plan));
}

#[test]
fn what_stands_before_a_break_in_the_text_counts() {
    let plan =
        declared("checks:\n  - run: a\n  - run: b\nservices:\n  - command: s\n  - command: 't\n    x: [\n");
    assert_eq!(plan.checks.len(), 2);
    let commands: Vec<_> = plan.services.iter().map(|service| service.command.as_str()).collect();
    assert_eq!(commands, ["s"]);
    assert_eq!(plan.problems.len(), 1, "{:#?}", told(&plan));
}

#[test]
fn names_that_are_made_up_give_way_to_names_that_are_given() {
    let plan = declared(
        "checks:\n  - { run: a, kind: test }\n  - { run: b, kind: test }\n  - { run: c, name: test }\n",
    );
    let names: Vec<_> = plan.checks.iter().map(|check| (check.name.as_str(), check.run.as_str())).collect();
    assert_eq!(names, [("test 2", "a"), ("test 3", "b"), ("test", "c")]);
}

#[test]
fn lists_are_bounded() {
    let probes = "      - { tcp: \"a:1\" }\n".repeat(101);
    let plan = declared(format!(
        "checks:\n{}services:\n  - command: x\n    probes:\n{probes}{}",
        "  - run: x\n".repeat(101),
        "  - command: x\n".repeat(100)
    ));
    assert_eq!((plan.checks.len(), plan.services.len(), plan.services[0].probes.len()), (100, 100, 100));
    let told = told(&plan);
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(told[0].starts_with("102:5 checks: these are more than 100 checks"), "{told:#?}");
}

#[test]
fn problems_are_bounded() {
    let plan = declared(format!("checks:\n{}", "  - { a: 1, b: 2, c: 3 }\n".repeat(90)));
    assert_eq!(plan.problems.len(), 100);
}

#[test]
fn a_bomb_of_aliases_is_refused_and_what_stands_before_it_counts() {
    let mut text = "checks:\n  - run: a\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let inner = format!("*a{}", level - 1);
        writeln!(text, "a{level}: &a{level} [{}]", [inner.as_str(); 10].join(", ")).unwrap();
    }
    let plan = declared(text);
    assert_eq!(plan.checks.len(), 1);
    assert!(told(&plan).iter().any(|told| told.contains("more than 50000 values")), "{:#?}", told(&plan));
}

#[test]
fn words_count_whichever_way_they_are_capitalised() {
    let plan =
        declared("checks:\n  - { run: x, kind: Test }\nservices:\n  - { command: y, stop_signal: sigint }\n");
    assert_eq!((plan.checks[0].kind, plan.services[0].stop_signal), (CheckKind::Test, Some(StopSignal::Int)));
}

#[test]
fn nesting_without_end_is_refused() {
    let plan = declared(format!("checks: {}{}", "[".repeat(100), "]".repeat(100)));
    assert_eq!(told(&plan), ["1:72 this nests deeper than 64 levels"]);
    for piece in ["[", "? ", "- ", "{a: "] {
        assert!(!declared(piece.repeat(10_000)).problems.is_empty(), "{piece}");
    }
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let plan = declared("# a\n".repeat(300_000));
    assert_eq!(told(&plan), ["0:0 this is larger than 1048576 bytes, and is not read"]);
}

#[test]
fn text_that_is_no_utf_8_is_told_where_it_begins() {
    let plan = declared(b"checks:\r\n  - run: \xc3\xa4\xff\n");
    assert_eq!(told(&plan), ["2:11 this is not UTF-8 text from here on; save the file as UTF-8"]);
}

#[test]
fn a_link_out_of_the_workspace_is_not_read() {
    let outside = workspace("secret.yaml", "hunter2: 1\n");
    let inside = tempfile::tempdir().unwrap();
    fs::create_dir(inside.path().join(".candor")).unwrap();
    symlink(outside.path().join("secret.yaml"), inside.path().join(".candor/verify.yaml")).unwrap();
    let told = told(&read(inside.path()));
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("0:0 this is a link that leads out of the workspace"), "{told:?}");
    // A folder that is one is no better.
    let inside = tempfile::tempdir().unwrap();
    write(outside.path(), "verify.yaml", "hunter2: 1\n");
    symlink(outside.path(), inside.path().join(".candor")).unwrap();
    assert!(self::told(&read(inside.path())).iter().all(|told| told.contains("leads out of the workspace")));
}

#[test]
fn a_link_within_the_workspace_is_read() {
    let folder = workspace("tools/verify.yaml", "checks:\n  - run: x\n");
    fs::create_dir(folder.path().join(".candor")).unwrap();
    symlink("../tools/verify.yaml", folder.path().join(".candor/verify.yaml")).unwrap();
    assert_eq!(read(folder.path()).checks.len(), 1);
}

#[test]
fn a_folder_that_is_a_link_to_elsewhere_is_no_place_to_run() {
    let outside = tempfile::tempdir().unwrap();
    let folder = workspace(".candor/verify.yaml", "checks:\n  - { run: x, cwd: out }\n");
    symlink(outside.path(), folder.path().join("out")).unwrap();
    let plan = read(folder.path());
    assert!(plan.checks.is_empty());
    assert_eq!(told(&plan), ["2:20 cwd: \"out\" is a link that leads out of the workspace"]);
}

#[test]
fn what_is_no_file_is_told_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".candor/verify.yaml")).unwrap();
    assert_eq!(told(&read(folder.path())), ["0:0 this is no file; declarations are read from a file"]);
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".candor")).unwrap();
    let pipe = folder.path().join(".candor/verify.yaml");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(told(&read(folder.path())), ["0:0 this is no file; declarations are read from a file"]);
}

#[test]
fn the_other_ending_is_read_as_well_and_both_are_one_too_many() {
    let folder = workspace(".candor/verify.yml", "checks:\n  - run: yml\n");
    assert_eq!(read(folder.path()).checks[0].run, "yml");
    write(folder.path(), ".candor/verify.yaml", "checks:\n  - run: yaml\n");
    let plan = read(folder.path());
    assert_eq!((plan.checks.len(), plan.checks[0].run.as_str()), (1, "yaml"));
    assert!(told(&plan)[0].contains(".candor/verify.yaml is there as well"), "{:?}", told(&plan));
}

/// Whatever a file holds, reading it answers, and every place that is named is a place in the file.
#[test]
fn sweep_verify_yaml_mutated() {
    let folder = workspace(".candor/verify.yaml", "");
    let mut sweep = Sweep::start("verify_yaml_mutated");
    while sweep.goes_on() {
        let text = mutate(sweep.rng(), EVERYTHING.as_bytes());
        write(folder.path(), ".candor/verify.yaml", &text);
        let lines = String::from_utf8_lossy(&text).replace("\r\n", "\n").split(['\n', '\r']).count();
        let plan = read(folder.path());
        assert!(plan.problems.iter().all(|problem| problem.line as usize <= lines), "{:#?}", told(&plan));
        assert!(plan.checks.len() <= 100 && plan.services.len() <= 100 && plan.problems.len() <= 100);
        assert!(
            plan.services.iter().all(|service| !service.command.trim().is_empty() && service.source.declared)
        );
    }
}
