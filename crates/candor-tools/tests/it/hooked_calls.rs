//! What hooks say about calls.

use std::fs;

use candor_protocol::Code;
use candor_tools::hooks::Occasion::{PermissionRequest, PostToolUse, PreToolUse};
use candor_tools::{Approval, ChangedSince, Permission, Snapshots, groups, undo};
use serde_json::{Value, json};

use crate::hooking::{Hooked, MASK, SECRET, check_blocked, one};
use crate::rig::call;

/// A command that answers with this.
fn saying(answer: &Value) -> String {
    format!("echo '{answer}'")
}

fn deciding(word: &str) -> String {
    let decision = json!({ "hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": "because" });
    saying(&json!({ "hookSpecificOutput": decision }))
}

#[tokio::test]
async fn a_hook_that_ends_with_2_blocks_and_its_words_reach_the_model() {
    let hooked = Hooked::with(PreToolUse, "Bash", "echo 'not on a Friday' >&2; exit 2");
    let output = hooked.shell("touch made").await;
    check_blocked(&output, Code::HookBlocked, "not on a Friday");
    assert!(!hooked.rig.inside("made").exists());
    let told: Value = serde_json::from_str(&output.for_model).unwrap();
    assert_eq!(told["exit_code"], 126);
    // Another tool is none of its business.
    assert!(!hooked.rig.write("x", "x").await.is_error);
}

#[tokio::test]
async fn other_exit_codes_warn_and_the_call_goes_on() {
    let hooked = Hooked::with(PreToolUse, "", "echo half broken >&2; exit 1");
    assert!(!hooked.shell("touch made").await.is_error);
    assert!(hooked.rig.inside("made").exists());
    assert!(hooked.ear.told().contains("exit code 1: half broken"), "{}", hooked.ear.told());
}

#[tokio::test]
async fn matchers_are_names_or_patterns_of_ours_and_of_the_ecosystem() {
    let patch = json!({ "patch": "*** Begin Patch\n*** Add File: p\n+x\n*** End Patch" });
    let calls = [
        ("shell_exec", json!({ "command": "true" })),
        ("file_write", json!({ "path": "w", "content": "x" })),
        ("file_read", json!({ "path": "there" })),
        ("apply_patch", patch),
    ];
    for (matcher, expected) in [
        ("", [true, true, true, true]),
        ("*", [true, true, true, true]),
        ("Bash", [true, false, false, false]),
        ("shell_exec", [true, false, false, false]),
        ("Edit|Write", [false, true, false, true]),
        ("Edit, Write", [false, true, false, true]),
        ("bash", [false, false, false, false]),
        ("Rea", [false, false, false, false]),
        ("^(Read|Write)$", [false, true, true, true]),
        ("file_.*", [false, true, true, false]),
        ("mcp__.*", [false, false, false, false]),
    ] {
        let hooked = Hooked::with(PreToolUse, matcher, "exit 2");
        fs::write(hooked.rig.inside("there"), "x").unwrap();
        for ((tool, args), expected) in calls.iter().zip(expected) {
            let output = hooked.rig.call(tool, args.clone()).await;
            assert_eq!(output.is_error, expected, "{matcher}: {tool}: {output:?}");
        }
    }
}

#[tokio::test]
async fn it_is_told_what_the_ecosystem_tells_and_no_secret() {
    let hooked = Hooked::with(
        PostToolUse,
        "Write",
        "cat > \"$CLAUDE_PROJECT_DIR\"/told.json; test \"$PWD\" = \"$CANDOR_PROJECT_DIR\"",
    );
    let (written, given) =
        (json!({ "path": "a.txt", "content": MASK }), json!({ "path": "a.txt", "content": SECRET }));
    let output = candor_tools::dispatch(
        &hooked.rig.registry,
        &call("file_write", written),
        &given,
        &hooked.rig.context,
    )
    .await;
    assert!(!output.is_error && hooked.ear.told().is_empty(), "{output:?} {}", hooked.ear.told());
    let text = hooked.read("told.json");
    assert!(!text.contains(SECRET), "{text}");
    let told: Value = serde_json::from_str(&text).unwrap();
    let workspace = hooked.rig.context.workspace.display().to_string();
    assert_eq!(
        told,
        json!({
            "session_id": "0195a3c1-7b00-7000-8000-000000000001",
            "transcript_path": "",
            "cwd": workspace,
            "permission_mode": "acceptEdits",
            "hook_event_name": "PostToolUse",
            "tool_name": "Write",
            "candor_tool": "file_write",
            "tool_input": { "path": "a.txt", "content": MASK, "file_path": format!("{workspace}/a.txt") },
            "tool_use_id": "c1",
            "tool_response": { "written_bytes": SECRET.len(), "path": "a.txt" },
        })
    );
}

#[tokio::test]
async fn the_permission_is_told_by_the_nearest_mode() {
    for (permission, approval, mode) in [
        (Permission::ReadOnly, Approval::Never, "plan"),
        (Permission::Workspace, Approval::Always, "default"),
        (Permission::Full, Approval::Doubtful, "bypassPermissions"),
    ] {
        let mut hooked =
            Hooked::with(PreToolUse, "", &format!("grep -q '\"permission_mode\":\"{mode}\"' || exit 2"));
        fs::write(hooked.rig.inside("there"), "x").unwrap();
        (hooked.rig.context.rules.permission, hooked.rig.context.rules.approval) = (permission, approval);
        assert!(!hooked.rig.read("there").await.is_error, "{mode}");
    }
}

#[tokio::test]
async fn deny_and_ask_tighten() {
    let hooked = Hooked::with(PreToolUse, "", &deciding("deny"));
    check_blocked(&hooked.shell("true").await, Code::HookBlocked, "because");
    // Nobody is there who could be asked.
    let hooked = Hooked::with(PreToolUse, "", &deciding("ask"));
    fs::write(hooked.rig.inside("there"), "x").unwrap();
    check_blocked(&hooked.rig.read("there").await, Code::ToolUnapproved, "");
    let mut hooked = Hooked::with(PreToolUse, "", &deciding("ask"));
    hooked.rig.context.rules.approval = Approval::Never;
    check_blocked(&hooked.shell("true").await, Code::ToolBlocked, "a hook wants a person's yes");
    // The older way to say it.
    let hooked = Hooked::with(PreToolUse, "", &saying(&json!({ "decision": "block", "reason": "because" })));
    check_blocked(&hooked.shell("true").await, Code::HookBlocked, "because");
}

#[tokio::test]
async fn an_allow_of_the_persons_own_spares_the_question_and_no_more() {
    let mut hooked = Hooked::with(PreToolUse, "", &deciding("allow"));
    hooked.rig.context.rules.approval = Approval::Always;
    assert!(!hooked.shell("touch made").await.is_error);
    check_blocked(&hooked.shell("rm -rf /").await, Code::ToolBlocked, "");
    hooked.rig.context.rules.approval = Approval::Never;
    check_blocked(&hooked.shell("git push --force").await, Code::ToolBlocked, "");
    hooked.rig.context.rules.permission = Permission::ReadOnly;
    check_blocked(&hooked.rig.write("x", "x").await, Code::ToolBlocked, "read-only");
}

#[tokio::test]
async fn an_allow_of_a_folder_is_no_allow() {
    for occasion in [PreToolUse, PermissionRequest] {
        let answer = json!({ "hookSpecificOutput": { "permissionDecision": "allow", "decision": { "behavior": "allow" } } });
        let mut hooked = Hooked::with_trusted(&one(occasion, "", &saying(&answer)));
        hooked.rig.context.rules.approval = Approval::Always;
        check_blocked(&hooked.shell("touch made").await, Code::ToolUnapproved, "");
        assert!(!hooked.rig.inside("made").exists());
    }
}

#[tokio::test]
async fn the_strictest_of_several_wins_and_the_same_command_runs_once() {
    let count = "echo x >> count; ";
    let hook = |command: String| json!({ "type": "command", "command": command });
    let allow = hook(format!("{count}{}", deciding("allow")));
    let group = |hooks: Value| json!({ "matcher": "Bash", "hooks": hooks });
    let groups = json!([group(json!([allow, allow])), group(json!([allow, hook(deciding("deny"))]))]);
    let hooked = Hooked::with_own(&json!({ "hooks": { "PreToolUse": groups } }));
    check_blocked(&hooked.shell("touch made").await, Code::HookBlocked, "because");
    assert_eq!(hooked.read("count"), "x\n");
}

#[tokio::test]
async fn a_person_is_asked_only_what_a_hook_leaves_open() {
    let deciding = |decision: Value| {
        saying(
            &json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }),
        )
    };
    let asked = async |command: &str| {
        let mut hooked = Hooked::with(PermissionRequest, "Bash", command);
        hooked.rig.context.rules.approval = Approval::Always;
        (hooked.shell("touch made").await, hooked)
    };
    let (output, hooked) = asked(&deciding(json!({ "behavior": "allow" }))).await;
    assert!(!output.is_error && hooked.rig.inside("made").exists(), "{output:?}");
    let (output, _) = asked(&deciding(json!({ "behavior": "deny", "message": "never here" }))).await;
    check_blocked(&output, Code::HookBlocked, "never here");
    let (output, _) = asked("exit 0").await;
    check_blocked(&output, Code::ToolUnapproved, "");
    let other = json!({ "behavior": "allow", "updatedInput": { "command": "touch other" } });
    let (output, hooked) = asked(&deciding(other)).await;
    assert!(!output.is_error, "{output:?}");
    assert!(hooked.rig.inside("other").exists() && !hooked.rig.inside("made").exists());
    let worse = json!({ "behavior": "allow", "updatedInput": { "command": "rm -rf /" } });
    check_blocked(&asked(&deciding(worse)).await.0, Code::ToolBlocked, "");
    // What the rules allow is not asked about.
    let hooked = Hooked::with(PermissionRequest, "", "exit 2");
    assert!(!hooked.shell("touch made").await.is_error);
}

#[tokio::test]
async fn changed_arguments_are_looked_at_like_any_others() {
    let changing = |input: Value| {
        let own =
            json!({ "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input });
        Hooked::with(PreToolUse, "", &saying(&json!({ "hookSpecificOutput": own })))
    };
    let hooked = changing(json!({ "command": "echo changed > made" }));
    let output = hooked.shell("echo original > made").await;
    assert!(output.for_model.contains("A hook changed the arguments"), "{output:?}");
    assert_eq!(hooked.read("made"), "changed\n");
    check_blocked(&changing(json!({ "command": "rm -rf /" })).shell("true").await, Code::ToolBlocked, "");
    check_blocked(
        &changing(json!({ "command": 7 })).shell("true").await,
        Code::ToolArguments,
        "a hook changed",
    );
    // Placeholders stand for secrets there, too.
    let hooked = changing(json!({ "path": "s", "content": MASK }));
    assert!(!hooked.rig.write("s", "x").await.is_error);
    assert_eq!(hooked.read("s"), SECRET);
    // As the ecosystem calls it.
    let hooked = changing(json!({ "file_path": "elsewhere", "path": "s", "content": "y" }));
    assert!(!hooked.rig.write("s", "x").await.is_error);
    assert_eq!((hooked.read("elsewhere").as_str(), hooked.rig.inside("s").exists()), ("y", false));
}

#[tokio::test]
async fn an_allow_is_for_what_its_own_hook_has_seen() {
    let update = json!({ "hookSpecificOutput": { "updatedInput": { "command": "touch other" } } });
    let hooks = json!([
        { "type": "command", "command": deciding("allow") },
        { "type": "command", "command": saying(&update) },
    ]);
    let mut hooked = Hooked::with_own(&json!({ "hooks": { "PreToolUse": [{ "hooks": hooks }] } }));
    hooked.rig.context.rules.approval = Approval::Always;
    check_blocked(&hooked.shell("touch made").await, Code::ToolUnapproved, "");
}

#[tokio::test]
async fn what_a_formatter_changes_is_part_of_the_call_and_can_be_taken_back() {
    let hooked = Hooked::with(PostToolUse, "Edit|Write", "sed -i s/a/b/ a.txt");
    fs::write(hooked.rig.inside("a.txt"), "before\n").unwrap();
    let output = hooked.rig.write("a.txt", "aaa\n").await;
    assert_eq!(hooked.read("a.txt"), "baa\n");
    assert_eq!(output.changes.len(), 2, "{:?}", output.changes);
    let snapshots = Snapshots::new(hooked.rig.context.rules.snapshots.clone().unwrap());
    undo(&output.changes, &snapshots, &hooked.rig.context, ChangedSince::Skip);
    assert_eq!(hooked.read("a.txt"), "before\n");
}

#[tokio::test]
async fn words_after_a_call_stand_in_its_result() {
    let hooked = Hooked::with(PostToolUse, "", "echo 'run the linter' >&2; exit 2");
    let output = hooked.rig.write("x", "x").await;
    assert!(!output.is_error && hooked.rig.inside("x").exists());
    let told: Value = serde_json::from_str(&output.for_model).unwrap();
    assert_eq!(told["hook"], "run the linter");
    assert!(hooked.rig.read("x").await.for_model.ends_with("[a hook says: run the linter]"));
    let words =
        saying(&json!({ "hookSpecificOutput": { "additionalContext": format!("the key is {SECRET}") } }));
    let output = Hooked::with(PostToolUse, "", &words).shell("true").await;
    assert!(output.for_model.contains(&format!("the key is {MASK}")), "{}", output.for_model);
    // What failed is not told: that is another event of the ecosystem.
    assert!(
        !Hooked::with(PostToolUse, "", "touch told")
            .shell("test -e told; false")
            .await
            .for_model
            .contains("hook")
    );
}

#[tokio::test]
async fn a_patch_is_asked_about_file_by_file() {
    let guard = "grep -q '\"file_path\":\"[^\"]*/.env\"' && { echo 'not .env' >&2; exit 2; }; exit 0";
    let hooked = Hooked::with(PreToolUse, "Edit", guard);
    let patch = |second: &str| json!({ "patch": format!("*** Begin Patch\n*** Add File: one\n+1\n*** Add File: {second}\n+2\n*** End Patch") });
    check_blocked(&hooked.rig.call("apply_patch", patch(".env")).await, Code::HookBlocked, "not .env");
    assert!(!hooked.rig.inside("one").exists());
    assert!(!hooked.rig.call("apply_patch", patch("two")).await.is_error);
    let many: Vec<String> = (0..65).map(|at| format!("*** Add File: f{at}\n+x\n")).collect();
    let many = many.concat();
    let many = json!({ "patch": format!("*** Begin Patch\n{many}*** End Patch") });
    check_blocked(&hooked.rig.call("apply_patch", many).await, Code::HookBlocked, "split the patch");
}

#[tokio::test]
async fn a_yes_to_one_file_of_a_patch_is_none_to_the_others() {
    let patch = json!({ "patch": "*** Begin Patch\n*** Add File: one.md\n+1\n*** Add File: two.rs\n+2\n*** End Patch" });
    let only = |ending: &str| format!("grep -q '{ending}\"' && {}; exit 0", deciding("allow"));
    let mut hooked = Hooked::with(PreToolUse, "Edit", &only("md"));
    hooked.rig.context.rules.approval = Approval::Always;
    check_blocked(&hooked.rig.call("apply_patch", patch.clone()).await, Code::ToolUnapproved, "");
    // Two hooks may each know one of them.
    let both =
        json!([only("md"), only("rs")].map(|command| json!({ "type": "command", "command": command })));
    let mut hooked =
        Hooked::with_own(&json!({ "hooks": { "PreToolUse": [{ "matcher": "Edit", "hooks": both }] } }));
    hooked.rig.context.rules.approval = Approval::Always;
    assert!(!hooked.rig.call("apply_patch", patch).await.is_error);
}

#[tokio::test]
async fn a_hook_can_end_the_run_and_nothing_else_is_begun() {
    let hooked = Hooked::with(PreToolUse, "", &saying(&json!({ "continue": false, "stopReason": "enough" })));
    assert_eq!(hooked.rig.context.hooks.halted(), None);
    check_blocked(&hooked.shell("touch made").await, Code::HookBlocked, "enough");
    assert_eq!(hooked.rig.context.hooks.halted().unwrap().reason, "enough");
    check_blocked(&hooked.rig.write("x", "x").await, Code::HookBlocked, "enough");
    assert!(!hooked.rig.inside("made").exists() && !hooked.rig.inside("x").exists());
}

#[tokio::test]
async fn a_call_that_a_hook_looks_at_runs_alone() {
    let hooked = Hooked::with(PreToolUse, "Read", "true");
    let calls = [
        call("file_read", json!({ "path": "a" })),
        call("file_read", json!({ "path": "b" })),
        call("list", json!({})),
        call("list", json!({})),
    ];
    let calls: Vec<_> = calls.iter().collect();
    assert_eq!(groups(&hooked.rig.registry, &calls, &hooked.rig.context), [0..1, 1..2, 2..4]);
}
