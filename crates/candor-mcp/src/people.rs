//! What a server wants to know from a person.

use std::sync::Arc;

use candor_tools::BoxFuture;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value};

/// Asks people on behalf of servers. Where nobody does, servers are told that nobody can be asked.
pub trait People: Send + Sync {
    /// Asks, and waits for the answer. Nothing: nobody is there, or whoever is there does not want to say. What is left out
    /// of an answer is what the server proposes.
    fn ask(&self, question: ServerQuestion) -> BoxFuture<'_, Option<Map<String, Value>>>;
}

/// What a server wants to know. The words are its own: whoever shows them says whose they are.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerQuestion {
    /// Who asks.
    pub server: String,
    /// What it says.
    pub message: String,
    /// The JSON Schema of the answer, an object of plain values.
    pub schema: Value,
}

/// Answers a question of a server.
pub(crate) async fn answer(
    server: &str,
    people: Option<&Arc<dyn People>>,
    asked: ElicitRequestParams,
) -> ElicitResult {
    let declined = ElicitResult::new(ElicitationAction::Decline);
    // An address that a server wants opened is not opened: nobody has said so.
    let (Some(people), ElicitRequestParams::FormElicitationParams { message, requested_schema, .. }) =
        (people, asked)
    else {
        return declined;
    };
    let schema = serde_json::to_value(requested_schema).unwrap_or_default();
    let question = ServerQuestion { server: server.to_owned(), message, schema: schema.clone() };
    let Some(mut said) = people.ask(question).await else { return declined };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let (Some(proposed), false) = (property.get("default"), said.contains_key(name)) {
            said.insert(name.clone(), proposed.clone());
        }
    }
    ElicitResult::new(ElicitationAction::Accept).with_content(said.into())
}
