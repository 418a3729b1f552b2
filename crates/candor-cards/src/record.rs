//! What is written down about a command that was run: one JSON line each.

use std::time::Duration;

use candor_protocol::{ErrorCard, Step};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Failed, How, RuleBase, Source, World, explain, pd_report, text};

/// What is written down about a command that was run. `docs/harness-result.schema.json` is its published shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When it ended, in UTC.
    pub timestamp: String,
    /// The command.
    pub command: String,
    /// Its exit code; for a signal 128 and its number, as shells have it.
    pub returncode: i32,
    /// Whether that was 0.
    pub success: bool,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The report on its last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pd_report: Option<Map<String, Value>>,
    /// The card of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_card: Option<RecordCard>,
    /// The same card as people see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_prompt: Option<String>,
}

/// A card as programs read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordCard {
    /// Its code.
    pub code: String,
    /// Its class.
    pub class: String,
    /// What happened.
    pub cause: String,
    /// What to do, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// What succeeds once it is repaired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// Where the card comes from: `card`, `rule` or `generic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Record {
    /// The record of a command, with its card if it failed.
    pub fn new(
        timestamp: String,
        ran: &Failed<'_>,
        duration: Option<Duration>,
        rules: &RuleBase,
        world: &dyn World,
    ) -> (Self, Option<ErrorCard>) {
        let returncode = ran.how.exit();
        let success = ran.how == How::Exited(0);
        let explained = (!success).then(|| explain(ran, rules, world));
        let record = Self {
            timestamp,
            command: ran.command.as_line().to_owned(),
            returncode,
            success,
            duration_ms: duration.and_then(|duration| u64::try_from(duration.as_millis()).ok()),
            pd_report: pd_report(ran.stdout),
            error_prompt: explained.as_ref().map(|explained| text(&explained.card, ran.command.as_line())),
            error_card: explained
                .as_ref()
                .map(|explained| RecordCard::new(&explained.card, explained.source)),
        };
        (record, explained.map(|explained| explained.card))
    }

    /// The record of a failure that no command stands behind.
    pub fn of_card(timestamp: String, command: &str, card: &ErrorCard) -> Self {
        Self {
            timestamp,
            command: command.to_owned(),
            returncode: i32::from(card.exit_code),
            success: false,
            duration_ms: None,
            pd_report: None,
            error_card: Some(RecordCard::new(card, Source::Card)),
            error_prompt: Some(text(card, command)),
        }
    }
}

impl RecordCard {
    fn new(card: &ErrorCard, source: Source) -> Self {
        let source = match source {
            Source::Card => "card",
            Source::Rule => "rule",
            Source::Generic => "generic",
        };
        Self {
            code: card.code.clone(),
            class: card.class.as_str().to_owned(),
            cause: card.cause.clone(),
            steps: card.steps.clone(),
            verify: card.verify.clone(),
            source: Some(source.to_owned()),
        }
    }
}
