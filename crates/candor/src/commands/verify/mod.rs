//! `candor verify`: looks whether what is in a folder works, without a model.

mod ledger;
mod live;
mod watch;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_agent::Verifier;
use candor_config::Loaded;
use candor_protocol::{Code, Failure, SessionId, VerdictStatus};
use candor_tools::{ToolContext, Walls};
use candor_verify::plan::Plan;
use candor_verify::profile::Profile;
use candor_verify::report::{self, Paint, Report};
use candor_verify::run::{Order, Verified};
use candor_verify::select::select;
use tokio_util::sync::CancellationToken;

use crate::assemble;
use crate::cli::Verify;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::block_on;
use crate::stops::Stops;
use live::Live;

/// What could not be told, as an exit code.
const OPEN: u8 = 4;
/// A person has stopped it.
const STOPPED: u8 = 130;

pub(crate) fn run(options: &Verify, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    let place = Place::new(&loaded, context)?;
    block_on(async {
        if options.plan {
            return place.show_plan(options).await;
        }
        let mut stops = Stops::listen()?;
        loop {
            let verified = tokio::select! {
                verified = place.verify(options) => verified?,
                _ = stops.next() => {
                    place.tools.cancel.cancel();
                    return Ok(Exit::Shown(STOPPED));
                }
            };
            let exit = place.show(&verified.report, options)?;
            // Where nobody sits who could stop it, nothing is kept: it ends with us.
            if !verified.kept.is_empty() && io::stderr().is_terminal() {
                let names: Vec<&str> = verified.kept.iter().map(|kept| kept.name.as_str()).collect();
                context.screen.note(format_args!("still running: {}; Ctrl-C stops it", names.join(", ")));
                stops.next().await;
                for kept in &verified.kept {
                    kept.running.stop(GRACE).await;
                }
                return Ok(exit);
            }
            if !options.watch {
                return Ok(exit);
            }
            let seen = watch::Seen::of(&place.tools.workspace);
            context.screen.note(format_args!("waiting for a change; Ctrl-C ends it"));
            tokio::select! {
                () = seen.change(&place.tools.workspace) => {}
                _ = stops.next() => return Ok(exit),
            }
        }
    })
}

/// How long a service that was kept may take to end.
const GRACE: std::time::Duration = std::time::Duration::from_secs(5);

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

    async fn plan(&self, options: &Verify) -> Result<Plan, Fail> {
        let plan = self.verifier.plan(&self.tools.workspace, &BTreeSet::new()).await;
        let named = options.service.as_deref();
        if let Some(name) = named.filter(|name| !plan.services.iter().any(|service| service.name == *name)) {
            return Err(no_service(name, &plan));
        }
        Ok(plan)
    }

    async fn show_plan(&self, options: &Verify) -> Result<Exit, Fail> {
        let plan = self.plan(options).await?;
        let selection = select(&plan, self.profile, options.service.as_deref());
        let left_out = selection.left_out(&plan, self.profile);
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
        let tell = |progress: candor_verify::ground::Progress<'_>| live.tell(progress);
        let order = Order { profile: self.profile, service: options.service.as_deref() };
        let verified = tokio::select! {
            verified = self.verifier.verify(&plan, order, &self.tools, &hide, &tell) => verified?,
            never = live.turn() => match never {},
        };
        live.end();
        ledger::write(&self.ledger, &self.verifier.ledger());
        Ok(verified)
    }

    fn show(&self, report: &Report, options: &Verify) -> Result<Exit, Fail> {
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
        self.context.screen.say(format_args!("{text}"))?;
        Ok(match report.verdict.status {
            VerdictStatus::Verified | VerdictStatus::NotApplicable => Exit::Good,
            VerdictStatus::Failed => Exit::Bad,
            VerdictStatus::Unverifiable => Exit::Shown(OPEN),
        })
    }

    fn paint(&self) -> Paint {
        if self.context.screen.colour().stdout { Paint::Colours } else { Paint::Plain }
    }
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
    let manifest = std::fs::read_to_string(workspace.join("crates/candor/Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "name = \"candor\"")
}
