//! `candor PROMPT…`: one message, one run, then exit.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

use candor_config::Loaded;
use candor_protocol::{Body, Code, Failure, Origin, Outcome, Part, SessionId};
use candor_runtime::{Naming, NewSession, Runtime};

use crate::cli::Ask;
use crate::commands::logs;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::follow::{Errand, follow};
use crate::printer::Printer;
use crate::repl::reader::Reader;
use crate::screen::block_on;
use crate::stops::Stops;
use crate::{assemble, offered, usage, which};

/// The most that is read from standard input: a long log fits, a disk image given by mistake does not.
const STDIN_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// After this long without its end, a person is told that standard input is waited for.
const STDIN_PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn run(ask: &Ask, context: &Context<'_>) -> Result<Exit, Fail> {
    if ask.is_plain()
        && let Some(mistyped) = usage::mistyped(&ask.words)
    {
        return Err(mistyped);
    }
    let prompt = prompt(ask, context)?;
    let loaded = context.load()?;
    let (_log, _guard) = logs::start(&loaded, context)?;
    let printer = Printer::new(context.screen, ask.json);
    let (outcome, _) = logs::noted(converse(&prompt, ask, printer, &loaded, context))?;
    Ok(Exit::Ran(outcome.status))
}

/// Says one thing and shows what comes of it.
pub(crate) fn converse(
    prompt: &str,
    ask: &Ask,
    mut printer: Printer<'_>,
    loaded: &Loaded,
    context: &Context<'_>,
) -> Result<(Outcome, SessionId), Fail> {
    block_on(async {
        let setup = assemble::setup(Some(ask), loaded, context).await?;
        let workspace = setup.workspace.display().to_string();
        let (runtime, at_hand) = offered::open(setup, loaded, context).await?;
        let mut stops = Stops::listen()?;
        let said = offered::prompts::filled(prompt.to_owned(), &at_hand.servers).await?;
        let (session, after) = session(ask, prompt, &workspace, &runtime).await?;
        let body = Body::Say(vec![Part::text(said)]);
        let mut person = can_be_asked(ask).then(Reader::plain);
        let person = person.as_mut();
        let errand = Errand { runtime: &runtime, origin: Origin::Cli, session, after, body, person };
        let Some(ended) = follow(errand, &mut stops, &mut printer).await? else {
            // A message always gets a run; without one there is nothing to wait for.
            return Err(Failure::new(Code::SessionBusy).with("session", session).into());
        };
        runtime.part().await;
        // A reader that has gone misses the words; the status is still that of the run.
        match ended.shown.and_then(|()| printer.finish(&ended.outcome, session)) {
            Ok(()) | Err(Fail::Hangup) => Ok((ended.outcome, session)),
            Err(fail) => Err(fail),
        }
    })
}

/// Whether a person sits there: one who sees the question, and can answer it.
fn can_be_asked(ask: &Ask) -> bool {
    !ask.json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// What to say: the words, then standard input.
fn prompt(ask: &Ask, context: &Context<'_>) -> Result<String, Fail> {
    let words = ask.words.join(" ");
    let piped = if io::stdin().is_terminal() { String::new() } else { read_stdin(context)? };
    let prompt =
        [words.trim(), piped.trim_end()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    if prompt.is_empty() {
        return Err(usage::no_prompt(ask));
    }
    Ok(prompt.join("\n\n"))
}

fn read_stdin(context: &Context<'_>) -> Result<String, Fail> {
    let path = Path::new("/dev/stdin");
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(STDIN_BYTES_MAX + 1).read_to_end(&mut bytes);
        send.send(read.map(|_| bytes))
    });
    let read = receive.recv_timeout(STDIN_PATIENCE).or_else(|_| {
        context.screen.note(format_args!("waiting for the end of standard input (without one: < /dev/null)"));
        receive.recv()
    });
    let bytes = match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return Err(Failure::file(path, &error).into()),
        Err(_) => Vec::new(),
    };
    if bytes.len() as u64 > STDIN_BYTES_MAX {
        let most = STDIN_BYTES_MAX >> 20;
        return Err(Failure::new(Code::UsageInvalidValue)
            .with("argument", "standard input")
            .with("value", format!("more than {most} MiB"))
            .with("detail", format!("At most {most} MiB are read: name a file in the prompt instead."))
            .with("help", "candor --help")
            .into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The session to speak in, and the last of its events that is no news: the one that was named, the latest of this folder,
/// or a new one.
async fn session(
    ask: &Ask,
    prompt: &str,
    workspace: &str,
    runtime: &Runtime,
) -> Result<(SessionId, u64), Failure> {
    let session = if let Some(text) = &ask.session {
        which::find(text, workspace, runtime).await?
    } else if ask.continue_ {
        which::latest(workspace, runtime).await?
    } else {
        let new = NewSession { origin: Origin::Cli, naming: Naming::Words(name(prompt)), instructions: None };
        return Ok((runtime.create(new)?, 0));
    };
    Ok((session, which::last_seq(session, runtime).await?))
}

/// A session is called after the first line of its first message.
fn name(prompt: &str) -> String {
    prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}
