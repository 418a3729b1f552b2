//! A form that a server wants filled in, as questions that a person can answer one by one.

use candor_tools::{Question, Reply};
use rmcp::model::ElicitationSchema;
use serde_json::{Map, Value};

use crate::field::Field;
use crate::people::Caller;
use crate::schema::Schema;

/// How many things a server may ask at once: more is no question.
const FIELDS_MAX: usize = 20;
/// How much of a server's words is shown.
const MESSAGE_CHARS_MAX: usize = 2_000;
/// How often something is asked again that was answered wrongly.
const TRIES_MAX: usize = 3;

/// What people can say to a form.
const ANSWER: &str = "answer";
const AS_PROPOSED: &str = "answer as proposed";
const DECLINE: &str = "do not answer";
/// The word for what is left out.
pub(crate) const LEFT_OUT: &str = "-";

/// Why there is no answer.
pub(crate) enum Refusal {
    /// Somebody said so, or the form is none.
    Declined,
    /// Nobody is there, or whoever was there has left.
    Nobody,
}

/// A form.
pub(crate) struct Form {
    /// Whose it is, and what it says.
    head: String,
    fields: Vec<Field>,
    schema: Value,
}

impl Form {
    pub(crate) fn new(server: &str, message: &str, asked: &ElicitationSchema) -> Result<Self, Refusal> {
        let schema = serde_json::to_value(asked).map_err(|_| Refusal::Declined)?;
        let mut names: Vec<&String> = asked.properties.keys().collect();
        // As the server wrote them.
        if let Some(order) = &asked.property_order {
            names.sort_by_key(|name| order.iter().position(|known| known == *name));
        }
        if names.len() > FIELDS_MAX {
            return Err(Refusal::Declined);
        }
        let is_needed = |name: &String| {
            schema["required"].as_array().is_some_and(|needed| needed.iter().any(|it| it == name.as_str()))
        };
        let fields =
            names.into_iter().map(|name| Field::new(name, &schema["properties"][name], is_needed(name)));
        let fields = fields.collect();
        let message: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
        let head = format!("The MCP server {server} asks: {}", message.trim());
        Ok(Self { head, fields, schema })
    }

    /// Asks a person for all of it.
    pub(crate) async fn fill_in(&self, caller: &Caller) -> Result<Map<String, Value>, Refusal> {
        let mut said = match self.fields.as_slice() {
            [field] if !field.choices().is_empty() => self.only(field, caller).await?,
            _ => self.one_by_one(caller).await?,
        };
        for field in &self.fields {
            if let (Some(proposed), false) = (&field.proposed, said.contains_key(&field.name)) {
                said.insert(field.name.clone(), proposed.clone());
            }
        }
        // Each was looked at by itself.
        match Schema::default().problem(&self.schema, &Value::Object(said.clone())) {
            None => Ok(said),
            Some(_) => Err(Refusal::Declined),
        }
    }

    /// One choice is one question.
    async fn only(&self, field: &Field, caller: &Caller) -> Result<Map<String, Value>, Refusal> {
        let text = format!("{}\n{}", self.head, field.question());
        let choices = field.choices().into_iter().chain([DECLINE.to_owned()]).collect();
        let reply = ask(caller, text, choices).await?;
        if reply.choice == DECLINE {
            return Err(Refusal::Declined);
        }
        let value = field.read(&reply.choice).map_err(|_| Refusal::Declined)?;
        Ok(value.map(|value| (field.name.clone(), value)).into_iter().collect())
    }

    async fn one_by_one(&self, caller: &Caller) -> Result<Map<String, Value>, Refusal> {
        let fields: Vec<String> = self.fields.iter().map(Field::question).collect();
        let fields = if fields.is_empty() { ".".to_owned() } else { format!(":\n- {}", fields.join("\n- ")) };
        let text = format!("{}\nWhat you answer goes to that server{fields}", self.head);
        let is_proposed = self.fields.iter().all(|field| !field.is_needed || field.proposed.is_some());
        let proposed = is_proposed.then_some(AS_PROPOSED).filter(|_| !self.fields.is_empty());
        let choices = [Some(ANSWER), proposed, Some(DECLINE)].into_iter().flatten().map(str::to_owned);
        match ask(caller, text, choices.collect()).await?.choice.as_str() {
            ANSWER => {}
            AS_PROPOSED => return Ok(Map::new()),
            _ => return Err(Refusal::Declined),
        }
        let mut said = Map::new();
        for field in &self.fields {
            if let Some(value) = field_value(field, caller).await? {
                said.insert(field.name.clone(), value);
            }
        }
        Ok(said)
    }
}

/// What a person says to one field, asked again where it cannot be.
async fn field_value(field: &Field, caller: &Caller) -> Result<Option<Value>, Refusal> {
    let mut text = field.question();
    for _ in 0..TRIES_MAX {
        let mut choices = field.choices();
        if !choices.is_empty() && !field.is_needed {
            choices.push(LEFT_OUT.to_owned());
        }
        let reply = ask(caller, text, choices).await?;
        match field.read(reply.choice.trim()) {
            Ok(value) => return Ok(value),
            Err(problem) => text = format!("{problem}. {}", field.question()),
        }
    }
    Err(Refusal::Declined)
}

async fn ask(caller: &Caller, text: String, choices: Vec<String>) -> Result<Reply, Refusal> {
    let call_id = caller.call_id.clone();
    let reason = Some("a tool of an MCP server needs it, and the server is told what you answer".to_owned());
    let question = Question { call_id, text, reason, diff: None, choices, pattern: None };
    caller.approver.ask(question).await.ok_or(Refusal::Nobody)
}
