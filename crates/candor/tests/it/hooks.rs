//! Files of hooks, their trust, and hooks as the ecosystem's documentation shows them, from the outside.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{KEY, ask, candor, home_of, is_running, log_lines};

/// A model that calls this tool, and is content.
pub(crate) fn calling(tool: &str, args: Value) -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([(tool, args)]));
    fake.repeat(Reply::text("That is all."));
    fake
}

/// A home with hooks of the person's own.
pub(crate) fn home_with_hooks(fake: &FakeLlm, event: &str, matcher: &str, command: &str) -> Home {
    let home = home_of(fake);
    home.write("hooks.json", file(event, matcher, command));
    home
}

pub(crate) fn file(event: &str, matcher: &str, command: &str) -> String {
    let hooks = json!([{ "type": "command", "command": command }]);
    json!({ "hooks": { event: [{ "matcher": matcher, "hooks": hooks }] } }).to_string()
}

fn script(home: &Home, name: &str, text: &str) {
    let path = home.write_in_workspace(name, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// From the documentation of the ecosystem: a script of the project that blocks a command.
const BLOCK_RM: &str = r#"#!/bin/bash
# .claude/hooks/block-rm.sh
COMMAND=$(jq -r '.tool_input.command')

if echo "$COMMAND" | grep -q 'rm -rf'; then
  jq -n '{
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "Destructive command blocked by hook"
    }
  }'
else
  exit 0  # allow the command
fi
"#;

/// The settings beside it.
const SETTINGS: &str = r#"{
  "permissions": { "allow": ["Bash(*)"] },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/block-rm.sh"
          }
        ]
      }
    ]
  }
}
"#;

#[test]
fn a_project_from_the_documentation_works_unchanged_with_jq() {
    let fake = calling("shell_exec", json!({ "command": "rm -rf build" }));
    let home = home_of(&fake);
    home.write_in_workspace("build/kept", "x");
    home.write_in_workspace(".claude/settings.json", SETTINGS);
    script(&home, ".claude/hooks/block-rm.sh", BLOCK_RM);
    candor(&home, "trust --yes").run().ok();
    ask(&home, &["Clean up"]).run();
    let results = fake.requests()[1].tool_results();
    assert!(results[0].contains("Destructive command blocked by hook"), "{results:?}");
    assert!(results[0].contains("HOOK_BLOCKED"), "{results:?}");
    assert!(home.workspace().join("build/kept").exists());
    let logged = log_lines(&home, "hook_run");
    assert_eq!((&logged[0]["hookEvent"], &logged[0]["outcome"]), (&json!("PreToolUse"), &json!("blocked")));
    assert_eq!(log_lines(&home, "tool_blocked").len(), 1);
}

/// From the documentation: protected files, as one command.
const PROTECTED: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [
          {
            "type": "command",
            "command": "file_path=$(jq -r '.tool_input.file_path // empty'); case \"$file_path\" in *.env|*/.git/*) echo \"Blocked: $file_path is protected\" >&2; exit 2;; esac; exit 0"
          }
        ]
      }
    ]
  }
}
"#;

#[test]
fn protected_files_from_the_documentation_stay_with_jq() {
    let fake = calling("file_write", json!({ "path": "prod.env", "content": "x" }));
    let home = home_of(&fake);
    home.write("hooks.json", PROTECTED);
    ask(&home, &["Write it"]).run();
    let results = fake.requests()[1].tool_results();
    assert!(results[0].contains("prod.env is protected"), "{results:?}");
    assert!(!home.workspace().join("prod.env").exists());
}

/// From the documentation: a formatter after each edit.
const FORMATTER: &str = r#"{
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [
          {
            "type": "command",
            "command": "jq -r '.tool_input.file_path' | { read file_path; if echo \"$file_path\" | grep -q '\\.ts$'; then sed -i 's/  */ /g' \"$file_path\"; fi; }"
          }
        ]
      }
    ]
  }
}
"#;

#[test]
fn a_formatter_from_the_documentation_formats_and_is_undone_with_jq() {
    let fake = calling("file_write", json!({ "path": "a.ts", "content": "let   a;\n" }));
    let home = home_of(&fake);
    home.write("hooks.json", FORMATTER);
    home.write_in_workspace("a.ts", "before\n");
    ask(&home, &["Write it"]).run();
    let read = || fs::read_to_string(home.workspace().join("a.ts")).unwrap();
    assert_eq!(read(), "let a;\n");
    candor(&home, "sessions undo last").run().ok();
    assert_eq!(read(), "before\n");
}

#[test]
fn what_nobody_trusts_never_runs() {
    for name in [".candor/hooks.json", ".claude/settings.json", ".claude/settings.local.json"] {
        let fake = calling("shell_exec", json!({ "command": "true" }));
        let home = home_of(&fake);
        let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
        let group = json!([{ "hooks": [{ "type": "command", "command": "touch canary" }] }]);
        let hooks: serde_json::Map<String, Value> =
            events.iter().map(|event| ((*event).to_owned(), group.clone())).collect();
        home.write_in_workspace(name, json!({ "hooks": hooks }).to_string());
        let canary = home.workspace().join("canary");
        let ran = ask(&home, &["Go"]).run();
        assert!(ran.stderr.contains("6 hooks of this folder left out"), "{}", ran.stderr);
        assert!(!canary.exists(), "{name} was not trusted");
        let shown = candor(&home, "trust").run().ok().stdout;
        assert!(shown.contains(&format!("not trusted  hooks {name}: ")), "{shown}");
        assert!(shown.contains("PreToolUse: touch canary; "), "{shown}");
        candor(&home, "trust --yes").run().ok();
        ask(&home, &["Go"]).run();
        assert!(canary.exists(), "{name} was trusted");
        fs::remove_file(&canary).unwrap();
        home.write_in_workspace(name, json!({ "hooks": { "Stop": group } }).to_string());
        ask(&home, &["Go"]).run();
        assert!(!canary.exists(), "{name} has changed since");
    }
}

#[test]
fn hooks_are_listed_checked_and_told_by_the_doctor() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    home.write("hooks.json", file("PreToolUse", "Bash", "guard.sh"));
    home.write_in_workspace(".claude/settings.json", file("Stop", "", "lint.sh"));
    home.write_in_workspace(".candor/hooks.json", file("Nonsense", "", "x"));
    let listed = candor(&home, "hooks list").run().ok();
    for line in [
        "your own  PreToolUse (Bash): guard.sh  (",
        "not trusted  Stop: lint.sh  (",
        "left out  Nonsense: there is no such event",
    ] {
        assert!(listed.stdout.contains(line), "{line} is not in\n{}", listed.stdout);
    }
    let listed: Value = serde_json::from_str(&candor(&home, "hooks list --json").run().ok().stdout).unwrap();
    assert_eq!(listed["hooks"][0]["command"], "guard.sh");
    let checked = candor(&home, "hooks check").run();
    assert_eq!(checked.status, 1);
    assert!(
        checked.stderr.contains("HOOK_FILE_INVALID") && checked.stdout.contains("2 good, 1 left out"),
        "{checked:?}"
    );
    assert_eq!(candor(&home, "hooks check .claude/settings.json").run().status, 0);
    let told = candor(&home, "doctor").run().stdout;
    for says in
        ["PreToolUse (Bash): guard.sh (your own)", "Stop: lint.sh (not trusted)", "Nonsense is left out"]
    {
        assert!(told.contains(says), "{says} is not in\n{told}");
    }
}

#[test]
fn a_hook_runs_behind_the_walls_with_a_filtered_environment() {
    let command = "env > env.txt; touch \"$HOME/outside\"; exit 0";
    let fake = calling("shell_exec", json!({ "command": "true" }));
    let home = home_with_hooks(&fake, "PreToolUse", "", command);
    ask(&home, &["Go"]).env("SOME_TOKEN", "variable-secret-value").run();
    let env = fs::read_to_string(home.workspace().join("env.txt")).unwrap();
    assert!(env.contains(&format!("CLAUDE_PROJECT_DIR={}", home.workspace().display())), "{env}");
    assert!(!env.contains(KEY) && !env.contains("variable-secret-value"), "{env}");
    assert!(!home.user().join("outside").exists());
}

#[test]
fn a_persons_own_may_do_without_walls() {
    let fake = calling("shell_exec", json!({ "command": "true" }));
    let home = home_of(&fake);
    let hook = json!({ "type": "command", "command": "touch \"$HOME/notified\"", "walls": false });
    home.write("hooks.json", json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } }).to_string());
    ask(&home, &["Go"]).run();
    assert!(home.user().join("notified").exists());
}

#[test]
fn a_hook_without_walls_ends_when_candor_is_killed() {
    let fake = calling("shell_exec", json!({ "command": "true" }));
    let home = home_of(&fake);
    // Its arguments name this home, by which it is found.
    let command = format!("touch \"$CANDOR_PROJECT_DIR/begun\"; sleep 300; : {}", home.path().display());
    let hook = json!({ "type": "command", "command": command, "walls": false });
    home.write("hooks.json", json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } }).to_string());
    let running = ask(&home, &["Go"]).spawn();
    running.wait_for_file(&home.workspace().join("begun"));
    running.signal("KILL");
    running.finish();
    while is_running(&home) {
        std::thread::yield_now();
    }
}
