//! The one path: each case of `scenarios/` goes through the one-shot, the REPL and the socket, and leaves the same stored
//! events but for where they came from.

use std::fs;
use std::path::PathBuf;

use candor_testkit::{Candor, Dialect, FakeLlm, Home, Reply, Stop};
use serde_json::{Map, Value, json};

use crate::rig::{BINARY, KEY, Keep, home_with};
use crate::serving::Served;

/// Fields that differ from one run to the next, or that say where a session came from. The rest must be the same.
const PASSING: &[&str] = &["at", "sessionId", "runId", "durationMs", "source", "origin", "name", "workspace"];

/// Waiting between two attempts is not what this is about.
const SETTINGS: &str = "retry = { base_delay_ms = 100, max_delay_ms = 1000 }";

struct Scenario(Value);

impl Scenario {
    #[track_caller]
    fn read(name: &str) -> Self {
        let path = folder().join(format!("{}.json", name.replace('_', "-")));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    fn list(&self, field: &str) -> &[Value] {
        self.0[field].as_array().map_or(&[], Vec::as_slice)
    }

    fn inputs(&self) -> Vec<&str> {
        self.list("inputs").iter().filter_map(Value::as_str).collect()
    }

    fn exit(&self) -> i64 {
        self.0["exit"].as_i64().unwrap_or(0)
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// A home in which a scenario can happen once.
struct Stage {
    home: Home,
    keep: Keep,
    fake: FakeLlm,
}

impl Stage {
    fn new(scenario: &Scenario, keep: Keep) -> Self {
        let fake = FakeLlm::start(Dialect::OpenaiChat);
        fake.extend(scenario.list("model").iter().map(reply));
        let home = home_with(&fake, SETTINGS);
        for (name, content) in scenario.0["files"].as_object().into_iter().flatten() {
            home.write_in_workspace(name, bytes(content));
        }
        Self { home, keep, fake }
    }

    fn candor(&self, args: &[&str]) -> Candor<'_> {
        self.keep.on(Candor::new(BINARY, &self.home).args(args).env("FAKE_KEY", KEY))
    }

    /// What is stored of the one session, as an export has it.
    #[track_caller]
    fn stored(&self) -> Vec<Value> {
        assert_eq!(self.fake.left(), 0, "the model was asked for everything");
        let listed = self.candor(&["sessions", "list", "--json"]).run().ok().stdout;
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let [session] = listed.as_array().expect("a list").as_slice() else {
            panic!("one session: {listed}")
        };
        let id = session["id"].as_str().expect("an id");
        let exported = self.candor(&["sessions", "export", id]).run().ok().stdout;
        exported.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
    }
}

/// What is in a file: text, or bytes one by one.
fn bytes(content: &Value) -> Vec<u8> {
    let byte = |byte: &Value| byte.as_u64().and_then(|byte| u8::try_from(byte).ok()).expect("a byte");
    match content {
        Value::Array(list) => list.iter().map(byte).collect(),
        text => text.as_str().expect("text").as_bytes().to_vec(),
    }
}

fn reply(said: &Value) -> Reply {
    if let Some(status) = said["status"].as_u64() {
        return Reply::status(u16::try_from(status).expect("a status"));
    }
    let reply = match (said["text"].as_str(), said["calls"].as_array()) {
        (Some(text), _) => Reply::text(text),
        (None, Some(calls)) => {
            Reply::calls(calls.iter().map(|call| (call[0].as_str().expect("a tool"), call[1].clone())))
        }
        (None, None) => panic!("neither text nor calls: {said}"),
    };
    let reply = if said["stop"] == "max_tokens" { reply.stop(Stop::MaxTokens) } else { reply };
    match (said["usage"][0].as_u64(), said["usage"][1].as_u64()) {
        (Some(input), Some(output)) => reply.usage(input, output),
        _ => reply,
    }
}

/// How a surface takes a scenario.
type Go = fn(&Scenario, &Stage);

/// Each message is a process of its own.
fn one_shot(scenario: &Scenario, stage: &Stage) {
    let inputs = scenario.inputs();
    for (at, input) in inputs.iter().enumerate() {
        let flags: &[&str] = if at == 0 { &[] } else { &["-c"] };
        let ran = stage.candor(&[flags, &["--", input]].concat()).run();
        if at + 1 == inputs.len() {
            assert_eq!(i64::from(ran.status), scenario.exit(), "{}", ran.stderr);
        }
    }
}

/// Each message is a line.
fn repl(scenario: &Scenario, stage: &Stage) {
    let lines = scenario.inputs().join("\n") + "\n";
    let ran = stage.candor(&["-r"]).stdin(lines).run();
    assert_eq!(i64::from(ran.status), scenario.exit(), "{}", ran.stderr);
}

/// Each message is a frame.
fn socket(scenario: &Scenario, stage: &Stage) {
    let served = Served::start(stage.candor(&[]), &stage.home);
    let mut client = served.connect();
    let mut session = Value::Null;
    for input in scenario.inputs() {
        let mut frame = json!({ "type": "send_message", "content": input });
        if !session.is_null() {
            frame["sessionId"] = session.clone();
        }
        let frames = client.send(frame).until_type("run_end");
        session = frames.last().expect("an end")["sessionId"].clone();
    }
    served.running.signal("TERM");
    served.running.finish().ok();
}

/// An event without what may differ. Calls are named by their order, and the folder of the test by a sign.
fn normal(event: &Value, root: &str, calls: &mut Vec<String>) -> Value {
    match event {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !PASSING.contains(&name.as_str()));
            let named = |(name, field): (&String, &Value)| (name.clone(), normal(field, root, calls));
            Value::Object(kept.map(named).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(|item| normal(item, root, calls)).collect(),
        Value::String(text) if text.starts_with("call_") => {
            let at = calls.iter().position(|known| known == text).unwrap_or_else(|| {
                calls.push(text.clone());
                calls.len() - 1
            });
            json!(format!("call {at}"))
        }
        Value::String(text) => json!(placeholders_alike(&text.replace(root, "~"))),
        other => other.clone(),
    }
}

/// Placeholders are drawn by lot.
fn placeholders_alike(text: &str) -> String {
    let mut parts = text.split("[REDACTED:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "[REDACTED:xxxxxx]" + part.get(7..).unwrap_or_default())
}

fn is_result(event: &Value) -> bool {
    event["type"] == "tool_result"
}

/// Whether an event has everything that is expected of it.
fn has(event: &Value, expected: &Value) -> bool {
    match expected {
        Value::Object(fields) => fields.iter().all(|(name, field)| has(&event[name], field)),
        Value::Array(items) => {
            let found = event.as_array().map_or(&[][..], Vec::as_slice);
            found.len() == items.len() && found.iter().zip(items).all(|(found, item)| has(found, item))
        }
        other => event == other,
    }
}

#[track_caller]
fn check(name: &str, keep: fn() -> Keep) {
    let scenario = Scenario::read(name);
    let surfaces: [(&str, Go); 3] = [("one-shot", one_shot), ("REPL", repl), ("socket", socket)];
    let mut first: Option<Vec<Value>> = None;
    for (surface, go) in surfaces {
        let stage = Stage::new(&scenario, keep());
        go(&scenario, &stage);
        let stored = stage.stored();
        let text = json!(stored).to_string();
        for absent in scenario.list("absent").iter().filter_map(Value::as_str) {
            assert!(!text.contains(absent), "{surface}: {absent} is stored");
        }
        let numbers: Vec<u64> = stored.iter().filter_map(|event| event["seq"].as_u64()).collect();
        assert_eq!(numbers, (1..=stored.len() as u64).collect::<Vec<_>>(), "{surface}");
        let root = stage.home.path().parent().expect("a folder").display().to_string();
        let mut calls = Vec::new();
        let mut events: Vec<Value> = stored.iter().map(|event| normal(event, &root, &mut calls)).collect();
        for results in events.chunk_by_mut(|one, next| is_result(one) && is_result(next)) {
            // Of two tools that run side by side, either may be done first.
            let first = results[0]["seq"].as_u64().unwrap_or_default();
            results.sort_by_key(|result| result["callId"].to_string());
            for (seq, result) in (first..).zip(results) {
                result["seq"] = json!(seq);
            }
        }
        let expected = scenario.list("expect");
        let types: Vec<&Value> = events.iter().map(|event| &event["type"]).collect();
        assert_eq!(types, expected.iter().map(|event| &event["type"]).collect::<Vec<_>>(), "{surface}");
        for (event, expected) in events.iter().zip(expected) {
            assert!(has(event, expected), "{surface}: expected {expected:#}, got {event:#}");
        }
        match &first {
            None => first = Some(events),
            Some(first) => assert_eq!(&events, first, "{surface} and one-shot"),
        }
    }
}

macro_rules! scenarios {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        mod sqlite {
            $(#[test] fn $name() { super::check(stringify!($name), super::Keep::in_home); })*
        }
        mod postgres {
            $(#[test] fn $name() { super::check(stringify!($name), super::Keep::postgres); })*
        }
    };
}

scenarios! {
    a_picture a_secret bad_key_then_good cut_answer goes_in_circles overloaded_then_good plain_answer tool_fails
    tool_works tools_side_by_side two_messages unknown_tool written_is_not_done
}

#[test]
fn every_scenario_is_run() {
    let files = fs::read_dir(folder()).expect("scenarios").map(|entry| entry.expect("an entry").file_name());
    let mut found: Vec<String> =
        files.map(|name| name.to_string_lossy().trim_end_matches(".json").replace('-', "_")).collect();
    found.sort();
    assert_eq!(found, NAMES);
}
