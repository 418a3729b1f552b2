//! What hooks are asked about helpers, and what the messages for people are.

use candor_protocol::SessionId;
use candor_tools::hooks::Occasion::{SessionStart, SubagentStart};
use serde_json::{Value, json};

use crate::hooking::Hooked;

fn told(hooked: &Hooked) -> Value {
    serde_json::from_str(&hooked.read("told.json")).unwrap()
}

#[tokio::test]
async fn a_helper_is_told_of_and_can_be_refused() {
    let told_of = |matcher| {
        Hooked::with(SubagentStart, matcher, "cat > told.json; echo 'no helpers today' >&2; exit 2")
    };
    let hooked = told_of("review");
    let context = &hooked.rig.context;
    let response = context.hooks.child_start(SessionId::now(), context).await;
    assert!(response.block.is_none() && !hooked.rig.inside("told.json").exists());
    let hooked = told_of("general-purpose");
    let (context, child) = (&hooked.rig.context, SessionId::now());
    let response = context.hooks.child_start(child, context).await;
    assert_eq!(response.block.unwrap().reason, "no helpers today");
    let told = told(&hooked);
    assert_eq!(
        (&told["hook_event_name"], &told["agent_id"], &told["agent_type"]),
        (&json!("SubagentStart"), &json!(child), &json!("general-purpose"))
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
