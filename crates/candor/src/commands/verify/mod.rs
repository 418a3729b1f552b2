//! `candor verify`: looks whether what is in a folder works, without a model.

mod ledger;
mod live;
mod watch;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_agent::Verifier;
use candor_config::Loaded;
use candor_log::event::{VerificationCheck, VerificationEnd};
use candor_log::{Guard, Log};
use candor_protocol::{Code, Evidence, Failure, SessionId, VerdictStatus};
use candor_tools::{ToolContext, Walls};
use candor_verify::ground::Progress;
use candor_verify::plan::Plan;
use candor_verify::profile::Profile;
use candor_verify::report::{self, Paint, Report};
use candor_verify::run::{Order, Verified};
use candor_verify::select::select;
use tokio_util::sync::CancellationToken;

use crate::assemble;
use crate::cli::Verify;
use crate::commands::logs;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::block_on;
use crate::stops::Stops;
use live::Live;

/// The exit codes besides those of a verdict: 1 says that something was checked and did not pass, and nothing else may say it.
const BADLY_CALLED: u8 = 2;
/// What could not be told.
const OPEN: u8 = 4;
/// The longest manifest that is looked into.
const MANIFEST_BYTES_MAX: u64 = 1 << 20;

pub(crate) fn run(options: &Verify, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load().map_err(badly_called)?;
    let place = Place::new(&loaded, context).map_err(badly_called)?;
    if options.plan {
        return block_on(place.show_plan(options)).map_err(unknown);
    }
    let _log = log(&loaded, context);
    logs::noted(block_on(place.look(options))).map_err(unknown)
}

/// It could not begin because of how it was called: the configuration and the folder are part of that.
pub(crate) fn badly_called(fail: Fail) -> Fail {
    fail.instead_of_1(BADLY_CALLED)
}

/// It broke off before there was a verdict.
fn unknown(fail: Fail) -> Fail {
    fail.instead_of_1(OPEN)
}

/// The log of this process. Where none can be written, as in a build with a read-only home, there is a verdict all the same.
fn log(loaded: &Loaded, context: &Context<'_>) -> Option<(Log, Guard)> {
    match logs::start(loaded, context) {
        Ok(log) => Some(log),
        Err(Fail::Card(failure)) => {
            let cause = candor_cards::card(&failure).cause;
            context.screen.warn(&format!("nothing is logged: {cause}"));
            None
        }
        Err(_) => None,
    }
}

/// How long a service that was kept may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// Where is looked, and with what.
struct Place<'a> {
    context: &'a Context<'a>,
    tools: ToolContext,
    verifier: Verifier,
    profile: Profile,
    ledger: PathBuf,
}

impl<'a> Place<'a> {
    fn new(loaded: &Loaded, context: &'a Context<'a>) -> Result<Self, Fail> {
        let mut setup = assemble::offline(None, loaded, context);
        setup.tools.gate = Arc::new(assemble::gate(loaded)?);
        let ledger = ledger::path(loaded.home.path(), &setup.workspace);
        let verifier = assemble::verifier(loaded, &setup.workspace, ledger::read(&ledger));
        let mut tools = ToolContext::alone(SessionId::now(), setup.workspace, setup.tools);
        tools.walls = Arc::new(Walls::new(setup.walls));
        tools.cancel = CancellationToken::new();
        let profile = setup.profile.parse().unwrap_or_default();
        tools.profile = setup.profile;
        Ok(Self { context, tools, verifier, profile, ledger })
    }

    /// Looks once, or again and again.
    async fn look(&self, options: &Verify) -> Result<Exit, Fail> {
        let (screen, folder) = (self.context.screen, &self.tools.workspace);
        let mut stops = Stops::listen()?;
        loop {
            let verified = tokio::select! {
                verified = self.verify(options) => verified?,
                _ = stops.next() => {
                    self.tools.cancel.cancel();
                    if is_live(options) {
                        live::clear();
                    }
                    screen.note(format_args!("stopped"));
                    return Err(Fail::Stopped);
                }
            };
            let exit = exit(&verified.report);
            match self.show(&verified.report, options) {
                // A reader that has gone misses the words; the verdict is what it is.
                Err(Fail::Hangup) => return Ok(exit),
                shown => shown?,
            }
            // Where nobody sits who could stop it, nothing is kept: it ends with us.
            if !verified.kept.is_empty() && io::stderr().is_terminal() {
                let names: Vec<&str> = verified.kept.iter().map(|kept| kept.name.as_str()).collect();
                screen.note(format_args!("still running: {}; Ctrl-C stops it", names.join(", ")));
                stops.next().await;
                for kept in &verified.kept {
                    kept.running.stop(GRACE).await;
                }
                return Ok(exit);
            }
            if !options.watch {
                return Ok(exit);
            }
            let seen = watch::Seen::of(folder);
            screen.note(format_args!("waiting for a change; Ctrl-C ends it"));
            tokio::select! {
                changed = seen.change(folder) => {
                    let name = changed.display().to_string();
                    screen.note(format_args!("\nchanged: {}", crate::printer::tame(&name)));
                }
                _ = stops.next() => return Ok(exit),
            }
        }
    }

    async fn plan(&self, options: &Verify) -> Result<Plan, Fail> {
        let plan = self.verifier.plan(&self.tools.workspace, &BTreeSet::new()).await;
        let named = options.service.as_deref();
        if let Some(name) = named.filter(|name| !plan.services.iter().any(|service| service.name == *name)) {
            return Err(no_service(name, &plan));
        }
        Ok(plan)
    }

    async fn show_plan(&self, options: &Verify) -> Result<Exit, Fail> {
        let mut plan = self.plan(options).await?;
        let selection = select(&plan, self.profile, options.service.as_deref());
        let mut left_out = selection.left_out(&plan, self.profile);
        if let Some(name) = &options.service {
            for left in &mut left_out {
                left.why = format!("not asked for: --service {name}");
            }
        }
        let checks: Vec<String> = selection.checks.iter().map(|check| check.name.clone()).collect();
        // As they are carried out; what is left out comes last.
        plan.checks
            .sort_by_key(|check| checks.iter().position(|name| *name == check.name).unwrap_or(usize::MAX));
        let selection = report::Selection { profile: self.profile.as_str(), left_out: &left_out };
        let text = if options.json {
            format!("{:#}", report::plan_json(&plan, &selection))
        } else {
            report::plan_text(&plan, &selection, self.paint())
        };
        self.context.screen.say(format_args!("{text}"))?;
        Ok(Exit::Good)
    }

    async fn verify(&self, options: &Verify) -> Result<Verified, Fail> {
        let plan = self.plan(options).await?;
        let redactor = self.context.screen.redactor();
        let hide = move |text: &str| redactor.redact_str(text).into_owned();
        let live = Live::new(self.context.screen, is_live(options));
        let started = Instant::now();
        let tell = |progress: Progress<'_>| {
            if let Progress::Ended(evidence) = progress {
                written_down(evidence);
            }
            live.tell(progress);
        };
        let order = Order { profile: self.profile, service: options.service.as_deref() };
        let verified = tokio::select! {
            verified = self.verifier.verify(&plan, order, &self.tools, &hide, &tell) => verified?,
            never = live.turn() => match never {},
        };
        live.end();
        VerificationEnd {
            session_id: None,
            verdict: verified.report.verdict.status.as_str(),
            profile: self.profile.as_str(),
            round: 0,
            duration: started.elapsed(),
        }
        .log();
        ledger::write(&self.ledger, &self.verifier.ledger());
        Ok(verified)
    }

    fn show(&self, report: &Report, options: &Verify) -> Result<(), Fail> {
        let text = if options.json {
            format!("{:#}", report::to_json(report))
        } else if options.junit {
            report::to_junit(report).trim_end().to_owned()
        } else if options.sarif {
            format!("{:#}", report::to_sarif(report))
        } else if is_live(options) {
            report::closing_text(report, self.paint())
        } else {
            report::to_text(report, self.paint())
        };
        self.context.screen.say(format_args!("{text}"))
    }

    fn paint(&self) -> Paint {
        if self.context.screen.colour().stdout { Paint::Colours } else { Paint::Plain }
    }
}

fn exit(report: &Report) -> Exit {
    match report.verdict.status {
        VerdictStatus::Verified | VerdictStatus::NotApplicable => Exit::Good,
        VerdictStatus::Failed => Exit::Bad,
        VerdictStatus::Unverifiable => Exit::Shown(OPEN),
    }
}

/// One line of the log for each thing that was checked.
fn written_down(evidence: &Evidence) {
    VerificationCheck {
        session_id: None,
        check: &evidence.check,
        result: evidence.result.as_str(),
        summary: &evidence.summary,
        duration: Duration::from_millis(evidence.duration_ms),
    }
    .log();
}

/// Whether a person sees it happen.
fn is_live(options: &Verify) -> bool {
    let is_text = !(options.json || options.junit || options.sarif);
    is_text && io::stdout().is_terminal() && io::stderr().is_terminal()
}

fn no_service(name: &str, plan: &Plan) -> Fail {
    let names: Vec<&str> = plan.services.iter().map(|service| service.name.as_str()).collect();
    let detail = match names.as_slice() {
        [] => "There is no service here.".to_owned(),
        names => format!("There are: {}.", names.join(", ")),
    };
    Failure::new(Code::UsageInvalidValue)
        .with("argument", "--service")
        .with("value", name)
        .with("detail", detail)
        .with("help", "candor verify --plan")
        .into()
}

/// Whether a folder is the source of this program.
pub(crate) fn is_own_source(workspace: &Path) -> bool {
    let manifest = workspace.join("crates/candor/Cargo.toml");
    let manifest = candor_tools::read_plain_text(&manifest, MANIFEST_BYTES_MAX).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "name = \"candor\"")
}
