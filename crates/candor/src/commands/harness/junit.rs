//! The result in the form that build servers read.

use candor_verify::report::junit::{Came, Case, Suite, document};

use candor_protocol::ErrorCard;

use super::Outcome;

/// The report of a harness that could not run, as `JUnit` XML: one case, which is an error and no failure.
pub(super) fn error(card: &ErrorCard, command: &str) -> String {
    let came = Came::Error {
        kind: card.code.clone(),
        message: card.title.clone(),
        text: candor_cards::text(card, command),
    };
    let only = Case { class: "harness".to_owned(), name: card.code.clone(), duration_ms: 0, came };
    document(&Suite { name: "candor harness".to_owned(), cases: vec![only], ..Suite::default() })
}

/// The report as `JUnit` XML.
pub(super) fn report(outcomes: &[Outcome]) -> String {
    document(&Suite {
        name: "candor harness".to_owned(),
        cases: outcomes.iter().map(case).collect(),
        ..Suite::default()
    })
}

fn case(Outcome { scenario, record, wrong }: &Outcome) -> Case {
    let came = wrong.as_ref().map_or(Came::Passed, |wrong| Came::Failed {
        message: wrong.clone(),
        text: record.error_prompt.as_deref().unwrap_or(&record.command).to_owned(),
    });
    Case {
        class: "harness".to_owned(),
        name: scenario.name.clone(),
        duration_ms: record.duration_ms.unwrap_or_default(),
        came,
    }
}
