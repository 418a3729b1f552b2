//! `candor tools`

use std::sync::Arc;

use candor_cards::one_line;
use candor_protocol::{Code, Failure, ToolSpec};
use candor_tools::{Registry, Sought};
use serde_json::json;

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
            context.screen.say(format_args!("{:#}", json!({ "sandbox": sandbox, "tools": specs })))?;
        }
        Tools::List { json: false } => {
            let width = specs.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
            for spec in &specs {
                context.screen.say(format_args!("{:width$}  {}", spec.name, one_line(first_line(spec))))?;
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
        context.screen.say(format_args!("{:#}", json!(spec)))?;
        return Ok(());
    }
    context.screen.say(format_args!("{}: {}", spec.name, spec.description))?;
    if !tool.aliases().is_empty() {
        context.screen.say(format_args!("also called {}", tool.aliases().join(", ")))?;
    }
    context.screen.say(format_args!("{:#}", spec.parameters))?;
    Ok(())
}

fn first_line(spec: &ToolSpec) -> &str {
    spec.description.lines().next().unwrap_or_default()
}
