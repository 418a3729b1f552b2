//! `candor init`

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use candor_config::presets::{self, PRESETS};
use candor_config::{Chosen, Format, example};
use candor_protocol::{Code, Failure};

use crate::cli::{ConfigFormat, Init};
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::init_questions;

/// Copies of old configurations that are kept before the newest is replaced after all.
const BACKUPS_MAX: u32 = 1000;

pub(crate) fn run(options: &Init, context: &Context<'_>) -> Result<Exit, Fail> {
    if context.request.file.is_some() {
        return Err(Failure::new(Code::UsageConflict)
            .with("argument", "--config")
            .with("detail", "init writes the configuration of the home; --config names a file to read")
            .with("help", "candor init --help")
            .into());
    }
    let home = context.home()?;
    let format = match options.format {
        ConfigFormat::Toml => Format::Toml,
        ConfigFormat::Yaml => Format::Yaml,
    };
    let there: Vec<_> = ["config.toml", "config.yaml", "config.yml"]
        .iter()
        .map(|name| home.join(name))
        .filter(|path| path.symlink_metadata().is_ok())
        .collect();
    if let (Some(path), false) = (there.first(), options.force) {
        return Err(Failure::new(Code::ConfigExists).with("path", path.display()).into());
    }
    let chosen = chosen(options, context)?;
    home.make()?;
    let path = home.join(format.file_name());
    let written = home.join(&format!("{}.new", format.file_name()));
    write_new(&written, &example(format, &chosen))?;
    for old in &there {
        let kept = free_name(old);
        fs::rename(old, &kept).map_err(|error| Failure::file(old, &error))?;
        context.screen.note(format_args!("kept the old one as {}", kept.display()));
    }
    fs::rename(&written, &path).map_err(|error| Failure::file(&path, &error))?;
    context.screen.say(format_args!("wrote {}", path.display()))?;
    next_steps(&chosen, context);
    Ok(Exit::Good)
}

/// A name beside the old one that nothing has yet: an earlier copy is not replaced by a later one.
fn free_name(old: &Path) -> PathBuf {
    let numbered = |number: u32| {
        let mut name = old.as_os_str().to_owned();
        name.push(if number == 0 { ".bak".to_owned() } else { format!(".bak.{number}") });
        PathBuf::from(name)
    };
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
    (0..BACKUPS_MAX).map(numbered).find(is_free).unwrap_or_else(|| numbered(BACKUPS_MAX))
}

/// What the flags say, then what the person at the terminal says.
fn chosen(options: &Init, context: &Context<'_>) -> Result<Vec<Chosen>, Fail> {
    let mut chosen: Vec<Chosen> =
        context.global.settings().into_iter().map(|flag| (flag.key, flag.value)).collect();
    if chosen.is_empty() && !options.yes && io::stdin().is_terminal() && io::stderr().is_terminal() {
        chosen = init_questions::ask(context)?;
    }
    let value = |key: &str| chosen.iter().find(|(chosen, _)| *chosen == key).map(|(_, value)| value.clone());
    if let Some(preset) = value("provider").as_deref().and_then(presets::find)
        && value("model").is_none()
    {
        chosen.push(("model", preset.model.to_owned()));
    }
    check(&chosen)?;
    Ok(chosen)
}

/// Refuses what the loader would refuse, before anything is written.
fn check(chosen: &[Chosen]) -> Result<(), Fail> {
    let flag =
        |(key, value): &Chosen| candor_config::Flag { name: flag_name(key), key, value: value.clone() };
    let request = candor_config::Request {
        env: candor_config::Env::of([("CANDOR_HOME", "/nonexistent")]),
        cwd: "/nonexistent".into(),
        flags: chosen.iter().map(flag).collect(),
        ..candor_config::Request::default()
    };
    candor_config::load(&request)?;
    Ok(())
}

fn flag_name(key: &str) -> &'static str {
    match key {
        "provider" => "--provider",
        "model" => "--model",
        "profile" => "--profile",
        "permission" => "--permission",
        _ => "--system-prompt",
    }
}

fn write_new(path: &Path, text: &str) -> Result<(), Fail> {
    // A rest of an attempt that was cut short is ours to replace.
    let _ = fs::remove_file(path);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(|error| Failure::file(path, &error).into())
}

fn next_steps(chosen: &[Chosen], context: &Context<'_>) {
    let provider = chosen.iter().find(|(key, _)| *key == "provider").map(|(_, value)| value.as_str());
    let variable = provider.and_then(presets::find).and_then(|preset| preset.key_variable);
    match variable {
        Some(variable) if context.env().get(variable).is_none() => {
            context.screen.note(format_args!("next: export {variable}=…, then candor doctor"));
        }
        Some(_) => context.screen.note(format_args!("next: candor doctor")),
        None if provider.is_some() => context.screen.note(format_args!("next: candor doctor")),
        None => {
            let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
            context.screen.note(format_args!(
                "every key is commented; to begin, set provider to one of {}",
                names.join(", ")
            ));
        }
    }
}
