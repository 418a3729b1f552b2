//! From a rule that matches to its card.

use candor_protocol::{Class, ErrorCard, Safety, Step};

use super::matching::Match;
use super::rule::{Rule, RuleStep};
use crate::quote;
use crate::template::Facts;

/// The card of a rule. What needs a fact that is missing is left out.
pub(crate) fn fill(found: &Match<'_>, directory: Option<&str>) -> ErrorCard {
    found.found.with(|facts| filled(&found.recipe.rule, facts, directory))
}

fn filled(rule: &Rule, facts: &Facts<'_>, directory: Option<&str>) -> ErrorCard {
    let there = |command: String| match directory {
        // A line that was made from the failed one goes there by itself.
        Some(directory) if !command.starts_with("cd ") => format!("cd {} && {command}", quote(directory)),
        _ => command,
    };
    ErrorCard {
        code: rule.code.clone(),
        class: Class::from(rule.class.clone()),
        title: rule.title.clone(),
        cause: facts.cause(rule.cause.trim_end()),
        tried: Vec::new(),
        steps: rule.steps.iter().filter_map(|written| step(written, facts, &there)).collect(),
        verify: rule.verify.as_deref().and_then(|verify| facts.command(verify)).map(there),
        retryable: rule.retryable,
        exit_code: 1,
    }
}

fn step(written: &RuleStep, facts: &Facts<'_>, there: &dyn Fn(String) -> String) -> Option<Step> {
    let safety = match (written.safe, written.destructive) {
        (_, true) => Safety::Destructive,
        (true, false) => Safety::Safe,
        (false, false) => Safety::Ask,
    };
    match written {
        RuleStep { check: Some(text), run, .. } => {
            let command = match run {
                Some(run) => Some(there(facts.command(run)?)),
                None => None,
            };
            Some(Step::Check { text: facts.prose(text)?, command })
        }
        RuleStep { run: Some(run), .. } => Some(Step::Run { command: there(facts.command(run)?), safety }),
        RuleStep { by_hand: Some(text), .. } => Some(Step::Do { text: facts.prose(text)? }),
        _ => None,
    }
}

/// The card of a rule as such, with the name of each fact in capitals where the fact would be.
pub fn rule_outline(rule: &Rule) -> ErrorCard {
    let facts = |name: &str| Some(name.to_ascii_uppercase());
    let exit_code = rule.exit.first().and_then(|exit| u8::try_from(*exit).ok()).unwrap_or(1);
    ErrorCard { exit_code, ..filled(rule, &Facts::new(&facts), None) }
}
