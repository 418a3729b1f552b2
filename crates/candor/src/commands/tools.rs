//! `candor tools`

use std::sync::Arc;

use candor_cards::one_line;
use candor_protocol::{Code, Failure, ToolSpec};
use candor_tools::{Reach, Registry, Sought};
use serde_json::{Value, json};

use crate::cli::Tools;
use crate::commands::doctor;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::offered::{self, Offered};

pub(crate) fn run(command: &Tools, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    let registry = Registry::built_in();
    offered::delegate(&registry, &loaded);
    let found = Offered::new(&loaded, &loaded.workspace, context)?;
    found.warn(context);
    found.offer(&registry, &loaded.workspace, &Arc::default());
    // What a model is told at first: the rest it finds.
    let specs = registry.offered(&Sought::default(), None);
    match command {
        Tools::List { json: true } => {
            let sandbox = doctor::walls(&loaded, context).says;
            let tools: Vec<Value> = specs.iter().map(|spec| told(spec, reach(spec, &registry))).collect();
            context.screen.say(format_args!("{:#}", json!({ "sandbox": sandbox, "tools": tools })))?;
        }
        Tools::List { json: false } => {
            let width = specs.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
            for spec in &specs {
                let (reach, does) = (reach(spec, &registry).as_str(), one_line(first_line(spec)));
                context.screen.say(format_args!("{:width$}  {reach:5}  {does}", spec.name))?;
            }
            context.screen.note(format_args!("sandbox: {}", doctor::walls(&loaded, context).says));
        }
        Tools::Show { name, json } => show(name, *json, &registry, context)?,
    }
    Ok(Exit::Good)
}

fn show(name: &str, as_json: bool, registry: &Registry, context: &Context<'_>) -> Result<(), Fail> {
    let Some(tool) = registry.find(name) else {
        let specs = registry.offered(&Sought::default(), None);
        let names = specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(Failure::new(Code::ToolUnknown).with("tool", name).with("tools", names).into());
    };
    let spec = tool.spec();
    if as_json {
        context.screen.say(format_args!("{:#}", told(spec, tool.reach())))?;
        return Ok(());
    }
    context.screen.say(format_args!("{}: {}", spec.name, spec.description))?;
    if !tool.aliases().is_empty() {
        context.screen.say(format_args!("also called {}", tool.aliases().join(", ")))?;
    }
    context.screen.say(format_args!("effect: {}", tool.reach().as_str()))?;
    context.screen.say(format_args!("{:#}", spec.parameters))?;
    Ok(())
}

/// A tool for programs: what a model is told, and the most that it does.
fn told(spec: &ToolSpec, reach: Reach) -> Value {
    let mut told = json!(spec);
    told["effect"] = json!(reach.as_str());
    told
}

fn reach(spec: &ToolSpec, registry: &Registry) -> Reach {
    // What is offered is there; if it just went, nothing better than the most can be said of it.
    registry.find(&spec.name).map_or(Reach::Exec, |tool| tool.reach())
}

fn first_line(spec: &ToolSpec) -> &str {
    spec.description.lines().next().unwrap_or_default()
}
