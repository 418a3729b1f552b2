//! What hooks are told, in the words of the ecosystem.

use serde_json::{Map, Value, json};

use super::occasion::Occasion;
use crate::{Approval, Permission, ToolContext};

/// What every hook is told, and what it is told of its occasion.
pub(super) fn told(occasion: Occasion, facts: Value, context: &ToolContext) -> Value {
    let mut told = Map::new();
    let mut put = |name: &str, value: Value| told.insert(name.to_owned(), value);
    put("session_id", json!(context.session));
    // There is no such file: a session is in a database. Scripts that test for it find nothing.
    put("transcript_path", json!(""));
    put("cwd", json!(context.workspace));
    put("permission_mode", json!(mode(context)));
    put("hook_event_name", json!(occasion.as_str()));
    if let Value::Object(facts) = facts {
        told.extend(facts);
    }
    Value::Object(told)
}

/// What may be done, by the name of the mode that is most like it.
fn mode(context: &ToolContext) -> &'static str {
    match (context.rules.permission, context.rules.approval) {
        (Permission::ReadOnly, _) => "plan",
        (_, Approval::Always) => "default",
        (Permission::Workspace, _) => "acceptEdits",
        (Permission::Full, _) => "bypassPermissions",
    }
}
