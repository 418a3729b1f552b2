//! A service gets a life, not a timeout: it is started, waited for, asked, watched and stopped.
//!
//! Start reading at `live`. `ready.rs` knows when a service is ready, `asking.rs` asks it, `ears.rs` reads what it writes.

mod asking;
mod ears;
mod ready;
mod telling;

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{CheckResult, Evidence, EvidenceKind};
use candor_sandbox::{How, Running, State, Stdin};
use tokio::time::{Instant, timeout_at};

use crate::bot::Bot;
use crate::check::{lacking, lacks};
use crate::excerpt;
use crate::found::LogFindings;
use crate::ground::{Ground, Progress};
use crate::logs::LogRules;
use crate::plan::{ProbeHow, Service, StopSignal};
use asking::Round;
use ears::Ears;
use ready::{NotReady, Ready};

/// How long a service must stay healthy after the last probe, where nothing is declared.
const SETTLE: Duration = Duration::from_secs(2);
/// The same where something has failed already: its log may still tell why.
const SETTLE_AFTER_FAILURE: Duration = Duration::from_millis(500);
/// How much of the end of what it said tells why it ended.
const LAST_LINES: usize = 12;
/// How long a service may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// A service that goes on because it was asked to.
#[derive(Debug)]
pub struct Kept {
    /// What it is called.
    pub name: String,
    /// What it was started with.
    pub command: String,
    /// It runs as long as this is held.
    pub running: Running,
}

/// What was seen of a service.
#[derive(Default)]
pub(crate) struct Lived {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) logs: Vec<LogFindings>,
    pub(crate) kept: Option<Kept>,
    /// Whether the time of the profile was over before all was seen.
    pub(crate) is_out_of_time: bool,
}

/// A service that was started.
struct Life<'a> {
    service: &'a Service,
    ground: &'a Ground<'a>,
    running: Running,
    ears: Arc<Ears>,
    bot: Option<Bot>,
    env: Vec<(String, String)>,
    started: Instant,
    lived: Lived,
}

/// Starts a service, asks it, watches it and stops it, within this time.
pub(crate) async fn live(service: &Service, time: Duration, ground: &Ground<'_>) -> Lived {
    ground.host.tell(Progress::Began { check: &service.name, command: &service.command });
    let deadline = Instant::now() + time;
    let mut life = match begin(service, ground).await {
        Ok(life) => life,
        Err(evidence) => {
            let evidence = telling::of_start(*evidence, service, ground).await;
            let evidence = ground.masked(evidence);
            ground.host.tell(Progress::Ended(&evidence));
            return Lived { evidence: vec![evidence], ..Lived::default() };
        }
    };
    match ready::wait(&life.view(), deadline).await {
        Ok(mut ready) => {
            life.is_ready(&ready).await;
            life.ask(&ready, deadline, Round::First).await;
            let mut until = life.settle(deadline).await;
            // One that is slow may open its port after it was called ready for staying alive.
            if ready.base.is_none() && life.running.state() == State::Running {
                ready.base = ready::opened(&life.view());
                if ready.base.is_some() {
                    life.ask(&ready, deadline, Round::Late).await;
                    until = life.settle(deadline).await;
                }
            }
            life.watched(until, deadline).await;
        }
        Err(not) => life.is_not_ready(&not).await,
    }
    life.end().await
}

/// Starts it, or says why not.
async fn begin<'a>(service: &'a Service, ground: &'a Ground<'a>) -> Result<Life<'a>, Box<Evidence>> {
    let not = |result, summary: &str, card| {
        let mut evidence = telling::evidence(service, "start", EvidenceKind::Start, result, summary);
        evidence.card = card;
        Box::new(evidence)
    };
    let unverifiable =
        |missing: &str| not(CheckResult::Unverifiable, missing, Some(lacks(&service.name, missing)));
    if let Some(missing) = ground.missing(&service.needs, &service.needs_files, &service.cwd) {
        return Err(unverifiable(&missing));
    }
    let cwd = ground.root.join(&service.cwd);
    if let Err(card) = ground.host.permit(&service.command, &cwd).await {
        let summary = format!("it may not be started: {}", excerpt::first_line(&card.cause));
        return Err(not(CheckResult::Unverifiable, &summary, Some(card)));
    }
    let rules = LogRules::new(&service.log_deny, &service.log_allow).map_err(|bad| {
        unverifiable(&format!("the pattern {} cannot be read: {}", bad.pattern, bad.message))
    })?;
    let (bot, env) = surroundings(service, ground)
        .await
        .map_err(|error| unverifiable(&format!("the local fake of the bot API cannot listen: {error}")))?;
    let rules = rules.expecting(asking::expected_failures(service));
    let ears = Ears::open(Arc::new(rules), service, ground.root).await;
    let spec = ground.spec(&service.command, &service.cwd, &env, Duration::MAX, Stdin::Piped);
    let started = Instant::now();
    let running = candor_sandbox::start_tapped(&spec, ground.sandbox, Ears::tap(&ears)).map_err(|error| {
        let card = candor_cards::card(&error.failure());
        let summary = format!("it could not be started: {}", excerpt::first_line(&card.cause));
        not(CheckResult::Unverifiable, &summary, Some(card))
    })?;
    Ok(Life { service, ground, running, ears, bot, env: spec.env, started, lived: Lived::default() })
}

/// What a service finds around it besides the usual: output that is not held back, and a bot API if it is to be sent messages.
async fn surroundings(
    service: &Service,
    ground: &Ground<'_>,
) -> std::io::Result<(Option<Bot>, Vec<(String, String)>)> {
    let mut env = vec![("PYTHONUNBUFFERED".to_owned(), "1".to_owned())];
    env.extend(service.env.iter().cloned());
    let base = service.probes.iter().find_map(|probe| match &probe.how {
        ProbeHow::Message { api_base_env, .. } => Some(api_base_env),
        _ => None,
    });
    let Some(base) = base else { return Ok((None, env)) };
    let bot = Bot::start(ground.sandbox).await?;
    env.push((base.clone(), bot.base_url()));
    let has =
        |name: &str, env: &[(String, String)]| env.iter().chain(ground.env).any(|(other, _)| other == name);
    for name in TOKENS {
        if !has(name, &env) {
            env.push(((*name).to_owned(), TOKEN.to_owned()));
        }
    }
    Ok((Some(bot), env))
}

/// Where bots look for their token, and one that opens nothing.
const TOKENS: &[&str] = &["TELEGRAM_BOT_TOKEN", "TELEGRAM_TOKEN", "BOT_TOKEN"];
const TOKEN: &str = "100000:verification";

impl Life<'_> {
    fn view(&self) -> ready::View<'_> {
        ready::View {
            service: self.service,
            sandbox: self.ground.sandbox,
            running: &self.running,
            heard: self.ears.heard(),
            cancel: self.ground.cancel,
            started: self.started,
        }
    }

    fn note(&mut self, evidence: Evidence) {
        let masked = self.ground.masked(evidence);
        self.ground.host.tell(Progress::Ended(&masked));
        self.lived.evidence.push(masked);
    }

    fn has_failed(&self) -> bool {
        self.lived.evidence.iter().any(|evidence| evidence.result == CheckResult::Failed)
    }

    /// What it lacked, if it ended over that and it is not its own fault.
    fn lacked(&self) -> Option<String> {
        // What it said last is why it ended; what it said before may be a remark.
        let said = excerpt::last_lines(&self.ears.heard().since(0), LAST_LINES);
        lacking(&said, self.ground.root, &self.service.cwd)
    }

    /// The end of what it said.
    fn said(&self) -> String {
        excerpt::end(&self.ears.heard().since(0), excerpt::EXCERPT_CHARS_MAX)
    }

    async fn is_ready(&mut self, ready: &Ready) {
        self.ears.heard().forget(ready::line(self.service));
        let summary = format!("ready after {}: {}", excerpt::time(self.started.elapsed()), ready.by);
        let evidence =
            telling::evidence(self.service, "start", EvidenceKind::Start, CheckResult::Passed, &summary);
        let evidence = Evidence { duration_ms: excerpt::millis(self.started.elapsed()), ..evidence };
        self.note(telling::of_start(evidence, self.service, self.ground).await);
    }

    async fn is_not_ready(&mut self, not: &NotReady) {
        let said = self.said();
        let is_broken = matches!(not, NotReady::Ended(How::Exited(1..)));
        let evidence = match self.lacked().filter(|_| is_broken) {
            Some(missing) => telling::lacked(self.service, &missing, said.clone()),
            None => telling::not_ready(self.service, not, &said, self.started.elapsed()),
        };
        let evidence = Evidence {
            duration_ms: excerpt::millis(self.started.elapsed()),
            excerpt: Some(said),
            ..evidence
        };
        self.note(telling::of_start(evidence, self.service, self.ground).await);
    }

    /// Watches it for a while, and gives until when it was to be watched.
    async fn settle(&mut self, deadline: Instant) -> Instant {
        let settle = self.service.settle.unwrap_or(SETTLE);
        let settle = if self.has_failed() { settle.min(SETTLE_AFTER_FAILURE) } else { settle };
        let until = Instant::now() + settle;
        tokio::select! {
            () = self.ground.cancel.cancelled() => {}
            _ = timeout_at(until.min(deadline), self.running.ended()) => {}
        }
        until
    }

    /// Reads what its logs say, and tells how it is. What it writes while it is being stopped is not held against it.
    async fn watched(&mut self, until: Instant, deadline: Instant) {
        let watched = self.ears.close().await;
        if self.ground.cancel.is_cancelled() {
            let result = CheckResult::Skipped;
            self.note(telling::evidence(self.service, "life", EvidenceKind::Stop, result, "it was stopped"));
            self.lived.logs = watched.findings;
            return;
        }
        if until > deadline && self.running.state() == State::Running {
            self.is_out_of_time("life");
        }
        if matches!(self.running.state(), State::Ended(How::Exited(1..)))
            && let Some(missing) = self.lacked()
        {
            self.lived.logs = watched.findings;
            self.note(telling::lacked(self.service, &missing, self.said()));
            return;
        }
        let evidence = telling::of_logs(self.service, &watched, self.ground);
        self.note(evidence);
        self.lived.logs = watched.findings;
        let lasted = self.started.elapsed();
        let evidence = match self.running.state() {
            State::Running => {
                let end = if self.service.keep_running { "goes on" } else { "was stopped" };
                let summary = format!("it was healthy for {} and {end}", excerpt::time(lasted));
                telling::evidence(self.service, "life", EvidenceKind::Stop, CheckResult::Passed, &summary)
            }
            State::Ended(how) => telling::ended(self.service, how, "while it was watched", &self.said()),
        };
        self.note(Evidence { duration_ms: excerpt::millis(lasted), ..evidence });
    }

    /// Stops it, unless it is to go on.
    async fn end(mut self) -> Lived {
        if self.lived.logs.is_empty() {
            self.lived.logs = self.ears.close().await.findings;
        }
        let is_well = !self.has_failed() && self.running.state() == State::Running;
        if self.service.keep_running && is_well && !self.ground.cancel.is_cancelled() {
            let Self { service, running, mut lived, .. } = self;
            let (name, command) = (service.name.clone(), service.command.clone());
            lived.kept = Some(Kept { name, command, running });
            return lived;
        }
        let asked = Instant::now();
        let was_running = self.running.state() == State::Running;
        self.running.stop_by(number(self.service.stop_signal), GRACE).await;
        if was_running && asked.elapsed() >= GRACE {
            let summary = format!(
                "it did not end within {} when it was asked to, and was killed",
                excerpt::time(GRACE)
            );
            let evidence =
                telling::evidence(self.service, "stop", EvidenceKind::Stop, CheckResult::Passed, &summary);
            self.note(evidence);
        }
        self.lived
    }
}

/// The number of a signal.
const fn number(signal: Option<StopSignal>) -> i32 {
    match signal {
        None | Some(StopSignal::Term) => 15,
        Some(StopSignal::Int) => 2,
        Some(StopSignal::Quit) => 3,
        Some(StopSignal::Hup) => 1,
        Some(StopSignal::Kill) => 9,
    }
}
