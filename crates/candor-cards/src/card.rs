//! From a failure to its card.

use candor_protocol::{ErrorCard, Failure, Step};

use crate::template::Facts;
use crate::{Entry, StepTemplate, entry};

/// The fewest steps a card has; also what the tests demand of every entry.
const STEPS_MIN: usize = 2;

/// The card of a failure: its entry in the catalogue, filled with its facts.
///
/// No hole of a template ever reaches a person. Where a fact is missing, the cause says `unknown` and a step or
/// verify command that needs it is left out; if fewer than two steps remain, ones that need no fact take their place.
pub fn card(failure: &Failure) -> ErrorCard {
    filled(entry(failure.code), &Facts::new(&|name| failure.fact(name).map(str::to_owned)))
}

/// The card of an entry as such, with the name of each fact in capitals where the fact would be.
///
/// For explaining a code without a failure at hand. Capitals are what manual pages use, and unlike `<path>` they do
/// no harm when somebody pastes the line into a shell.
pub fn outline(entry: &Entry) -> ErrorCard {
    filled(entry, &Facts::new(&|name| Some(name.to_ascii_uppercase())))
}

pub(crate) fn filled(entry: &Entry, facts: &Facts<'_>) -> ErrorCard {
    let mut steps: Vec<Step> = entry.steps.iter().filter_map(|template| step(*template, facts)).collect();
    let missing = STEPS_MIN.saturating_sub(steps.len());
    steps.extend(always(entry).into_iter().take(missing));
    ErrorCard {
        code: entry.code.as_str().to_owned(),
        class: entry.class.clone(),
        title: entry.title.to_owned(),
        cause: facts.cause(entry.cause),
        tried: Vec::new(),
        steps,
        verify: entry.verify.and_then(|template| facts.command(template)),
        retryable: entry.retryable,
        exit_code: entry.exit_code,
    }
}

fn step(template: StepTemplate, facts: &Facts<'_>) -> Option<Step> {
    Some(match template {
        StepTemplate::Run { command } => Step::run(facts.command(command)?),
        StepTemplate::Check { text, command } => {
            Step::Check { text: facts.prose(text)?, command: Some(facts.command(command)?) }
        }
        StepTemplate::Do { text } => Step::Do { text: facts.prose(text)? },
    })
}

/// Steps that hold for every failure and need no fact.
fn always(entry: &Entry) -> [Step; STEPS_MIN] {
    [Step::run(format!("candor errors show {}", entry.code)), Step::run("candor doctor")]
}
