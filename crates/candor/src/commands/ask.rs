//! `candor PROMPT…`: one message, one run, then exit.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

use candor_config::Loaded;
use candor_protocol::{Body, Code, EventBody, Failure, Origin, Outcome, Part, SessionId, Submission};
use candor_runtime::{Naming, NewSession, Runtime};
use candor_store::Found;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::assemble;
use crate::cli::Ask;
use crate::commands::logs;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::printer::Printer;
use crate::screen::block_on;
use crate::usage;

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
    let outcome = converse(prompt, ask, &loaded, context)?;
    Ok(Exit::Ran(outcome.status))
}

/// Says one thing and shows what comes of it.
pub(crate) fn converse(
    prompt: String,
    ask: &Ask,
    loaded: &Loaded,
    context: &Context<'_>,
) -> Result<Outcome, Fail> {
    block_on(async {
        let setup = assemble::setup(Some(ask), loaded, context).await?;
        let workspace = setup.workspace.display().to_string();
        let runtime = Runtime::open(&assemble::database(loaded), setup).await?;
        let session = session(ask, &prompt, &workspace, &runtime).await?;
        let (outcome, mut printer) = carry_out(&session, prompt, &runtime, ask, context).await?;
        // A reader that has gone misses the words; the status is still that of the run.
        match printer.finish(&outcome, session.id) {
            Ok(()) | Err(Fail::Hangup) => Ok(outcome),
            Err(fail) => Err(fail),
        }
    })
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

/// A session, and the last of its events that is no news.
struct Place {
    id: SessionId,
    after: u64,
}

/// The session to speak in: the one that was named, the latest of this folder, or a new one.
async fn session(ask: &Ask, prompt: &str, workspace: &str, runtime: &Runtime) -> Result<Place, Failure> {
    let id = if let Some(text) = &ask.session {
        find(text, runtime).await?
    } else if ask.continue_ {
        let latest = runtime.query().latest(workspace).await.map_err(|error| error.failure())?;
        latest.ok_or_else(|| Failure::new(Code::SessionNone).with("workspace", workspace))?
    } else {
        let new = NewSession { origin: Origin::Cli, naming: Naming::Words(name(prompt)), instructions: None };
        return Ok(Place { id: runtime.create(new)?, after: 0 });
    };
    let after = runtime.query().last_seq(id).await.map_err(|error| error.failure())?;
    Ok(Place { id, after: after.unwrap_or(0) })
}

/// The session that a text means.
pub(crate) async fn find(text: &str, runtime: &Runtime) -> Result<SessionId, Failure> {
    match runtime.query().find(text).await.map_err(|error| error.failure())? {
        Found::One(session) => Ok(session),
        Found::None => Err(Failure::new(Code::SessionUnknown).with("session", text)),
        Found::Many(sessions) => {
            let sessions: Vec<String> = sessions.iter().map(ToString::to_string).collect();
            Err(Failure::new(Code::SessionAmbiguous)
                .with("session", text)
                .with("sessions", sessions.join("\n")))
        }
    }
}

/// A session is called after the first line of its first message.
fn name(prompt: &str) -> String {
    prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// Hands the message in and shows what happens until the run is over. When nobody can be shown anything any more, the run
/// is stopped and its end still waited for: what is stored must not break off in the middle.
async fn carry_out<'a>(
    session: &Place,
    prompt: String,
    runtime: &Runtime,
    ask: &Ask,
    context: &Context<'a>,
) -> Result<(Outcome, Printer<'a>), Fail> {
    let Place { id: session, after } = *session;
    let mut stops = Stops::listen()?;
    let mut events = runtime.subscribe(session, after).await?;
    let submit = |body| runtime.submit(Submission { session, origin: Origin::Cli, body });
    let receipt = submit(Body::Say(vec![Part::text(prompt)])).await?;
    let mut printer = Printer::new(context.screen, ask.json);
    let mut shown = Ok(());
    loop {
        let event = tokio::select! {
            // First, so that a person gets through to a run that has a lot to say.
            biased;
            () = stops.next() => {
                if stops.count > 1 {
                    context.screen.note(format_args!("\nstopped at once; session {session}"));
                    return Err(Fail::Stopped);
                }
                submit(Body::Stop).await?;
                continue;
            }
            event = events.next() => event?,
        };
        if shown.is_ok() {
            shown = printer.show(&event);
            if shown.is_err() {
                submit(Body::Stop).await?;
            }
        }
        if let EventBody::RunEnd(outcome) = event.body
            && event.run_id == receipt.run
        {
            return match shown {
                Ok(()) | Err(Fail::Hangup) => Ok((outcome, printer)),
                Err(fail) => Err(fail),
            };
        }
    }
}

/// The signals by which the user, or the system, stops us. They are listened to from before the run until its end: one
/// that comes between two events must not be missed.
struct Stops {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    /// How many have come.
    count: u32,
}

impl Stops {
    fn listen() -> Result<Self, Failure> {
        let listen = |kind| signal(kind).map_err(|error| Failure::file(Path::new("/proc/self"), &error));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
            count: 0,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
        self.count += 1;
    }
}
