//! Masks what others wrote into an event: a provider's words, a tool's words, a panic's words.
//!
//! Messages and results arrive here with placeholders already, because the model reads them, too. What is masked here is
//! read by people only, so it is masked for good.

use candor_protocol::{ErrorCard, EventBody, Step};

use crate::vault::Vault;

/// The event with its free text masked.
pub(crate) fn masked(body: EventBody, vault: &Vault) -> EventBody {
    match body {
        EventBody::Error { message, card: shown } => {
            EventBody::Error { message: vault.erase(&message), card: card(shown, vault) }
        }
        EventBody::RunEnd(mut outcome) => {
            outcome.card = outcome.card.map(|shown| card(shown, vault));
            EventBody::RunEnd(outcome)
        }
        EventBody::ToolResult {
            call_id,
            tool_name,
            result,
            for_people,
            is_error,
            card: shown,
            duration_ms,
            changes,
            recovered,
            images,
        } => EventBody::ToolResult {
            call_id,
            tool_name,
            result,
            for_people: vault.erase(&for_people),
            is_error,
            card: shown.map(|shown| card(shown, vault)),
            duration_ms,
            changes,
            recovered,
            // A picture stays as it is: a mask in its base64 would leave no picture, and hide nothing that is seen on it.
            images,
        },
        EventBody::Status { message, attempt, delay_ms, discard } => {
            EventBody::Status { message: vault.erase(&message), attempt, delay_ms, discard }
        }
        EventBody::ApprovalRequest { call_id, question, reason, diff, choices, pattern } => {
            EventBody::ApprovalRequest {
                call_id,
                question: vault.erase(&question),
                reason: reason.map(|reason| vault.erase(&reason)),
                diff: diff.map(|diff| vault.erase(&diff)),
                choices,
                pattern: pattern.map(|pattern| vault.erase(&pattern)),
            }
        }
        EventBody::ToolProgress { call_id, text } => {
            EventBody::ToolProgress { call_id, text: vault.erase(&text) }
        }
        other => other,
    }
}

/// A provider's own words stand in a card, and some providers repeat the key; so does the end of a command's output.
fn card(mut card: ErrorCard, vault: &Vault) -> ErrorCard {
    let mask = |text: &mut String| *text = vault.erase(text);
    mask(&mut card.title);
    mask(&mut card.cause);
    card.tried.iter_mut().for_each(mask);
    for step in &mut card.steps {
        match step {
            Step::Run { command, .. } => mask(command),
            Step::Check { text, command } => {
                mask(text);
                command.as_mut().map(mask);
            }
            Step::Do { text } => mask(text),
        }
    }
    card.verify.as_mut().map(mask);
    card
}
