//! `mcpServers`, written as the documentation of other clients shows it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_mcp::{Reach, Rights, read};
use candor_protocol::Code;
use serde_json::json;

fn variable(name: &str) -> Option<String> {
    match name {
        "API_KEY" => Some("s3cret".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

fn read_text(text: &str) -> candor_mcp::Read {
    read(Path::new("/w/.mcp.json"), text, &variable)
}

#[track_caller]
fn problem(text: &str) -> String {
    let read = read_text(text);
    assert!(read.entries.is_empty(), "{:?}", read.entries);
    let [failure] = read.problems.as_slice() else { panic!("{:?}", read.problems) };
    assert_eq!(failure.code, Code::McpConfig);
    let fact = |name| failure.fact(name).unwrap().to_owned();
    format!("{}:{} {}.{}: {}", fact("path"), fact("line"), fact("server"), fact("key"), fact("reason"))
}

#[test]
fn a_process_and_an_address_are_read_as_other_clients_write_them() {
    let read = read_text(
        r#"{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me"],
      "env": { "LOG": "1" }
    },
    "github": {
      "type": "http",
      "url": "https://api.example.com/mcp/",
      "headers": { "Authorization": "Bearer ${API_KEY}" }
    }
  }
}"#,
    );
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    let [process, address] = read.entries.as_slice() else { panic!("{:?}", read.entries) };
    let expected = Reach::Stdio {
        command: "npx".to_owned(),
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/me"].map(str::to_owned).to_vec(),
        env: [("LOG".to_owned(), "1".to_owned())].into(),
        cwd: None,
    };
    assert_eq!(process.reach, expected);
    assert_eq!((process.rights, process.is_disabled, process.timeout), (Rights::Full, false, None));
    let headers = [("Authorization".to_owned(), "Bearer s3cret".to_owned())].into();
    assert_eq!(
        address.reach,
        Reach::Http { url: "https://api.example.com/mcp/".to_owned(), headers, client: None }
    );
}

#[test]
fn our_own_keys_are_read_and_those_of_others_are_not_looked_at() {
    let read = read_text(
        r#"{"mcpServers": {"a": {"command": "a", "cwd": "sub", "disabled": true, "timeout": 2.5, "allow": ["get_*", "one"],
            "sandbox": "workspace", "autoApprove": ["x"], "_comment": 1}}, "inputs": []}"#,
    );
    let [entry] = read.entries.as_slice() else { panic!("{:?}", read.problems) };
    assert!(entry.is_disabled);
    assert_eq!(entry.timeout, Some(Duration::from_millis(2500)));
    assert_eq!(entry.rights, Rights::Workspace);
    assert_eq!(["get_it", "one", "two"].map(|tool| entry.allows(tool)), [true, true, false]);
    let Reach::Stdio { cwd, .. } = &entry.reach else { panic!() };
    assert_eq!(cwd.as_deref(), Some(PathBuf::from("sub").as_path()));
}

#[test]
fn variables_stand_for_their_values_or_their_defaults() {
    let args = json!([
        "${API_KEY}",
        "${NONE:-x}",
        "${EMPTY:-y}",
        "${EMPTY}",
        "$HOME",
        "${",
        "${not a name}",
        "a${API_KEY}b"
    ]);
    let read = read_text(&json!({ "mcpServers": { "a": { "command": "c", "args": args } } }).to_string());
    let Reach::Stdio { args, .. } = &read.entries[0].reach else { panic!() };
    assert_eq!(*args, ["s3cret", "x", "y", "", "$HOME", "${", "${not a name}", "as3cretb"]);
}

#[test]
fn a_bad_entry_is_left_out_by_itself_with_its_line_and_its_key() {
    let text = "{\"mcpServers\": {\n  \"good\": {\"command\": \"a\"},\n  \"bad\": {\n    \"command\": \"b\",\n    \"args\": [\"x\", \"${NONE}\"]\n  }\n}}";
    let read = read_text(text);
    assert_eq!(read.entries.len(), 1);
    let [failure] = read.problems.as_slice() else { panic!() };
    let facts: Vec<_> = failure.facts.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let expected =
        ["path=/w/.mcp.json", "line=5", "server=bad", "key=args[1]", "reason=the variable NONE is not set"];
    assert_eq!(facts, expected);
}

#[test]
fn what_cannot_be_followed_is_named() {
    let one = |entry: &str| problem(&format!("{{\"mcpServers\":\n{{\"a\":\n{entry}}}}}"));
    let cases = [
        (r#"{"type": "sse", "url": "https://x"}"#, "/w/.mcp.json:3 a.type: the old transport"),
        (r#"{"type": "carrier pigeon"}"#, "/w/.mcp.json:3 a.type: carrier pigeon is none of"),
        ("{}", "/w/.mcp.json:2 a.command: neither"),
        (r#""npx""#, "/w/.mcp.json:2 a.a: it has to be an object"),
        (r#"{"command": ""}"#, "/w/.mcp.json:3 a.command: it is empty"),
        (r#"{"command": "x", "args": "y"}"#, "/w/.mcp.json:3 a.args: it has to be a list"),
        (
            r#"{"command": "x", "env": {"LD_PRELOAD": "y"}}"#,
            "/w/.mcp.json:3 a.env.LD_PRELOAD: a variable that",
        ),
        (r#"{"command": "x", "sandbox": "none"}"#, "/w/.mcp.json:3 a.sandbox: it is"),
        (r#"{"command": "x", "timeout": 0}"#, "/w/.mcp.json:3 a.timeout: it is a number"),
        (r#"{"command": "x", "allow": ["["]}"#, "/w/.mcp.json:3 a.allow: "),
        (r#"{"url": "ftp://x"}"#, "/w/.mcp.json:3 a.url: it has to begin"),
        (r#"{"url": "https://x", "headers": {"a b": "y"}}"#, "/w/.mcp.json:3 a.headers.a b: it is no header"),
    ];
    for (entry, expected) in cases {
        let told = one(entry);
        assert!(told.starts_with(expected), "{entry}: {told}");
    }
    let read = read_text("{\"mcpServers\": {\n\"a\": }");
    assert_eq!(read.problems[0].code, Code::McpConfig);
    assert_eq!((read.problems[0].fact("line"), read.problems[0].fact("key")), (Some("2"), Some("column 6")));
    assert!(problem(r#"{"mcpServers": []}"#).contains("the servers stand in an object of this name"));
    assert!(problem(r#"{"mcpServers": {"../x": {"command": "y"}}}"#).contains("no slash"));
    assert!(read_text("{}").entries.is_empty() && read_text("{}").problems.is_empty());
    assert!(problem(r#"{"servers": {"a": {"command": "y"}}}"#).contains("the servers stand in"));
}

#[test]
fn the_hash_changes_with_what_would_run_and_with_nothing_else() {
    let hash = |entry: serde_json::Value| {
        let text = json!({ "mcpServers": { "a": entry } }).to_string();
        read_text(&text).entries[0].hash.clone()
    };
    let plain = hash(json!({ "command": "c", "env": { "A": "1", "B": "2" } }));
    assert_eq!(plain, hash(json!({ "env": { "B": "2", "A": "1" }, "command": "c", "timeout": 5 })));
    for other in [
        json!({ "command": "d", "env": { "A": "1", "B": "2" } }),
        json!({ "command": "c", "env": { "A": "1", "B": "3" } }),
        json!({ "command": "c", "env": { "A": "1", "B": "2" }, "args": ["x"] }),
        json!({ "command": "c", "env": { "A": "1", "B": "2" }, "cwd": "x" }),
        json!({ "command": "c", "env": { "A": "1", "B": "2" }, "sandbox": "workspace" }),
        json!({ "command": "c", "env": { "A": "1", "B": "2" }, "allow": ["x"] }),
        json!({ "command": "c", "env": { "A": "1", "B": "2" }, "disabled": true }),
    ] {
        assert_ne!(plain, hash(other.clone()), "{other}");
    }
    // A token that was renewed is no other server.
    let with = |key: &'static str| {
        let text = json!({ "mcpServers": { "a": { "command": "c", "args": ["${KEY}"] } } }).to_string();
        read(Path::new("f"), &text, &move |_| Some(key.to_owned())).entries[0].hash.clone()
    };
    assert_eq!(with("one"), with("two"));
}

#[test]
fn no_secret_is_shown() {
    let text = json!({ "mcpServers": {
        "a": { "command": "c", "args": ["tok3n"], "env": { "K": "tok3n" } },
        "b": { "url": "https://u:tok3n@x/mcp?key=tok3n", "headers": { "X": "tok3n" } },
    } });
    let shown = format!("{:?}", read_text(&text.to_string()));
    assert!(shown.contains("https://x/mcp") && !shown.contains("tok3n"), "{shown}");
}

/// People have agreed to what is called so.
#[test]
fn what_an_entry_runs_is_called_the_same_in_every_version_of_ours() {
    let text =
        r#"{"mcpServers":{"a":{"timeout":5,"env":{"B":"2","A":"1"},"command":"npx","args":["-y","s"]}}}"#;
    let read = candor_mcp::read(std::path::Path::new("mcp.json"), text, &|_| None);
    assert_eq!(read.entries[0].hash, "969de48012c429afa77ac16577a84bb383f9158853054adff9548764c07543a8");
    let written = r#"{"timeout":5,"env":{"B":"2","A":"1"},"command":"npx","args":["-y","s"]}"#;
    assert_eq!(read.entries[0].written, written);
}
