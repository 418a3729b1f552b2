//! `candor errors`

use std::fs;
use std::path::{Path, PathBuf};

use candor_cards::{Checked, Rule, RuleBase, catalogue, check, entry, outline};
use candor_protocol::{Code, ErrorCard, Failure};
use serde_json::{Value, json};

use crate::cli::Errors;
use crate::commands::error_stats;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::recipes;
use crate::screen::counted;

pub(crate) fn run(command: &Errors, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        Errors::List { words, json } => list(words, *json, context),
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

/// What of a code is looked at by whoever looks for one.
struct Listed {
    card: ErrorCard,
    /// The programs that the code is about; none for one of Candor's own.
    ecosystem: Option<String>,
}

impl Listed {
    fn has(&self, word: &str) -> bool {
        let Self { card, ecosystem } = self;
        let texts =
            [card.code.as_str(), card.class.as_str(), &card.title, ecosystem.as_deref().unwrap_or("candor")];
        texts.iter().any(|text| text.to_lowercase().contains(word))
    }
}

/// The codes that have all of these words: Candor's own, then those of other programs.
fn listed(words: &[String], rules: &RuleBase) -> Vec<Listed> {
    let ours = catalogue().iter().map(|entry| Listed { card: outline(entry), ecosystem: None });
    let theirs = codes(rules).into_iter().map(|(ecosystem, rule)| Listed {
        card: candor_cards::rule_outline(rule),
        ecosystem: Some(ecosystem.to_owned()),
    });
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    ours.chain(theirs).filter(|listed| words.iter().all(|word| listed.has(word))).collect()
}

fn list(words: &[String], as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let rules = recipes::rules(context);
    let found = listed(words, &rules);
    if as_json {
        return list_json(found, context);
    }
    if found.is_empty() {
        context.screen.note(format_args!("no code has all of these words: {}", words.join(" ")));
        return Ok(Exit::Good);
    }
    let width = found.iter().map(|listed| listed.card.code.len()).max().unwrap_or(0);
    for Listed { card: ErrorCard { code, class, title, .. }, .. } in &found {
        context.screen.say(format_args!("{code:width$}  {:<13} {title}", class.as_str()))?;
    }
    let ours = found.iter().filter(|listed| listed.ecosystem.is_none()).count();
    let of_all = if words.is_empty() { format!(" in {} rules", rules.len()) } else { String::new() };
    context.screen.note(format_args!(
        "{ours} codes of Candor's own, {} of other programs{of_all}; `candor errors show CODE` prints one card",
        found.len() - ours,
    ));
    Ok(Exit::Good)
}

fn list_json(found: Vec<Listed>, context: &Context<'_>) -> Result<Exit, Fail> {
    let one = |listed: Listed| {
        let mut card = json!(listed.card);
        if let Some(ecosystem) = listed.ecosystem {
            card["ecosystem"] = ecosystem.into();
        }
        card
    };
    context.screen.say(format_args!("{:#}", Value::Array(found.into_iter().map(one).collect())))?;
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

fn show_card(card: &ErrorCard, as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
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
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                // The other files are looked at all the same.
                context.screen.card(&Failure::file(&path, &error));
                good = false;
                continue;
            }
        };
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
    let count = |number: usize, what: &str| counted(number as u64, what);
    let verdict = match checked.problems.len() {
        0 => "good".to_owned(),
        problems => count(problems, "problem"),
    };
    let (rules, seen) = (count(checked.rules, "rule"), count(checked.examples_run, "example"));
    context.screen.say(format_args!(
        "{file}: {verdict}; {rules}, {seen} from real runs, {} from documentation",
        checked.examples_docs
    ))
}
