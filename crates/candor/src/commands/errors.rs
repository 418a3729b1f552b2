//! `candor errors`

use std::fs;
use std::path::{Path, PathBuf};

use candor_cards::{Checked, Entry, Rule, RuleBase, catalogue, check, entry, outline};
use candor_protocol::{Code, Failure};
use serde_json::{Value, json};

use crate::cli::Errors;
use crate::commands::error_stats;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::recipes;

pub(crate) fn run(command: &Errors, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        Errors::List { json: true } => list_json(context),
        Errors::List { json: false } => list(context),
        Errors::Show { code, json } => show(code, *json, context),
        Errors::Check { files, json } => check_all(files, *json, context),
        Errors::Stats { since, json } => error_stats::run(since.as_deref(), *json, context),
    }
}

/// The codes of rules, each once, with its first rule.
fn codes(rules: &RuleBase) -> Vec<(&str, &Rule)> {
    let mut known: Vec<(&str, &Rule)> = Vec::new();
    for (ecosystem, rule) in rules.rules() {
        if !known.iter().any(|(_, other)| other.code == rule.code) {
            known.push((ecosystem, rule));
        }
    }
    known
}

fn list(context: &Context<'_>) -> Result<Exit, Fail> {
    let rules = recipes::rules(context);
    let codes = codes(&rules);
    let ours = catalogue().iter().map(|entry| entry.code.as_str());
    let width = ours.chain(codes.iter().map(|(_, rule)| rule.code.as_str())).map(str::len).max().unwrap_or(0);
    for Entry { code, class, title, .. } in catalogue() {
        context.screen.say(format_args!("{:width$}  {:<13} {title}", code.as_str(), class.as_str()))?;
    }
    for (_, rule) in &codes {
        context.screen.say(format_args!("{:width$}  {:<13} {}", rule.code, rule.class, rule.title))?;
    }
    context.screen.note(format_args!(
        "{} codes of Candor's own, {} of other programs in {} rules; `candor errors show CODE` prints one card",
        catalogue().len(),
        codes.len(),
        rules.len(),
    ));
    Ok(Exit::Good)
}

fn list_json(context: &Context<'_>) -> Result<Exit, Fail> {
    let rules = recipes::rules(context);
    let ours = catalogue().iter().map(|entry| json!(outline(entry)));
    let theirs = codes(&rules).into_iter().map(|(ecosystem, rule)| {
        let mut card = json!(candor_cards::rule_outline(rule));
        card["ecosystem"] = ecosystem.into();
        card
    });
    context.screen.say(format_args!("{:#}", Value::Array(ours.chain(theirs).collect())))?;
    Ok(Exit::Good)
}

fn show(name: &str, as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    if let Some(code) = Code::find(name) {
        let card = outline(entry(code));
        return show_card(&card, as_json, context);
    }
    let rules = recipes::rules(context);
    let wanted = name.trim().replace('-', "_").to_ascii_uppercase();
    let cards: Vec<_> = rules
        .rules()
        .filter(|(_, rule)| rule.code == wanted)
        .map(|(_, rule)| candor_cards::rule_outline(rule))
        .collect();
    let Some((last, others)) = cards.split_last() else {
        let known = Code::ALL
            .iter()
            .map(|code| code.as_str())
            .chain(rules.rules().map(|(_, rule)| rule.code.as_str()));
        let near = candor_config::nearest(&wanted, known);
        return Err(Failure::new(Code::UsageUnknownCode)
            .with("code", name)
            .with("nearest", near.unwrap_or_default())
            .into());
    };
    if as_json && !others.is_empty() {
        context.screen.say(format_args!("{:#}", json!(cards)))?;
        return Ok(Exit::Good);
    }
    for card in others {
        show_card(card, as_json, context)?;
        context.screen.say(format_args!(""))?;
    }
    show_card(last, as_json, context)
}

fn show_card(card: &candor_protocol::ErrorCard, as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    if as_json {
        context.screen.say(format_args!("{:#}", json!(card)))?;
    } else {
        context.screen.say(format_args!("{}: {}\n", card.code, card.title))?;
        context.screen.say(format_args!("{}", candor_cards::text(card, "…").trim_end()))?;
    }
    Ok(Exit::Good)
}

/// Checks files of rules; the exit code tells whether all are good.
fn check_all(files: &[PathBuf], as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let mut good = true;
    for file in files {
        let path = context.request.cwd.join(file);
        let text = fs::read_to_string(&path).map_err(|error| Failure::file(&path, &error))?;
        let checked = check(&text, RuleBase::with);
        good &= checked.problems.is_empty();
        tell(file, &checked, as_json, context)?;
    }
    Ok(if good { Exit::Good } else { Exit::Bad })
}

fn tell(file: &Path, checked: &Checked, as_json: bool, context: &Context<'_>) -> Result<(), Fail> {
    let file = file.display();
    if as_json {
        let problems: Vec<Value> = checked
            .problems
            .iter()
            .map(|problem| json!({ "line": problem.line, "text": problem.text }))
            .collect();
        let counts = json!({
            "file": file.to_string(),
            "rules": checked.rules,
            "examplesRun": checked.examples_run,
            "examplesDocs": checked.examples_docs,
            "problems": problems,
        });
        return context.screen.say(format_args!("{counts}"));
    }
    for problem in &checked.problems {
        context.screen.say(format_args!("{file}:{}: {}", problem.line, problem.text))?;
    }
    let Checked { rules, examples_run, examples_docs, problems, .. } = checked;
    let verdict =
        if problems.is_empty() { "good".to_owned() } else { format!("{} problems", problems.len()) };
    context.screen.say(format_args!(
        "{file}: {verdict}; {rules} rules, {examples_run} examples from real runs, {examples_docs} from documentation"
    ))
}
