//! What hooks are asked about helpers, and what the messages for people are.

use candor_tools::hooks::Occasion::{SessionStart, SubagentStart, SubagentStop};
use serde_json::{Value, json};

use crate::hooking::Hooked;

fn told(hooked: &Hooked) -> Value {
    serde_json::from_str(&hooked.read("told.json")).unwrap()
}

#[tokio::test]
async fn a_helper_of_a_kind_is_told_of_and_can_be_refused() {
    let hooked =
        Hooked::with(SubagentStart, "review", "cat > told.json; echo 'no helpers today' >&2; exit 2");
    let context = &hooked.rig.context;
    let response = context.hooks.subagent_start("h1", "research", context).await;
    assert!(response.block.is_none() && !hooked.rig.inside("told.json").exists());
    let response = context.hooks.subagent_start("h1", "review", context).await;
    assert_eq!(response.block.unwrap().reason, "no helpers today");
    let told = told(&hooked);
    assert_eq!(
        (&told["hook_event_name"], &told["agent_id"], &told["agent_type"]),
        (&json!("SubagentStart"), &json!("h1"), &json!("review"))
    );
}

#[tokio::test]
async fn a_helper_that_ends_can_be_sent_on() {
    let answer = json!({ "decision": "block", "reason": "name the files" });
    let hooked = Hooked::with(SubagentStop, "", &format!("cat > told.json; echo '{answer}'"));
    let context = &hooked.rig.context;
    let response = context.hooks.subagent_stop("h1", "review", true, "All is well.", context).await;
    assert_eq!(response.block.unwrap().reason, "name the files");
    let told = told(&hooked);
    assert_eq!(
        (&told["stop_hook_active"], &told["last_assistant_message"]),
        (&json!(true), &json!("All is well."))
    );
}

#[tokio::test]
async fn plain_words_and_json_are_both_words_for_the_model() {
    let answer = json!({ "systemMessage": "for people", "hookSpecificOutput": { "additionalContext": "for the model" } });
    for (command, expected) in [
        ("echo ' the branch is main '", "the branch is main"),
        (&*format!("echo '{answer}'"), "for the model"),
    ] {
        let hooked = Hooked::with(SessionStart, "startup", command);
        let context = &hooked.rig.context;
        assert!(context.hooks.session_start("resume", context).await.added.is_empty());
        assert_eq!(context.hooks.session_start("startup", context).await.added, [expected]);
        assert_eq!(hooked.ear.told().contains("for people"), command.contains("for people"));
    }
}
