//! What stands before and between the messages that a model is sent.

use std::collections::HashSet;

use candor_protocol::{Message, Part, Role, RunId};

/// Puts the system prompt before a copy of the messages. Without a prompt the copy is the messages, unchanged.
pub fn build_messages(prompt: Option<&str>, messages: &[Message]) -> Vec<Message> {
    let system = prompt.map(|prompt| Message::text(Role::System, prompt));
    system.into_iter().chain(messages.iter().cloned()).collect()
}

/// Renames calls whose id was used before: some servers count from zero in every answer, and no provider takes the same
/// id twice.
pub(crate) fn make_ids_unique(parts: &mut [Part], earlier: &[Message]) {
    let mut taken: HashSet<String> =
        earlier.iter().flat_map(Message::calls).map(|call| call.call_id.clone()).collect();
    for part in parts {
        if let Part::ToolCall(call) = part
            && !taken.insert(call.call_id.clone())
        {
            call.call_id = format!("call_{}", RunId::now());
            taken.insert(call.call_id.clone());
        }
    }
}
