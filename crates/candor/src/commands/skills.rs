//! `candor skills`

use std::path::PathBuf;
use std::sync::Arc;

use candor_protocol::Failure;
use candor_tools::skills::{Found, Place, Skills};
use candor_tools::trust::Trust;
use serde_json::{Value, json};

use crate::cli;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::offered;
use crate::screen::columns;

pub(crate) fn run(command: &cli::Skills, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        cli::Skills::List { json } => list(*json, context),
        cli::Skills::Show { name, json } => show(name, *json, context),
        cli::Skills::Check { folders } => check(folders, context),
    }
}

fn skills(context: &Context<'_>) -> Result<Skills, Fail> {
    let loaded = context.load()?;
    Ok(offered::skills(&loaded, &loaded.workspace, context.env()))
}

fn list(as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let found = skills(context)?.found();
    if as_json {
        let all: Vec<Value> = found.iter().map(to_json).collect();
        context.screen.say(format_args!("{:#}", json!({ "skills": all })))?;
        return Ok(Exit::Good);
    }
    let rows: Vec<_> = found.iter().map(row).collect();
    for line in columns(&rows) {
        context.screen.say(format_args!("{line}"))?;
    }
    if found.is_empty() {
        context.screen.note(format_args!(
            "no skills: one is a folder with a SKILL.md in ~/.agents/skills, or in .agents/skills of a workspace"
        ));
    }
    if found.iter().any(|skill| !skill.trusted) {
        context.screen.note(format_args!("those not trusted are left out: `candor trust`"));
    }
    Ok(Exit::Good)
}

/// What it says comes last: it is as long as its author likes.
fn row(found: &Found) -> [String; 4] {
    let says = match &found.skill {
        Ok(skill) => skill.description.split_whitespace().collect::<Vec<_>>().join(" "),
        Err(failure) => reason(failure),
    };
    [name(found), state(found).to_owned(), format!("({})", found.path.display()), says]
}

fn show(name: &str, as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let skill = skills(context)?.take_up(name)?;
    if as_json {
        let told = json!({
            "name": skill.name,
            "description": skill.description,
            "instructions": skill.body,
            "folder": skill.folder,
            "files": skill.files,
        });
        context.screen.say(format_args!("{told:#}"))?;
    } else {
        context.screen.say(format_args!("{}", skill.body))?;
        for file in &skill.files {
            context.screen.note(format_args!("file: {}", skill.folder.join(file).display()));
        }
    }
    Ok(Exit::Good)
}

/// A card for each skill that is left out for a mistake.
fn check(folders: &[PathBuf], context: &Context<'_>) -> Result<Exit, Fail> {
    let found = if folders.is_empty() { skills(context)?.found() } else { named(folders, context) };
    let broken: Vec<&Failure> = found.iter().filter_map(|found| found.skill.as_ref().err()).collect();
    for failure in &broken {
        context.screen.card(failure);
    }
    let good = found.len() - broken.len();
    context.screen.say(format_args!("{good} good, {} left out", broken.len()))?;
    Ok(if broken.is_empty() { Exit::Good } else { Exit::Bad })
}

/// The skills in these folders, wherever they are.
fn named(folders: &[PathBuf], context: &Context<'_>) -> Vec<Found> {
    let trust = Arc::new(Trust::new(PathBuf::new()));
    let look = |given: &PathBuf| {
        let folder = context.folder().join(given);
        let place = Place { path: folder.parent().map(PathBuf::from).unwrap_or_default(), folder: None };
        let found = Skills::new(vec![place], Arc::clone(&trust)).at(folder);
        let again = format!("candor skills check {}", candor_cards::quote(&given.display().to_string()));
        Found { skill: found.skill.map_err(|failure| looked_at_by(&again, &failure)), ..found }
    };
    folders.iter().map(look).collect()
}

/// The same mistake, found by this command, which finds it again.
fn looked_at_by(command: &str, failure: &Failure) -> Failure {
    ["path", "line", "reason"]
        .into_iter()
        .fold(Failure::new(failure.code).with("help", command), |told, name| {
            told.with(name, failure.fact(name).unwrap_or_default())
        })
}

fn name(found: &Found) -> String {
    found.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn state(found: &Found) -> &'static str {
    match &found.skill {
        Err(_) => "left out",
        Ok(_) if !found.trusted => "not trusted",
        Ok(_) => "ok",
    }
}

fn reason(failure: &Failure) -> String {
    let fact = |name| failure.fact(name).unwrap_or_default();
    format!("line {}: {}", fact("line"), fact("reason"))
}

fn to_json(found: &Found) -> Value {
    json!({
        "name": name(found),
        "state": state(found),
        "path": found.path,
        "description": found.skill.as_ref().ok().map(|skill| &skill.description),
        "reason": found.skill.as_ref().err().map(reason),
    })
}
