//! `candor hooks`

use std::path::PathBuf;
use std::sync::Arc;

use candor_cards::one_line;
use candor_protocol::Failure;
use candor_tools::hooks::{Found, Hook, HookFiles, Place};
use candor_tools::trust::Trust;
use serde_json::{Value, json};

use crate::cli;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::offered;

pub(crate) fn run(command: &cli::Hooks, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        cli::Hooks::List { json } => list(*json, context),
        cli::Hooks::Check { files } => check(files, context),
    }
}

/// A hook in a line: all of what is run, and when.
pub(crate) fn shown(hook: &Hook) -> String {
    let matcher = if hook.matcher.is_empty() { String::new() } else { format!(" ({})", hook.matcher) };
    let rights = if hook.is_walled { "" } else { " [with all your rights]" };
    format!("{}{matcher}{rights}: {}", hook.occasion.as_str(), hook.command)
}

/// Whose it is, and whether it counts.
pub(crate) fn state(found: &Found) -> &'static str {
    match &found.brought {
        None => "your own",
        Some(_) if found.trusted => "trusted",
        Some(_) => "not trusted",
    }
}

fn all(context: &Context<'_>) -> Result<Vec<Found>, Fail> {
    let loaded = context.load()?;
    Ok(offered::hooks(&loaded, &loaded.workspace).found())
}

fn list(as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let found = all(context)?;
    if as_json {
        let all: Vec<Value> = found.iter().flat_map(to_json).collect();
        context.screen.say(format_args!("{:#}", json!({ "hooks": all })))?;
        return Ok(Exit::Good);
    }
    for file in &found {
        let path = one_line(&file.path.display().to_string());
        for hook in &file.hooks {
            let hook = one_line(&shown(hook));
            context.screen.say(format_args!("{}  {hook}  ({path})", state(file)))?;
        }
        for failure in &file.problems {
            let (entry, why) = (fact(failure, "entry"), fact(failure, "reason"));
            context.screen.say(format_args!("left out  {entry}: {why}  ({path})"))?;
        }
    }
    if found.is_empty() {
        context.screen.note(format_args!(
            "no hooks: yours are in hooks.json of the home, a folder's in .candor/hooks.json or .claude/settings.json"
        ));
    }
    if found.iter().any(|file| !file.trusted) {
        context.screen.note(format_args!("those not trusted are not run: `candor trust`"));
    }
    Ok(Exit::Good)
}

/// A card for everything that is left out for a mistake.
fn check(files: &[PathBuf], context: &Context<'_>) -> Result<Exit, Fail> {
    let found = if files.is_empty() { all(context)? } else { named(files, context) };
    let broken: Vec<&Failure> = found.iter().flat_map(|file| &file.problems).collect();
    for failure in &broken {
        context.screen.card(failure);
    }
    let good: usize = found.iter().map(|file| file.hooks.len()).sum();
    context.screen.say(format_args!("{good} good, {} left out", broken.len()))?;
    Ok(if broken.is_empty() { Exit::Good } else { Exit::Bad })
}

/// What is in these files, wherever they are.
fn named(files: &[PathBuf], context: &Context<'_>) -> Vec<Found> {
    let places = files.iter().map(|file| Place { path: context.folder().join(file), folder: None });
    HookFiles::new(places.collect(), Arc::new(Trust::new(PathBuf::new()))).found()
}

fn fact(failure: &Failure, name: &str) -> String {
    one_line(failure.fact(name).unwrap_or_default())
}

fn to_json(file: &Found) -> Vec<Value> {
    let good = file.hooks.iter().map(|hook| {
        json!({
            "state": state(file),
            "event": hook.occasion.as_str(),
            "matcher": hook.matcher,
            "command": hook.command,
            "timeout": hook.timeout.as_secs_f64(),
            "walls": hook.is_walled,
            "path": file.path,
        })
    });
    let broken = file.problems.iter().map(|failure| {
        let (entry, reason) = (failure.fact("entry"), failure.fact("reason"));
        json!({ "state": "left out", "entry": entry, "reason": reason, "path": file.path })
    });
    good.chain(broken).collect()
}
