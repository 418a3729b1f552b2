//! What comes of a call.

use candor_log::event;
use candor_protocol::{Change, ErrorCard, Failure};
use serde_json::{Value, json};

use crate::{Error, ToolContext};

/// What comes of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// What the model reads.
    pub for_model: String,
    /// What a person reads: one short line, or a short list.
    pub for_people: String,
    /// Whether it failed.
    pub is_error: bool,
    /// The card of the failure.
    pub card: Option<ErrorCard>,
    /// The files that it changed, in that order.
    pub changes: Vec<Change>,
    /// Why it was not allowed, for the log.
    pub(crate) blocked: Option<String>,
}

impl ToolOutput {
    /// It worked.
    pub fn success(for_model: impl Into<String>, for_people: impl Into<String>) -> Self {
        Self {
            for_model: for_model.into(),
            for_people: for_people.into(),
            is_error: false,
            card: None,
            changes: Vec::new(),
            blocked: None,
        }
    }

    /// It failed, and there is nothing to tell but that.
    pub fn failure(error: &Error) -> Self {
        Self::failure_with(error, json!({ "error": error.to_string() }))
    }

    /// It was not even tried, for a reason that whoever wanted to call it found.
    pub fn refused(failure: &Failure) -> Self {
        let card = candor_cards::card(failure);
        let for_model = json!({ "error": card.title, "card": card });
        let (for_model, for_people) = (for_model.to_string(), card.title.clone());
        Self { for_model, for_people, is_error: true, card: Some(card), changes: Vec::new(), blocked: None }
    }

    /// It failed, and the model needs what else is in this object.
    pub(crate) fn failure_with(error: &Error, mut for_model: Value) -> Self {
        let card = candor_cards::card(&error.failure());
        // Nothing in a card can fail to be JSON.
        for_model["card"] = serde_json::to_value(&card).unwrap_or_default();
        Self {
            for_model: for_model.to_string(),
            for_people: error.to_string().lines().next().unwrap_or_default().to_owned(),
            is_error: true,
            card: Some(card),
            changes: Vec::new(),
            blocked: match error {
                Error::Blocked { reason, .. }
                | Error::Denied { reason, .. }
                | Error::Unapproved { reason, .. } => Some(reason.clone()),
                _ => None,
            },
        }
    }

    /// Either.
    pub(crate) fn of(result: Result<Self, Error>, context: &ToolContext) -> Self {
        result.unwrap_or_else(|error| {
            note(&error, context);
            Self::failure(&error)
        })
    }
}

/// Logs a tool that took too long.
pub(crate) fn note(error: &Error, context: &ToolContext) {
    if let Error::TimedOut { tool, limit } = error {
        event::ToolTimeout { session_id: context.session, tool, timeout: *limit }.log();
    }
}
