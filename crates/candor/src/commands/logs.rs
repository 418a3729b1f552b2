//! `candor logs`, and the log of the process itself.

use std::path::PathBuf;
use std::time::Duration;

use candor_config::Loaded;
use candor_log::read::{self, Colour, Entry, Follower, Position, Query};
use candor_log::{Clock, Guard, Log, Mirror, Options, Rotation, Trouble, event};
use candor_protocol::Code;
use candor_runtime::Runtime;
use candor_store::Location;
use serde_json::{Map, Value as Json};

use crate::cli::Logs;
use crate::context::Context;
use crate::fail::{self, Exit, Fail};
use crate::screen::{Screen, block_on};
use crate::{assemble, which};

/// How often a followed log is looked at: quick enough to feel live, slow enough to cost nothing.
const FOLLOW_POLL: Duration = Duration::from_millis(200);

pub(crate) fn run(options: &Logs, context: &Context<'_>) -> Result<Exit, Fail> {
    let query = query(options, context)?;
    let printer = Printer { context, json: options.json };
    let file = log_file(context)?;
    if options.follow {
        return follow(&file, query, &printer);
    }
    let mut entries = read::entries(&file, query)?;
    let mut is_empty = true;
    for entry in entries.by_ref() {
        printer.print(&entry?)?;
        is_empty = false;
    }
    if is_empty {
        context.screen.note(format_args!("no line of {} matches", file.display()));
    }
    if let Some(damage) = entries.damage() {
        context.screen.warn(&damage.to_string());
    }
    Ok(Exit::Good)
}

/// A broken configuration is just when one wants to read the log, so the usual place will do then.
fn log_file(context: &Context<'_>) -> Result<PathBuf, Fail> {
    let home = context.home()?;
    Ok(match context.load_quietly() {
        Ok(loaded) => loaded.config.logging.file.resolve(home.path()),
        Err(error) => {
            let file = home.join("logs/candor.log");
            context
                .screen
                .warn(&format!("{error}; reading {} (`candor config check` tells more)", file.display()));
            file
        }
    })
}

fn query(options: &Logs, context: &Context<'_>) -> Result<Query, Fail> {
    let since =
        options.since.as_deref().map(|text| read::parse_moment(text, Clock::system().now())).transpose()?;
    Ok(Query {
        session: options.session.as_deref().map(|text| session(text, context)).transpose()?,
        event: options.event.clone(),
        level: options.level,
        since,
        until: None,
    })
}

/// The id that a text means. The log may know sessions that the store does not: what it cannot find is looked for as it is,
/// and a store that cannot be asked is no reason to hide the log.
fn session(text: &str, context: &Context<'_>) -> Result<String, Fail> {
    let as_it_is = || Ok(text.to_owned());
    let Ok(loaded) = context.load_quietly() else { return as_it_is() };
    let database = assemble::database(&loaded);
    if matches!(&database, Location::File(path) if !path.exists()) {
        return as_it_is();
    }
    let here = assemble::offline(None, &loaded, context).workspace.display().to_string();
    let found = block_on(async {
        let runtime = Runtime::open_for_questions(&database, Vec::new()).await?;
        Ok(which::find(text, &here, &runtime).await?)
    });
    match found {
        Ok(session) => Ok(session.to_string()),
        Err(Fail::Card(failure)) if matches!(failure.code, Code::SessionAmbiguous | Code::SessionNone) => {
            Err(failure.into())
        }
        Err(_) => as_it_is(),
    }
}

fn follow(file: &std::path::Path, query: Query, printer: &Printer<'_>) -> Result<Exit, Fail> {
    let mut follower = Follower::new(file, query, Position::Start)?;
    let mut told = None;
    loop {
        for entry in follower.poll()? {
            printer.print(&entry)?;
        }
        let damage = follower.damage().map(|damage| damage.to_string());
        if damage != told {
            printer.context.screen.warn(damage.as_deref().unwrap_or_default());
            told = damage;
        }
        std::thread::sleep(FOLLOW_POLL);
    }
}

struct Printer<'a> {
    context: &'a Context<'a>,
    json: bool,
}

impl Printer<'_> {
    fn print(&self, entry: &Entry) -> Result<(), Fail> {
        let colour = if self.context.screen.colour().stdout { Colour::Ansi } else { Colour::Never };
        if self.json {
            self.context.screen.say(format_args!("{}", to_json(entry)))
        } else {
            self.context.screen.say(format_args!("{}", read::render(entry, colour)))
        }
    }
}

/// Starts the log of this process, as configured, in its file alone: standard output is for answers.
pub(crate) fn start(loaded: &Loaded, context: &Context<'_>) -> Result<(Log, Guard), Fail> {
    start_mirrored(Mirror::Off, loaded, context)
}

/// The same, with a second place for its lines.
pub(crate) fn start_mirrored(
    mirror: Mirror,
    loaded: &Loaded,
    context: &Context<'_>,
) -> Result<(Log, Guard), Fail> {
    loaded.home.make()?;
    let logging = &loaded.config.logging;
    let options = Options {
        level: logging.level,
        rotation: Rotation {
            max_days: u32::try_from(logging.rotation.max_days.get()).unwrap_or(u32::MAX),
            size_bytes_max: logging.rotation.max_size_mb.get(),
            total_bytes_max: logging.rotation.max_total_mb.get(),
        },
        mirror,
        redactor: context.screen.redactor(),
        trouble: Trouble::new(Screen::trouble),
        ..Options::new(logging.file.resolve(loaded.home.path()))
    };
    let (log, guard) = candor_log::start(options)?;
    log.install()?;
    let logged = log.panic_hook();
    std::panic::set_hook(Box::new(move |info| {
        fail::remember(info);
        logged(info);
    }));
    Ok((log, guard))
}

/// Writes down the card with which a command ends. The end of a run is told by the run.
pub(crate) fn noted<T>(outcome: Result<T, Fail>) -> Result<T, Fail> {
    if let Err(Fail::Card(failure)) = &outcome {
        let card = candor_cards::card(failure);
        let step = card.steps.first().map(ToString::to_string).unwrap_or_default();
        event::CommandFailed { code: &card.code, error: &card.cause, step: &step }.log();
    }
    outcome
}

/// The line as it is in the file.
fn to_json(entry: &Entry) -> Json {
    let mut line = Map::new();
    line.insert("ts".to_owned(), format!("{:.3}", entry.ts).into());
    line.insert("level".to_owned(), entry.level.as_str().into());
    line.insert("module".to_owned(), entry.module.clone().into());
    line.insert("event".to_owned(), entry.event.clone().into());
    line.extend(entry.fields.clone());
    Json::Object(line)
}
