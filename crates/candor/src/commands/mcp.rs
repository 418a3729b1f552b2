//! `candor mcp`

use std::fs;
use std::path::Path;
use std::sync::Arc;

use candor_cards::one_line;
use candor_config::Loaded;
use candor_mcp::{Offer, Read, Servers, Standing, Status};
use candor_protocol::{Code, Failure};
use serde_json::{Map, Value, json};

use crate::cli::{self, McpAdd};
use crate::commands::sessions::list::minute;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::offered;
use crate::offered::mcp::{entries, own_file, secrets, servers, variable};
use crate::screen::{block_on, columns, counted};

/// The key of the file that holds the servers.
const SERVERS: &str = "mcpServers";

pub(crate) fn run(command: &cli::Mcp, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    match command {
        cli::Mcp::List { json } => list(*json, &loaded, context),
        cli::Mcp::Probe { names, json } => probe(names, *json, &loaded, context),
        cli::Mcp::Add(add) => self::add(add, &loaded, context),
        cli::Mcp::Remove { name } => remove(name, &loaded, context),
        cli::Mcp::Login { name } => login(name, &loaded, context),
        cli::Mcp::Logout { name } => logout(name, &loaded, context),
    }
}

/// The servers that are named here; what is wrong with their files is told.
fn named(loaded: &Loaded, context: &Context<'_>) -> Arc<Servers> {
    let trust = offered::trust(loaded);
    let Read { entries, problems } = entries(loaded, &loaded.workspace, context.env(), &trust);
    context.screen.keep_secret(secrets(&entries));
    for failure in &problems {
        context.screen.card(failure);
    }
    servers(entries, loaded, &loaded.workspace, context)
}

fn list(as_json: bool, loaded: &Loaded, context: &Context<'_>) -> Result<Exit, Fail> {
    let statuses = named(loaded, context).statuses();
    if as_json {
        let all: Vec<Value> = statuses.iter().map(to_json).collect();
        context.screen.say(format_args!("{:#}", json!({ "servers": all })))?;
        return Ok(Exit::Good);
    }
    let rows: Vec<_> = statuses.iter().map(row).collect();
    for line in columns(&rows) {
        context.screen.say(format_args!("{line}"))?;
    }
    for status in statuses.iter().filter(|status| state(status) == FAILED) {
        if let Some(failure) = &status.last_failure {
            let (name, at, reason) = (one_line(&status.name), minute(failure.at), one_line(&failure.reason));
            context.screen.note(format_args!("{name} failed at {at} UTC: {reason}"));
        }
    }
    if statuses.is_empty() {
        let add = "candor mcp add NAME -- COMMAND ARGS…";
        context.screen.note(format_args!("no servers; `{add}` names one"));
    }
    if statuses.iter().any(|status| matches!(status.standing, Standing::Untrusted)) {
        context.screen.note(format_args!("those not trusted are left out: `candor trust`"));
    }
    Ok(Exit::Good)
}

fn row(status: &Status) -> [String; 5] {
    let offers = match &status.offer {
        Some(offer) => counted(offer.tools.len() as u64, "tool"),
        None => "not asked yet what it offers".to_owned(),
    };
    let path = format!("({})", status.path.display());
    [status.name.clone(), state(status).to_owned(), status.reach.clone(), offers, path]
}

/// The state of a server that failed when it was last wanted.
const FAILED: &str = "failed";

fn state(status: &Status) -> &'static str {
    match status.standing {
        Standing::Disabled => "off",
        Standing::Untrusted => "not trusted",
        // In another process.
        Standing::Away if status.last_failure.is_some() => FAILED,
        Standing::Away | Standing::Starting | Standing::There => "ok",
        Standing::Failed => FAILED,
        Standing::GivenUp => "given up",
    }
}

fn to_json(status: &Status) -> Value {
    json!({
        "name": status.name,
        "state": state(status),
        "reach": status.reach,
        "path": status.path,
        "loggedIn": status.has_login,
        "lastFailure": status.last_failure,
        "tools": status.offer.as_ref().map(|offer| offer.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>()),
    })
}

/// Starts servers one after the other: what one says must not be mixed up with another's.
fn probe(names: &[String], as_json: bool, loaded: &Loaded, context: &Context<'_>) -> Result<Exit, Fail> {
    let servers = named(loaded, context);
    let usable = |status: &Status| !matches!(status.standing, Standing::Disabled | Standing::Untrusted);
    let all: Vec<String> = if names.is_empty() {
        servers.statuses().into_iter().filter(usable).map(|status| status.name).collect()
    } else {
        names.to_vec()
    };
    if all.is_empty() {
        context.screen.note(format_args!("no servers that could be asked"));
    }
    block_on(async {
        let (mut told, mut worst) = (Vec::new(), None);
        for name in &all {
            match servers.probe(name).await {
                Ok(offer) if as_json => told.push(offered_json(name, &offer)),
                Ok(offer) => show(name, &offer, &servers, context)?,
                Err(error) => {
                    let failure = error.failure();
                    told.push(json!({ "name": name, "error": candor_cards::card(&failure) }));
                    let code = context.screen.card(&failure);
                    worst.get_or_insert(code);
                }
            }
        }
        servers.stop().await;
        if as_json {
            context.screen.say(format_args!("{:#}", json!({ "servers": told })))?;
        }
        Ok(worst.map_or(Exit::Good, Exit::Shown))
    })
}

fn show(name: &str, offer: &Offer, servers: &Servers, context: &Context<'_>) -> Result<(), Fail> {
    let tools = counted(offer.tools.len() as u64, "tool");
    let (server, protocol) = (one_line(&offer.server), one_line(&offer.protocol));
    context.screen.say(format_args!("{name}: {server}, protocol {protocol}, {tools}"))?;
    for tool in &offer.tools {
        let description = one_line(tool.description.lines().next().unwrap_or_default());
        context.screen.say(format_args!("  {}  {description}", one_line(&tool.name)))?;
    }
    for prompt in servers.prompts().iter().filter(|prompt| prompt.server == name) {
        let description = one_line(prompt.prompt.description.lines().next().unwrap_or_default());
        context.screen.say(format_args!("  /{}  {description}", one_line(&prompt.word)))?;
    }
    for left in &offer.left_out {
        context.screen.note(format_args!("  left out: {}: {}", one_line(&left.name), one_line(&left.reason)));
    }
    Ok(())
}

fn offered_json(name: &str, offer: &Offer) -> Value {
    let tools: Vec<Value> = offer
        .tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description }))
        .collect();
    let prompts: Vec<&String> = offer.prompts.iter().map(|prompt| &prompt.name).collect();
    json!({
        "name": name,
        "server": offer.server,
        "protocol": offer.protocol,
        "tools": tools,
        "prompts": prompts,
        "resources": offer.has_resources,
    })
}

fn add(add: &McpAdd, loaded: &Loaded, context: &Context<'_>) -> Result<Exit, Fail> {
    let entry = match (&add.url, add.command.split_first()) {
        (Some(url), _) => {
            let headers = pairs(&add.header, ':', "--header", "Name: value")?;
            json!({ "type": "http", "url": url, "headers": headers })
        }
        (None, Some((program, args))) => {
            json!({ "command": program, "args": args, "env": pairs(&add.env, '=', "--env", "NAME=value")? })
        }
        (None, None) => return Err(invalid("COMMAND", "", "name a program after `--`, or give --url").into()),
    };
    let path = own_file(loaded);
    let mut file = read(&path)?;
    let servers = file.entry(SERVERS).or_insert_with(|| json!({}));
    if servers.get(&add.name).is_some() && !add.force {
        let detail = "There is one of this name; --force replaces it.";
        return Err(invalid("NAME", &add.name, detail).into());
    }
    servers[&add.name] = entry;
    // It is read back as it will be read, so that a mistake is told now.
    let text = serde_json::to_string_pretty(&file).unwrap_or_default();
    let read = candor_mcp::read(&path, &text, &|name| variable(name, &loaded.workspace, context.env()));
    let is_there = read.entries.iter().any(|entry| entry.name == add.name);
    let problem = read.problems.into_iter().find(|problem| problem.fact("server") == Some(&add.name));
    if let (false, Some(problem)) = (is_there, problem) {
        let fact = |name| problem.fact(name).unwrap_or_default();
        let detail = format!("{}: {}. Nothing was written.", fact("key"), fact("reason"));
        return Err(invalid("NAME", &add.name, &detail).into());
    }
    write(&path, &text)?;
    context.screen.note(format_args!("{} is named in {}", add.name, path.display()));
    context
        .screen
        .note(format_args!("see whether it works: candor mcp probe {}", candor_cards::quote(&add.name)));
    Ok(Exit::Good)
}

fn remove(name: &str, loaded: &Loaded, context: &Context<'_>) -> Result<Exit, Fail> {
    let path = own_file(loaded);
    let mut file = read(&path)?;
    let removed = file.get_mut(SERVERS).and_then(Value::as_object_mut).and_then(|all| all.remove(name));
    if removed.is_none() {
        let detail = format!("It is not in {}.", path.display());
        return Err(invalid("NAME", name, &detail).into());
    }
    write(&path, &serde_json::to_string_pretty(&file).unwrap_or_default())?;
    context.screen.note(format_args!("{name} is out of {}", path.display()));
    Ok(Exit::Good)
}

fn login(name: &str, loaded: &Loaded, context: &Context<'_>) -> Result<Exit, Fail> {
    let servers = named(loaded, context);
    block_on(async {
        let open = |url: &str| context.screen.note(format_args!("open this address in a browser:\n{url}"));
        servers.login(name, open).await.map_err(|error| error.failure())?;
        context.screen.note(format_args!("logged in to {name}"));
        Ok(Exit::Good)
    })
}

fn logout(name: &str, loaded: &Loaded, context: &Context<'_>) -> Result<Exit, Fail> {
    let was_there = named(loaded, context).logout(name).map_err(|error| error.failure())?;
    let says = if was_there { "the login is forgotten" } else { "there was no login" };
    context.screen.note(format_args!("{name}: {says}"));
    Ok(Exit::Good)
}

/// `NAME=value` or `Name: value` as an object.
fn pairs(texts: &[String], by: char, option: &str, form: &str) -> Result<Value, Failure> {
    let mut all = Map::new();
    for text in texts {
        let Some((name, value)) = text.split_once(by).filter(|(name, _)| !name.trim().is_empty()) else {
            return Err(invalid(option, text, &format!("Write it as {form}.")));
        };
        all.insert(name.trim().to_owned(), value.trim().into());
    }
    Ok(all.into())
}

fn invalid(argument: &str, value: &str, detail: &str) -> Failure {
    Failure::new(Code::UsageInvalidValue)
        .with("argument", argument)
        .with("value", value)
        .with("detail", detail)
        .with("help", "candor mcp --help")
}

/// The file as it is, or an empty one; or the card of what is wrong with it.
fn read(path: &Path) -> Result<Map<String, Value>, Failure> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(Failure::file(path, &error)),
    };
    let file = serde_json::from_str::<Map<String, Value>>(&text).ok();
    // What cannot be read is not written over.
    file.filter(|file| file.get(SERVERS).is_none_or(Value::is_object)).ok_or_else(|| {
        let problem = candor_mcp::read(path, &text, &|_| None).problems.into_iter().next();
        problem.unwrap_or_else(|| Failure::file(path, &std::io::ErrorKind::InvalidData.into()))
    })
}

/// Writes the file whole or not at all; it may hold secrets.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: &std::io::Error| Failure::file(path, error);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|error| failed(&error))?;
    file.persist(path).map_err(|error| failed(&error.error))?;
    Ok(())
}
