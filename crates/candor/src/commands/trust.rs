//! `candor trust`: what a folder brings along counts only after a person has looked at it.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use candor_cards::one_line;
use candor_config::Loaded;
use candor_mcp::Rights;
use candor_protocol::Failure;
use candor_tools::hooks::Found;
use candor_tools::trust::{Brought, Trust};
use serde_json::{Value, json};

use crate::cli;
use crate::commands::hooks;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::init_questions::question;
use crate::offered;

/// Something that the folder brings along.
struct Thing {
    brought: Brought,
    /// Where it is.
    path: PathBuf,
    /// What it would do, in a line.
    does: String,
}

pub(crate) fn run(options: &cli::Trust, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    let (trust, things) = (offered::trust(&loaded), things(&loaded, context));
    if options.json {
        let all: Vec<Value> = things.iter().map(|thing| to_json(thing, &trust)).collect();
        context.screen.say(format_args!("{:#}", json!({ "things": all })))?;
        return Ok(Exit::Good);
    }
    for thing in &things {
        let Thing { brought, path, does } = thing;
        let state = if trust.has(brought) { "trusted" } else { "not trusted" };
        let (kind, name) = (brought.kind.as_str(), &brought.name);
        let (name, does, path) = (one_line(name), one_line(does), one_line(&path.display().to_string()));
        context.screen.say(format_args!("{state}  {kind} {name}: {does}  ({path})"))?;
        let failed = |error: io::Error| Failure::file(&loaded.home.join("trust.json"), &error);
        if options.remove {
            trust.remove(brought).map_err(failed)?;
        } else if !trust.has(brought) && (options.yes || is_wanted()?) {
            trust.add(brought.clone()).map_err(failed)?;
            context
                .screen
                .note(format_args!("trusted {name} as it is now; a change has to be trusted again"));
        }
    }
    if things.is_empty() {
        context.screen.note(format_args!("this folder brings nothing along that would have to be trusted"));
    } else if options.remove {
        context.screen.note(format_args!("nothing of this folder is trusted any more"));
    } else if !is_terminal() && !options.yes && things.iter().any(|thing| !trust.has(&thing.brought)) {
        context.screen.note(format_args!("on a terminal you are asked; --yes trusts all of it"));
    }
    Ok(Exit::Good)
}

/// What the folder brings along, in the order in which it is shown.
fn things(loaded: &Loaded, context: &Context<'_>) -> Vec<Thing> {
    let skills = offered::skills(loaded, &loaded.workspace, context.env()).found();
    let skill = |found: candor_tools::skills::Found| {
        let skill = found.skill.ok()?;
        let files: Vec<String> = skill.files.iter().map(|file| file.display().to_string()).collect();
        let with = if files.is_empty() { String::new() } else { format!(" [with {}]", files.join(", ")) };
        let does = format!("{}{with}", skill.description);
        Some(Thing { brought: found.brought?, path: found.path, does })
    };
    let trust = offered::trust(loaded);
    let named = offered::mcp::entries(loaded, &loaded.workspace, context.env(), &trust).entries;
    let own = offered::mcp::own_file(loaded);
    let server = |entry: candor_mcp::Entry| {
        let rights = match entry.rights {
            Rights::Full => "with all your rights",
            Rights::Workspace => "behind the walls",
        };
        let does = format!("{rights}: {}", entry.written);
        Thing { brought: offered::mcp::what(&entry, &loaded.workspace), path: entry.path, does }
    };
    let servers = named.into_iter().filter(|entry| entry.path != own).map(server);
    let hooks = offered::hooks(loaded, &loaded.workspace).found();
    let hooks = hooks.into_iter().filter(|found| !found.hooks.is_empty()).filter_map(of_hooks);
    skills.into_iter().filter_map(skill).chain(servers).chain(hooks).collect()
}

/// A file of hooks, with everything that would run.
fn of_hooks(found: Found) -> Option<Thing> {
    let does: Vec<String> = found.hooks.iter().map(|hook| hooks::shown(hook)).collect();
    Some(Thing { brought: found.brought?, path: found.path, does: does.join("; ") })
}

fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether the person says yes. Nobody there says no.
fn is_wanted() -> Result<bool, Fail> {
    if !is_terminal() {
        return Ok(false);
    }
    let answer = question("Trust it? [y/N] ")?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

fn to_json(thing: &Thing, trust: &Trust) -> Value {
    json!({
        "kind": thing.brought.kind,
        "name": thing.brought.name,
        "path": thing.path,
        "does": thing.does,
        "hash": thing.brought.hash,
        "trusted": trust.has(&thing.brought),
    })
}
