//! The program as it is built for systems other than Linux: it has no walls, and says so. `cargo xtask test` builds it like that
//! on this one and runs these tests.

use std::fs;

use candor_testkit::{Dialect, FakeLlm, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, events, home_of, home_with, of_type};

fn fake(calls: &[(&str, Value)]) -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    for (name, args) in calls {
        fake.push(Reply::calls([(*name, args.clone())]));
    }
    fake.repeat(Reply::text("That is all."));
    fake
}

fn results(events: &[Value]) -> Vec<Value> {
    let text = |event: &&Value| event["result"].as_str().expect("a text").to_owned();
    let results = of_type(events, "tool_result");
    results.iter().map(text).map(|text| serde_json::from_str(&text).unwrap_or_else(|_| json!(text))).collect()
}

#[test]
fn commands_are_refused_with_a_card_and_files_are_not() {
    for more in ["", "[sandbox]\nminimum = \"landlock\"\n"] {
        let fake = fake(&[
            ("shell_exec", json!({ "command": "touch by_command" })),
            ("process", json!({ "action": "start", "command": "touch by_process" })),
            ("file_write", json!({ "path": "by_tool", "content": "x" })),
            ("file_read", json!({ "path": "by_tool" })),
        ]);
        let home = home_with(&fake, more);
        let ran = ask(&home, &["--json", "Do it"]).run();
        let events = events(&ran);
        let results = results(&events);
        for refused in &results[..2] {
            assert_eq!(refused["card"]["code"], "SANDBOX_TOO_WEAK", "{refused}");
            assert!(refused["card"]["cause"].as_str().is_some_and(|cause| cause.contains("Linux kernel")));
        }
        assert!(results[3].to_string().contains('x'), "{results:?}");
        let names: Vec<_> = fs::read_dir(home.workspace()).expect("a folder").flatten().collect();
        assert_eq!(names.len(), 1, "{names:?}");
        // What was written cannot be checked without commands, and is not called done.
        let end = of_type(&events, "run_end").pop().expect("an end").clone();
        assert_eq!(end["verdict"]["status"], "unverifiable", "{end}");
        assert_eq!((&end["card"]["code"], ran.status), (&json!("SANDBOX_TOO_WEAK"), 3), "{end}");
    }
}

/// Nothing but walls keeps a command from writing: the owner's word that they need not be there is no leave to write.
#[test]
fn where_nothing_may_be_written_commands_are_refused_although_walls_need_not_be_there() {
    let calls = [
        ("shell_exec", json!({ "command": "touch by_command" })),
        ("process", json!({ "action": "start", "command": "touch by_process" })),
    ];
    let none = "[sandbox]\nminimum = \"none\"\n";
    let bare = fake(&calls);
    let home = home_with(&bare, none);
    ask(&home, &["Do it"]).run();
    assert!(home.workspace().join("by_command").exists(), "without walls, by the owner's word");
    let fake = fake(&calls);
    let home = home_with(&fake, none);
    let events = events(&ask(&home, &["--json", "--permission", "read-only", "Do it"]).run());
    for refused in results(&events) {
        assert_eq!(refused["card"]["code"], "TOOL_BLOCKED", "{refused}");
        let cause = refused["card"]["cause"].as_str().expect("a cause");
        assert!(cause.contains("the permission is read-only, and on this machine no walls"), "{cause}");
    }
    assert_eq!(fs::read_dir(home.workspace()).expect("a folder").count(), 0);
}

#[test]
fn with_all_rights_commands_run_and_services_are_verified() {
    let app = "import http.server\nhttp.server.HTTPServer(('127.0.0.1', 18479), http.server.SimpleHTTPRequestHandler).serve_forever()\n";
    let fake = fake(&[
        ("shell_exec", json!({ "command": "touch made; ps -o pgid= -p $$ | tr -d ' '; echo $$" })),
        ("file_write", json!({ "path": "app.py", "content": app })),
        ("process", json!({ "action": "start", "command": "python3 app.py" })),
    ]);
    let home = home_of(&fake);
    let yaml = "services:\n  - name: api\n    command: python3 app.py\n    settle: 300ms\n    ready: { http: 'http://127.0.0.1:18479/' }\n";
    home.write_in_workspace(".candor/verify.yaml", yaml);
    let ran = ask(&home, &["--json", "--permission", "full", "Do it"]).run();
    let events = events(&ran);
    let end = of_type(&events, "run_end").pop().expect("an end").clone();
    assert_eq!((&end["status"], &end["verdict"]["status"]), (&json!("done"), &json!("verified")), "{end}");
    assert!(home.workspace().join("made").exists());
    let said = results(&events)[0]["stdout"].as_str().expect("a text").to_owned();
    let (group, own) = said.trim().split_once('\n').expect("two lines");
    assert_eq!(group, own, "it leads its own group");
}

#[test]
fn that_there_are_no_walls_is_shown() {
    let fake = fake(&[]);
    let home = home_of(&fake);
    let doctor = ask(&home, &["doctor"]).run().code(1);
    let why = "commands cannot run: walls are made of parts of the Linux kernel";
    assert!(doctor.stdout.contains(why) && doctor.stdout.contains("SANDBOX_TOO_WEAK"), "{}", doctor.stdout);
    let tools = ask(&home, &["tools", "list"]).run().ok();
    assert!(tools.stderr.contains("sandbox: commands cannot run"), "{}", tools.stderr);
    let full = home_with(&fake, "permission = \"full\"\n");
    let doctor = ask(&full, &["doctor"]).run();
    assert!(!doctor.stdout.contains("SANDBOX_TOO_WEAK"), "{}", doctor.stdout);
}
