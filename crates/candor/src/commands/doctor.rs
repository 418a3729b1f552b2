//! `candor doctor`: each part says how it is, and what would make it well.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use candor_cards::one_line;
use candor_config::{Home, Loaded, SecretSource};
use candor_protocol::{Code, Failure};
use candor_sandbox::{Level, Sandbox};
use candor_store::{Location, Store};
use candor_tools::skills::Found;
use candor_tools::{Recipes, ToolSource, Walls};
use serde_json::{Value as Json, json};

use crate::cli::Doctor;
use crate::commands::hooks;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::provider;
use crate::recipes;
use crate::screen::{block_on, counted, paint};
use crate::secrets;
use crate::{assemble, offered};

/// Free disk space below which a log or a session may soon not be written.
const FREE_BYTES_LOW: u64 = 200_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Ok,
    Warning,
    Problem,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }

    const fn style(self) -> Style {
        let colour = match self {
            Self::Ok => AnsiColor::Green,
            Self::Warning => AnsiColor::Yellow,
            Self::Problem => AnsiColor::Red,
        };
        Style::new().fg_color(Some(anstyle::Color::Ansi(colour)))
    }
}

/// What one part reports.
pub(crate) struct Report {
    part: &'static str,
    state: State,
    pub(crate) says: String,
    failure: Option<Failure>,
}

impl Report {
    fn ok(part: &'static str, says: impl Into<String>) -> Self {
        Self { part, state: State::Ok, says: says.into(), failure: None }
    }

    fn bad(part: &'static str, state: State, says: impl Into<String>, failure: Failure) -> Self {
        Self { part, state, says: says.into(), failure: Some(failure) }
    }

    /// The first step of its card; where that points to a list of places, the command that prints them.
    fn fix(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        if matches!(failure.code, Code::ConfigInvalid | Code::ConfigSyntax) {
            return Some("Run: candor config check".to_owned());
        }
        candor_cards::card(failure).steps.first().map(ToString::to_string)
    }

    fn to_json(&self) -> Json {
        let card = self.failure.as_ref().map(candor_cards::card);
        json!({ "part": self.part, "state": self.state.word(), "says": self.says, "fix": self.fix(), "card": card })
    }
}

pub(crate) fn run(options: &Doctor, context: &Context<'_>) -> Result<Exit, Fail> {
    let reports = examine(context);
    let worst = reports.iter().map(|report| report.state).max().unwrap_or(State::Ok);
    if options.json {
        let parts: Vec<_> = reports.iter().map(Report::to_json).collect();
        context.screen.say(format_args!("{:#}", json!({ "state": worst.word(), "parts": parts })))?;
    } else {
        for report in &reports {
            let word = paint(
                context.screen.colour().stdout,
                report.state.style(),
                &format!("{:<8}", report.state.word()),
            );
            context.screen.say(format_args!("{word} {:<10} {}", report.part, report.says))?;
            if let (Some(fix), Some(failure)) = (report.fix(), &report.failure) {
                context
                    .screen
                    .say(format_args!("{:19} fix: {fix}  (candor errors show {})", "", failure.code))?;
            }
        }
    }
    Ok(if worst == State::Problem { Exit::Bad } else { Exit::Good })
}

fn examine(context: &Context<'_>) -> Vec<Report> {
    let mut reports = vec![Report::ok("build", crate::cli::version())];
    let home = match Home::find(context.env(), &context.request.cwd) {
        Ok(home) => home,
        Err(error) => {
            reports.push(Report::bad("home", State::Problem, error.to_string(), error.failure()));
            return reports;
        }
    };
    reports.push(home_report(&home));
    match context.load_quietly() {
        Err(error) => reports.push(Report::bad("config", State::Problem, error.to_string(), error.failure())),
        Ok(loaded) => {
            reports.extend(config_reports(&loaded));
            reports.push(provider_report(&loaded, context));
            reports.extend(secret_reports(&loaded, context));
            reports.push(walls(&loaded, context));
            reports.extend(recipe_reports(&loaded));
            reports.extend(tool_reports(&loaded, context));
            reports.extend(skill_reports(&loaded, context));
            reports.extend(hook_reports(&loaded));
            reports.extend(server_reports(&loaded, context));
            reports.push(log_report(&loaded));
            reports.push(sessions_report(&loaded));
        }
    }
    reports.extend(disk_report(home.path()));
    reports
}

/// The files of recipes that are left out.
fn recipe_reports(loaded: &Loaded) -> Vec<Report> {
    let recipes = Recipes::new(recipes::places(Some(loaded.home.path()), &loaded.workspace));
    let report = |failure: Failure| {
        let says = format!("{} is left out", failure.fact("path").unwrap_or_default());
        Report::bad("recipes", State::Warning, says, failure)
    };
    recipes.broken().into_iter().map(report).collect()
}

/// The tools of the person's own, and those that are left out.
fn tool_reports(loaded: &Loaded, context: &Context<'_>) -> Vec<Report> {
    let tools = offered::command_tools(loaded, context.env());
    let report = |failure: Failure| {
        let fact = |name| one_line(failure.fact(name).unwrap_or_default());
        let says = format!("line {}: {} is left out: {}", fact("line"), fact("tool"), fact("reason"));
        Report::bad("tools", State::Warning, says, failure)
    };
    let count = tools.tools().len() as u64;
    let good = (count > 0).then(|| Report::ok("tools", format!("{} of your own", counted(count, "tool"))));
    good.into_iter().chain(tools.broken().into_iter().map(report)).collect()
}

/// Every skill that was found, and whether it is trusted.
fn skill_reports(loaded: &Loaded, context: &Context<'_>) -> Vec<Report> {
    let report = |found: Found| {
        let path = one_line(&found.path.display().to_string());
        match found.skill {
            Err(failure) => {
                let reason = one_line(failure.fact("reason").unwrap_or_default());
                Report::bad("skill", State::Warning, format!("{path} is left out: {reason}"), failure)
            }
            Ok(skill) if !found.trusted => {
                let failure =
                    Failure::new(Code::SkillUntrusted).with("skill", &skill.name).with("path", path);
                Report::bad("skill", State::Warning, format!("{} is not trusted", skill.name), failure)
            }
            Ok(skill) if found.brought.is_some() => Report::ok("skill", format!("{} (trusted)", skill.name)),
            Ok(skill) => Report::ok("skill", format!("{} (your own)", skill.name)),
        }
    };
    offered::skills(loaded, &loaded.workspace, context.env()).found().into_iter().map(report).collect()
}

/// Every hook that was found, and whether it is trusted. None is run for this.
fn hook_reports(loaded: &Loaded) -> Vec<Report> {
    let mut reports = Vec::new();
    for file in offered::hooks(loaded, &loaded.workspace).found() {
        let path = one_line(&file.path.display().to_string());
        for failure in &file.problems {
            let says = format!("{path}: {} is left out", one_line(failure.fact("entry").unwrap_or_default()));
            reports.push(Report::bad("hook", State::Warning, says, failure.clone()));
        }
        let state = hooks::state(&file);
        reports.extend(file.hooks.iter().map(|hook| {
            let says = format!("{} ({state})", one_line(&hooks::shown(hook)));
            let failure = Failure::new(Code::HookUntrusted).with("path", &path);
            if file.trusted {
                Report::ok("hook", says)
            } else {
                Report::bad("hook", State::Warning, says, failure)
            }
        }));
    }
    reports
}

/// Every MCP server that is named, and whether it is trusted. None is started for this.
fn server_reports(loaded: &Loaded, context: &Context<'_>) -> Vec<Report> {
    let trust = offered::trust(loaded);
    let named = offered::mcp::entries(loaded, &loaded.workspace, context.env(), &trust);
    let own = offered::mcp::own_file(loaded);
    let report = |entry: &candor_mcp::Entry| {
        let (name, reach) = (one_line(&entry.name), one_line(&entry.reach.shown()));
        if entry.is_disabled {
            return Report::ok("mcp", format!("{name} is off"));
        }
        if entry.is_untrusted {
            let failure = Failure::new(Code::McpUntrusted)
                .with("server", &entry.name)
                .with("path", entry.path.display());
            return Report::bad("mcp", State::Warning, format!("{name} is not trusted ({reach})"), failure);
        }
        let whose = if entry.path == own { "your own" } else { "trusted" };
        Report::ok("mcp", format!("{name} ({whose}, {reach})"))
    };
    let broken = |failure: &Failure| {
        let says = format!("{} is left out in part", failure.fact("path").unwrap_or_default());
        Report::bad("mcp", State::Warning, says, failure.clone())
    };
    named.entries.iter().map(report).chain(named.problems.iter().map(broken)).collect()
}

/// Whether the sessions are whole, as far as the database can tell. One that is not there yet is not made for this.
fn sessions_report(loaded: &Loaded) -> Report {
    let database = assemble::database(loaded);
    if let Location::File(path) = &database
        && !path.exists()
    {
        return Report::ok("sessions", format!("{} will be made on first use", path.display()));
    }
    let looked = block_on(async {
        let store = Store::open(&database).await.map_err(|error| error.failure())?;
        let checked = store.check().await.map_err(|error| error.failure());
        let name = store.name().to_owned();
        store.close().await;
        Ok(checked.map(|()| name)?)
    });
    match looked {
        Err(Fail::Card(failure)) => {
            let says = candor_cards::card(&failure).title;
            Report::bad("sessions", State::Problem, says, failure)
        }
        Ok(name) => Report::ok("sessions", format!("{name} is whole")),
        Err(_) => Report::ok("sessions", "not looked at"),
    }
}

fn home_report(home: &Home) -> Report {
    let path = home.path();
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Report::ok("home", format!("{} will be made on first use", path.display()))
        }
        Err(error) => unusable(path, &error),
        Ok(metadata) if !metadata.is_dir() => {
            unusable(path, &std::io::Error::from(std::io::ErrorKind::NotADirectory))
        }
        Ok(metadata) => match tempfile::tempfile_in(path) {
            Err(error) => unusable(path, &error),
            Ok(_) => privacy_report(path, metadata.mode() & 0o777),
        },
    }
}

fn privacy_report(path: &Path, mode: u32) -> Report {
    const OPEN_TO_OTHERS: u32 = 0o077;
    if mode & OPEN_TO_OTHERS == 0 {
        return Report::ok("home", path.display().to_string());
    }
    let mode = format!("{mode:03o}");
    let failure = Failure::new(Code::HomeNotPrivate).with("path", path.display()).with("mode", &mode);
    Report::bad(
        "home",
        State::Warning,
        format!("{} is open to others (mode {mode})", path.display()),
        failure,
    )
}

fn unusable(path: &Path, error: &std::io::Error) -> Report {
    let failure = Failure::new(Code::HomeNotWritable).with("path", path.display()).with("reason", error);
    Report::bad("home", State::Problem, format!("{} cannot be written: {error}", path.display()), failure)
}

fn config_reports(loaded: &Loaded) -> Vec<Report> {
    let files: Vec<_> = loaded.files.iter().map(|file| file.display().to_string()).collect();
    if loaded.warnings.is_empty() {
        let says =
            if files.is_empty() { "no file, so the defaults hold".to_owned() } else { files.join(", ") };
        return vec![Report::ok("config", says)];
    }
    let report = |warning: &candor_config::Warning| {
        Report::bad("config", State::Warning, warning.to_string(), warning.failure())
    };
    loaded.warnings.iter().map(report).collect()
}

/// The provider that a prompt would be sent to now; a local server is looked for where no other is named.
fn provider_report(loaded: &Loaded, context: &Context<'_>) -> Report {
    let chosen = block_on(async { Ok(provider::choose(loaded, context.env()).await?) });
    match chosen {
        Ok(choice) => {
            let model = choice.model.unwrap_or_else(|| "whatever it serves".to_owned());
            let key =
                choice.key.map_or_else(|| "no key".to_owned(), |_| format!("key from {}", choice.key_source));
            let found = if loaded.config.provider.is_some() { "" } else { ", found" };
            Report::ok("provider", format!("{}{found}, model {model}, {key}", choice.name))
        }
        Err(Fail::Card(failure)) if failure.code == Code::ProviderNotConfigured => {
            let says = "none is configured, no key is in the environment, and no local server answers";
            Report::bad("provider", State::Warning, says, failure)
        }
        Err(Fail::Card(failure)) => {
            let name = loaded.config.provider.clone().unwrap_or_default();
            let says = match failure.fact("variable") {
                Some(variable) => format!("{name}, but {variable} is not set"),
                None => format!("{name} cannot be used"),
            };
            Report::bad("provider", State::Problem, says, failure)
        }
        Err(_) => Report::ok("provider", "not looked at"),
    }
}

/// How strong the walls around commands are.
pub(crate) fn walls(loaded: &Loaded, context: &Context<'_>) -> Report {
    let plan = assemble::offline(None, loaded, context).walls;
    if plan.policy.is_none() {
        return Report::ok("sandbox", "none, as configured: commands run with your own rights");
    }
    let network = loaded.config.sandbox.network.as_str();
    // What is forwarded into the sandbox is forwarded by tasks.
    let opened = block_on(async { Ok(Walls::new(plan).sandbox().map(Sandbox::level)) });
    let level = match opened {
        Err(_) => return Report::ok("sandbox", "not looked at"),
        Ok(Err(error)) => {
            let failure = error.failure();
            let why = failure.fact("reason").map(|reason| format!(": {reason}")).unwrap_or_default();
            return Report::bad("sandbox", State::Problem, format!("commands cannot run{why}"), failure);
        }
        Ok(Ok(level)) => level,
    };
    let says = match level {
        Level::None => NO_WALLS.to_owned(),
        Level::Landlock => format!("{level}: {ONLY_LANDLOCK}"),
        Level::Bubblewrap | Level::Namespaces => format!("{level}, network {network}"),
    };
    Report::ok("sandbox", says + &why_no_better(level))
}

/// What keeps the best walls from being put up here.
fn why_no_better(level: Level) -> String {
    if level == Level::Namespaces {
        return String::new();
    }
    let why = block_on(async { Ok(candor_sandbox::best_level().1) }).unwrap_or_default();
    if why.is_empty() { why } else { format!(" (no better ones: {why})") }
}

/// What is said where walls are not demanded and none can be put up.
const NO_WALLS: &str = "none: this machine has no walls, and the configuration does not demand any";

/// What the weakest walls cannot do.
const ONLY_LANDLOCK: &str = "no network unless it is `all`, and no Unix sockets; where sandbox.protected names something, no new files right beside it; bubblewrap would do better";

fn secret_reports(loaded: &Loaded, context: &Context<'_>) -> Vec<Report> {
    let fetch = |(key, source): (String, &SecretSource)| match secrets::fetch(&key, source, context.env()) {
        Ok(secret) => {
            context.screen.keep_secret([secret.reveal().to_owned()]);
            Report::ok("secret", format!("{key} is there"))
        }
        Err(failure) => Report::bad("secret", State::Problem, format!("{key} cannot be had"), failure),
    };
    loaded.secrets().into_iter().map(fetch).collect()
}

fn log_report(loaded: &Loaded) -> Report {
    let file = loaded.config.logging.file.resolve(loaded.home.path());
    let opened = std::fs::OpenOptions::new().append(true).open(&file);
    match opened {
        Ok(_) => Report::ok("log", format!("{} (level {})", file.display(), loaded.config.logging.level)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Report::ok("log", format!("{} will be made on first use", file.display()))
        }
        Err(error) => {
            let failure =
                Failure::new(Code::LogOpenFailed).with("path", file.display()).with("reason", &error);
            Report::bad(
                "log",
                State::Problem,
                format!("{} cannot be written: {error}", file.display()),
                failure,
            )
        }
    }
}

/// The space on the disk of the home, or of the nearest folder above it that exists.
fn disk_report(home: &Path) -> Option<Report> {
    let there = home.ancestors().find(|path| path.exists())?;
    let disk = rustix::fs::statvfs(there).ok()?;
    let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
    let says = format!("{} MB free at {}", free_bytes / 1_000_000, there.display());
    Some(if free_bytes >= FREE_BYTES_LOW {
        Report::ok("disk", says)
    } else {
        let reason = "little space is left";
        let failure = Failure::new(Code::DiskFull).with("path", there.display()).with("reason", reason);
        Report::bad("disk", State::Warning, says, failure)
    })
}
