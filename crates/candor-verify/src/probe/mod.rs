//! Asks a running service something, and judges the answer.
//!
//! Every kind of probe is a file here. Each says what came of one try; the time limit, the tries and the end of the service
//! are the business of [`ask`] alone. Connections go into the network of the session. An address that is not on this
//! machine is asked only if that was opted in.
//!
//! A rule for all of them: where something is sent, something must come back.

mod derived;
mod exec;
mod expect;
mod file;
mod grpc;
mod http;
mod json_path;
mod message;
mod outcome;
mod reach;
mod said;
mod sql;
mod tls;
mod websocket;

use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_protocol::CheckResult;
use candor_sandbox::{Running, Sandbox, State};
use regex::Regex;
use tokio::time::{sleep, timeout};

pub(crate) use self::http::post_json;
use self::outcome::{Found, SAMPLE_CHARS_MAX, Waiting};
pub use self::reach::tcp_ready;
pub use self::{http::http_ready, sql::Sql};
use crate::BoxFuture;
use crate::bot::Bot;
use crate::heard::Heard;
use crate::plan::{Probe, ProbeHow};

/// How long after a failed try the next one is made.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// How long an answer that is on its way is waited for when the service has ended, and how long a service may take to end
/// after a connection to it broke, so that its end is told and not the broken connection.
const ENDING: Duration = Duration::from_millis(300);

/// How often something is looked at that does not tell when it changes.
const LOOK_PAUSE: Duration = Duration::from_millis(25);

/// What a probe is asked against.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The walls that the service is behind.
    pub sandbox: &'a Sandbox,
    /// The service: its standard input, and whether it still runs.
    pub running: &'a Running,
    /// What it said.
    pub heard: &'a Heard,
    /// The workspace.
    pub root: &'a Path,
    /// The folder of the service, absolute.
    pub cwd: &'a Path,
    /// The environment for commands.
    pub env: &'a [(String, String)],
    /// Where the service listens, for addresses that are only a path.
    pub base: Option<SocketAddr>,
    /// The fake bot API that the service was told of.
    pub bot: Option<&'a Bot>,
    /// Who asks databases.
    pub sql: Option<&'a dyn Sql>,
    /// Whether probes may leave the machine.
    pub may_leave: bool,
    /// The shell that runs commands.
    pub shell: &'a Path,
    /// Looks for a line that matches in what the service's log files hold since it was started. It is called every few
    /// milliseconds until it finds one or the time is over, so it should read on from where it was.
    pub log_files: &'a (dyn Fn(&Regex) -> BoxFuture<'static, Option<String>> + Send + Sync),
}

/// What came of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Whether it passed.
    pub result: CheckResult,
    /// The same in one sentence: `GET /ping: 200, but the body does not contain "pong"`.
    pub summary: String,
    /// What came back, shortened.
    pub sample: Option<String>,
    /// How long it took, with all tries.
    pub duration: Duration,
    /// The status of 4xx by which a question that nobody declared was refused, which tells nothing about the service.
    pub refused_with: Option<u16>,
}

/// One try: what it may use, and where it tells what it waits for.
struct Try<'t> {
    target: &'t Target<'t>,
    probe: &'t Probe,
    waiting: &'t Arc<Waiting>,
}

/// Asks a probe until it passes, it was asked as often as it may be, or the service has ended.
pub async fn ask(probe: &Probe, target: &Target<'_>) -> Answer {
    let started = Instant::now();
    let mut tries = 0_u32;
    let found = loop {
        tries = tries.saturating_add(1);
        let found = one_try(probe, target).await;
        let is_last = tries > probe.retries || target.running.state() != State::Running;
        if found.result != CheckResult::Failed || is_last {
            break found;
        }
        // One that is gone is not asked again, also where its end is noticed late.
        if timeout(RETRY_PAUSE, target.running.ended()).await.is_ok() {
            break if found.is_answer { found } else { ended(target) };
        }
    };
    let times = if tries > 1 { format!(" (try {tries})") } else { String::new() };
    let summary = format!("{}: {}{times}", name(&probe.how), found.said);
    Answer {
        result: found.result,
        summary,
        sample: found.sample,
        duration: started.elapsed(),
        refused_with: found.refused_with,
    }
}

async fn one_try(probe: &Probe, target: &Target<'_>) -> Found {
    let waiting = Arc::new(Waiting::new());
    let mut asking = pin!(put(Try { target, probe, waiting: &waiting }));
    let found = tokio::select! {
        biased;
        found = timeout(limit(probe), &mut asking) => found.unwrap_or_else(|_| waiting.too_late(probe.timeout)),
        () = target.running.ended() => match timeout(ENDING, asking).await {
            Ok(found) => found,
            Err(_) => return ended(target),
        },
    };
    let has_no_answer = found.result == CheckResult::Failed && !found.is_answer;
    if has_no_answer && timeout(ENDING, target.running.ended()).await.is_ok() {
        return ended(target);
    }
    found
}

/// How long a try may take. Those that keep the time themselves, to tell more when it is over, get some more.
fn limit(probe: &Probe) -> Duration {
    match &probe.how {
        ProbeHow::Exec { .. } => probe.timeout.saturating_add(exec::ENDING_MAX),
        ProbeHow::Message { .. } => probe.timeout.saturating_add(message::BEFORE_MAX),
        _ => probe.timeout,
    }
}

async fn put(asked: Try<'_>) -> Found {
    match &asked.probe.how {
        ProbeHow::Http(probe) => http::ask(probe, &asked).await,
        ProbeHow::Tcp(address) => reach::ask(address, &asked).await,
        ProbeHow::Grpc { address, service } => grpc::ask(address, service, &asked).await,
        ProbeHow::Websocket { url, send, expect } => {
            websocket::ask(url, send.as_deref(), expect.as_deref(), &asked).await
        }
        ProbeHow::Exec { command, exit, stdout, stderr } => {
            exec::ask(command, *exit, [stdout.as_deref(), stderr.as_deref()], &asked).await
        }
        ProbeHow::Stdin { send, expect } => said::ask(send, expect.as_deref(), &asked).await,
        ProbeHow::File { path, contains, matches } => {
            file::ask(path, contains.as_deref(), matches.as_deref(), &asked).await
        }
        ProbeHow::Log(pattern) => said::ask_log(pattern, &asked).await,
        ProbeHow::Sql { url, query, expect } => sql::ask(url, query, expect.as_deref(), &asked).await,
        ProbeHow::Message { text, expect, api_base_env } => {
            message::ask(text, expect.as_deref(), api_base_env, &asked).await
        }
    }
}

/// What the sentence about a probe begins with.
fn name(how: &ProbeHow) -> String {
    use outcome::{one_line, quoted};
    match how {
        ProbeHow::Http(probe) => http::name(probe),
        ProbeHow::Tcp(address) => format!("tcp {}", one_line(address)),
        ProbeHow::Grpc { address, service } if service.is_empty() => format!("grpc {}", one_line(address)),
        ProbeHow::Grpc { address, service } => format!("grpc {} {}", one_line(address), one_line(service)),
        ProbeHow::Websocket { url, .. } => format!("websocket {}", one_line(url)),
        ProbeHow::Exec { command, .. } => format!("`{}`", one_line(command)),
        ProbeHow::Stdin { send, .. } => format!("stdin {}", quoted(send)),
        ProbeHow::File { path, .. } => format!("file {}", one_line(&path.to_string_lossy())),
        ProbeHow::Log(pattern) => format!("log /{}/", one_line(pattern)),
        ProbeHow::Sql { query, .. } => format!("sql `{}`", one_line(query)),
        ProbeHow::Message { text, .. } => format!("message {}", quoted(text)),
    }
}

/// The service is gone; what it said last may tell why.
fn ended(target: &Target<'_>) -> Found {
    let said = outcome::end(target.heard.since(0).trim_end(), SAMPLE_CHARS_MAX);
    Found::failed("the service ended before it answered", &said)
}

/// Waits until it is worth looking again.
async fn pause() {
    sleep(LOOK_PAUSE).await;
}

/// A probe that cannot be asked, whatever the service does.
fn mistake(what: impl std::fmt::Display) -> Found {
    Found::failed(format!("the probe cannot be asked: {what}"), "")
}

/// A pattern that people wrote.
fn pattern(text: &str) -> Result<Regex, Found> {
    Regex::new(text).map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or("invalid").trim_start_matches("error: ");
        mistake(format_args!("/{}/ is no regular expression: {why}", outcome::one_line(text)))
    })
}
