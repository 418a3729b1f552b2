//! `candor config`

use std::sync::mpsc;

use candor_config::{Loaded, Reload, Shown, Watch};
use candor_log::event::{ConfigReload, ConfigReloadFailed};
use candor_protocol::{Code, Failure};
use serde_json::{Map, Value as Json, json};

use crate::cli::Config;
use crate::commands::logs;
use crate::context::Context;
use crate::fail::{Exit, Fail};

pub(crate) fn run(command: &Config, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        Config::Show { origin, json, prefix } => {
            let form = if *json {
                Form::Json
            } else if *origin {
                Form::WithOrigin
            } else {
                Form::Plain
            };
            show(form, prefix.as_deref().unwrap_or(""), context)
        }
        Config::Check { watch: false } => check(context),
        Config::Check { watch: true } => watch(context),
        Config::Schema => {
            context.screen.say(format_args!("{:#}", candor_config::schema()))?;
            Ok(Exit::Good)
        }
        Config::Path { json } => path(*json, context),
    }
}

#[derive(Clone, Copy)]
enum Form {
    Plain,
    WithOrigin,
    Json,
}

fn show(form: Form, prefix: &str, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    let shown: Vec<Shown> =
        loaded.shown().into_iter().filter(|shown| shown.key.starts_with(prefix)).collect();
    if shown.is_empty() {
        return Err(unknown_key(prefix, &loaded));
    }
    if let Form::Json = form {
        let settings: Map<String, Json> = shown
            .into_iter()
            .map(|shown| (shown.key, json!({ "value": shown.value, "origin": shown.label })))
            .collect();
        context.screen.say(format_args!("{:#}", Json::Object(settings)))?;
        return Ok(Exit::Good);
    }
    for Shown { key, value, label, .. } in shown {
        // What is not set has no form in TOML; a comment says so.
        let line = if value.is_null() { format!("# {key} is not set") } else { format!("{key} = {value}") };
        match form {
            Form::WithOrigin => context.screen.say(format_args!("{line:<58} # {label}"))?,
            Form::Plain | Form::Json => context.screen.say(format_args!("{line}"))?,
        }
    }
    Ok(Exit::Good)
}

fn unknown_key(prefix: &str, loaded: &Loaded) -> Fail {
    let keys: Vec<String> = loaded.shown().into_iter().map(|shown| shown.key).collect();
    let near = candor_config::nearest(prefix, keys.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    Failure::new(Code::UsageInvalidValue)
        .with("argument", "KEY")
        .with("value", prefix)
        .with("detail", format!("no key begins with {prefix:?}{near}"))
        .with("help", "candor config show --help")
        .into()
}

fn check(context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    let files = match loaded.files.as_slice() {
        [] => "no config file, so the defaults hold".to_owned(),
        files => files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", "),
    };
    let warnings = match loaded.warnings.len() {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        more => format!(", {more} warnings"),
    };
    context.screen.say(format_args!("ok: {files}{warnings}"))?;
    Ok(Exit::Good)
}

/// Checks again whenever a file changes, and logs each reload as `candor serve` does.
fn watch(context: &Context<'_>) -> Result<Exit, Fail> {
    check(context)?;
    let loaded = context.load_quietly()?;
    let (log, _guard) = logs::start(&loaded, context)?;
    let (report, reports) = mpsc::channel();
    let _watch = Watch::start(context.request.clone(), loaded, move |reload| {
        let text = match reload {
            Reload::Changed { sections, loaded } => {
                ConfigReload { changed_sections: sections }.log();
                let sections = if sections.is_empty() { "nothing".to_owned() } else { sections.join(", ") };
                let warnings = loaded.warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
                Ok((format!("ok: reloaded; changed: {sections}"), warnings))
            }
            Reload::Failed(error) => {
                let failure = error.failure();
                ConfigReloadFailed { code: Some(failure.code.as_str()), error: &error.to_string() }.log();
                Err(failure)
            }
        };
        // The receiver is gone only when the command ends.
        let _ = report.send(text);
    })?;
    context.screen.note(format_args!("watching; Ctrl-C ends"));
    for text in reports {
        // Ctrl-C may end this at any moment; what was reported must be in the log by then.
        log.flush();
        match text {
            Ok((line, warnings)) => {
                context.screen.say(format_args!("{line}"))?;
                for warning in warnings {
                    context.screen.warn(&warning);
                }
            }
            Err(failure) => {
                context.screen.card(&failure);
                context.screen.note(format_args!("\nthe last good configuration stays in force"));
            }
        }
    }
    Ok(Exit::Good)
}

fn path(as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let home = context.home()?;
    let loaded = context.load_quietly();
    let files = loaded.as_ref().map(|loaded| loaded.files.clone()).unwrap_or_default();
    if as_json {
        let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
        context.screen.say(format_args!(
            "{:#}",
            json!({ "home": home.path().display().to_string(), "files": files })
        ))?;
        return Ok(Exit::Good);
    }
    match (loaded, files.as_slice()) {
        // The path is what was asked for, above all when the file is broken.
        (Err(error), _) => return Err(error.into()),
        (Ok(_), []) => {
            context.screen.say(format_args!("{}", home.join("config.toml").display()))?;
            context.screen.note(format_args!("not there yet, so the defaults hold; `candor init` writes it"));
        }
        (Ok(_), files) => {
            for file in files {
                context.screen.say(format_args!("{}", file.display()))?;
            }
        }
    }
    Ok(Exit::Good)
}
