//! `candor errors`

use candor_cards::{Entry, catalogue, entry, outline};
use candor_protocol::{Code, Failure};
use serde_json::json;

use crate::cli::Errors;
use crate::context::Context;
use crate::fail::{Exit, Fail};

pub(crate) fn run(command: &Errors, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        Errors::List { json: true } => list_json(context),
        Errors::List { json: false } => list(context),
        Errors::Show { code, json } => show(code, *json, context),
    }
}

fn list(context: &Context<'_>) -> Result<Exit, Fail> {
    let width = catalogue().iter().map(|entry| entry.code.as_str().len()).max().unwrap_or(0);
    for Entry { code, class, title, .. } in catalogue() {
        context.screen.say(format_args!("{:width$}  {:<13} {title}", code.as_str(), class.as_str()))?;
    }
    context
        .screen
        .note(format_args!("{} codes; `candor errors show CODE` prints one card", catalogue().len()));
    Ok(Exit::Good)
}

fn list_json(context: &Context<'_>) -> Result<Exit, Fail> {
    let cards: Vec<_> = catalogue().iter().map(outline).collect();
    context.screen.say(format_args!("{:#}", json!(cards)))?;
    Ok(Exit::Good)
}

fn show(name: &str, as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let Some(code) = Code::find(name) else {
        let upper = name.to_ascii_uppercase();
        let near = candor_config::nearest(&upper, Code::ALL.iter().map(|code| code.as_str()));
        return Err(Failure::new(Code::UsageUnknownCode)
            .with("code", name)
            .with("nearest", near.unwrap_or_default())
            .into());
    };
    let card = outline(entry(code));
    if as_json {
        context.screen.say(format_args!("{:#}", json!(card)))?;
    } else {
        context.screen.say(format_args!("{}: {}\n", card.code, card.title))?;
        context.screen.say(format_args!("{}", candor_cards::text(&card, "…").trim_end()))?;
    }
    Ok(Exit::Good)
}
