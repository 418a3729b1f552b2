//! From a rule that matches to its card.

use candor_protocol::{Class, ErrorCard, Safety, Step};

use super::matching::Match;
use super::rule::{Rule, RuleStep};
use crate::command::Elsewhere;
use crate::quote;
use crate::template::Facts;

/// The fact that is the directory of `git -C`.
const GIT_DIRECTORY: &str = "git_directory";

/// The card of a rule. What needs a fact that is missing is left out.
pub(crate) fn fill(found: &Match<'_>, elsewhere: Option<&Elsewhere>) -> ErrorCard {
    let mut facts = found.found.clone();
    if let Some(Elsewhere::Git(directory)) = elsewhere {
        facts.add(GIT_DIRECTORY, directory.as_str());
    }
    facts.with(|facts| filled(&found.recipe.rule, facts, elsewhere))
}

fn filled(rule: &Rule, facts: &Facts<'_>, elsewhere: Option<&Elsewhere>) -> ErrorCard {
    let there = |template: &str| match elsewhere {
        None => facts.command(template),
        Some(Elsewhere::Git(_)) => facts.command(&with_git_directory(template)?),
        Some(Elsewhere::Cd(directory)) => facts.command(template).map(|command| {
            // A line that was made from the failed one goes there by itself.
            if command.starts_with("cd ") { command } else { format!("cd {} && {command}", quote(directory)) }
        }),
    };
    ErrorCard {
        code: rule.code.clone(),
        class: Class::from(rule.class.clone()),
        title: rule.title.clone(),
        cause: facts.cause(rule.cause.trim_end()),
        tried: Vec::new(),
        steps: kept_first(rule.steps.iter().filter_map(|written| step(written, facts, &there)).collect()),
        verify: rule.verify.as_deref().and_then(there),
        retryable: rule.retryable,
        exit_code: 1,
    }
}

/// The first step is the one that is followed without a second thought, so it loses nothing, even where the look that
/// was written before it could not be filled.
fn kept_first(mut steps: Vec<Step>) -> Vec<Step> {
    let loses = |step: &Step| matches!(step, Step::Run { safety: Safety::Destructive, .. });
    if let Some(at) = steps.iter().position(|step| !loses(step)) {
        steps[..=at].rotate_right(1);
    }
    steps
}

/// A command that does in the directory of `git -C` what it would do here; nothing where that cannot be said.
///
/// What was made from the failed command has the option already. What is no git command goes there for itself.
fn with_git_directory(template: &str) -> Option<String> {
    let has_own = template.contains("{!");
    let part = |part: &str| match part.strip_prefix("git ") {
        _ if part.starts_with("{!") => Some(part.to_owned()),
        Some(rest) if !part.contains(['|', ';']) => Some(format!("git -C {{{GIT_DIRECTORY}}} {rest}")),
        // From there, the rest of the line would not find the directory again.
        _ if has_own && part.starts_with("cd ") => None,
        _ => Some(format!("(cd {{{GIT_DIRECTORY}}} && {part})")),
    };
    let parts: Option<Vec<String>> = template.split(" && ").map(part).collect();
    parts.map(|parts| parts.join(" && "))
}

fn step(written: &RuleStep, facts: &Facts<'_>, there: &dyn Fn(&str) -> Option<String>) -> Option<Step> {
    let safety = match (written.safe, written.destructive) {
        (_, true) => Safety::Destructive,
        (true, false) => Safety::Safe,
        (false, false) => Safety::Ask,
    };
    match written {
        RuleStep { check: Some(text), run, .. } => {
            let command = match run {
                Some(run) => Some(there(run)?),
                None => None,
            };
            Some(Step::Check { text: facts.prose(text)?, command })
        }
        RuleStep { run: Some(run), .. } => Some(Step::Run { command: there(run)?, safety }),
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
