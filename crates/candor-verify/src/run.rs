//! Carries out a plan, and says what came of it.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use candor_protocol::{CheckResult, Code, Evidence, EvidenceKind, Failure, VerdictStatus};
use tokio::time::Instant;

use crate::check::{self, Done};
use crate::diagnostics::Ledger;
use crate::found::{LogEntry, LogFindings, LogSource};
use crate::ground::{Ground, Progress};
use crate::logs::{ENTRIES_MAX, LogRules, tail};
use crate::plan::{Check, CheckKind, Plan, Service};
use crate::profile::Profile;
use crate::report::{self, Report};
use crate::select::{Selection, select};
use crate::service::{self, Kept};
use crate::verdict::{Weighed, verdict};

/// What is to be verified.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// How strictly.
    pub profile: Profile,
    /// Only this service.
    pub service: Option<&'a str>,
}

/// What came of it.
pub struct Verified {
    /// All of it.
    pub report: Report,
    /// Whether the profile's budget did not suffice.
    pub is_budget_spent: bool,
    /// Services that go on because they are to.
    pub kept: Vec<Kept>,
}

/// The part of the time that a single check may take: one that hangs is a failure, and there must be time left to say so.
const CHECK_SHARE: u32 = 2;

/// Carries out what the profile asks for of this plan. What was known of complaints before is brought up to date.
pub async fn run(plan: &Plan, order: Order<'_>, ledger: &mut Ledger, ground: &Ground<'_>) -> Verified {
    let mut run = Run {
        ground,
        profile: order.profile,
        began: Instant::now(),
        start: SystemTime::now(),
        commands: 0,
        tests: 0,
        later_commands: 0,
        later_tests: 0,
        seen: Vec::new(),
        entries: Vec::new(),
        broken: Vec::new(),
        is_budget_spent: false,
        kept: Vec::new(),
        ledger,
    };
    run.ledger.keep(|check| plan.checks.iter().any(|known| known.name == check));
    run.problems(plan);
    let selection = select(plan, order.profile, order.service);
    for (at, check) in selection.checks.iter().enumerate() {
        let later = selection.checks.get(at + 1..).unwrap_or_default();
        run.later_commands = later.len() + selection.services.len();
        run.later_tests = later.iter().filter(|check| check.kind == CheckKind::Test).count();
        run.check(check).await;
    }
    for service in &selection.services {
        run.service(service).await;
    }
    run.project_logs().await;
    run.close(&selection);
    run.report(plan)
}

struct Run<'a> {
    ground: &'a Ground<'a>,
    profile: Profile,
    began: Instant,
    start: SystemTime,
    commands: usize,
    tests: usize,
    /// What is still to come: a test is not run once more at its expense.
    later_commands: usize,
    later_tests: usize,
    seen: Vec<Weighed>,
    entries: Vec<LogEntry>,
    /// Folders whose syntax or build is broken: nothing in them can work.
    broken: Vec<PathBuf>,
    is_budget_spent: bool,
    kept: Vec<Kept>,
    ledger: &'a mut Ledger,
}

impl Run<'_> {
    fn left(&self) -> Duration {
        self.profile.limits().wall.saturating_sub(self.began.elapsed())
    }

    fn note(&mut self, evidence: Evidence, counts: bool) {
        let evidence = self.ground.masked(evidence);
        self.ground.host.tell(Progress::Ended(&evidence));
        self.seen.push(Weighed { evidence, counts });
    }

    /// What is declared and cannot be read leaves open whether the work is done.
    fn problems(&mut self, plan: &Plan) {
        for problem in &plan.problems {
            let summary = match problem.line {
                0 => problem.message.clone(),
                line => format!("{line}:{}: {}", problem.column, problem.message),
            };
            let failure = Failure::new(Code::VerifyPlanInvalid)
                .with("path", problem.file.display().to_string())
                .with("line", problem.line.to_string())
                .with("column", problem.column.to_string())
                .with("problem", &problem.message);
            let name = problem.file.display().to_string();
            let evidence = Evidence::new(name, EvidenceKind::Plan, CheckResult::Unverifiable, summary);
            let evidence = Evidence { card: Some(candor_cards::card(&failure)), ..evidence };
            self.note(evidence, is_declaration(&problem.file));
        }
    }

    /// Why something is not tried, if it is not.
    fn obstacle(&mut self, cwd: &Path, kind: Option<CheckKind>) -> Option<&'static str> {
        if self.ground.cancel.is_cancelled() {
            return Some("it was stopped");
        }
        let limits = self.profile.limits();
        if self.broken.iter().any(|broken| cwd.starts_with(broken)) && kind != Some(CheckKind::Syntax) {
            return Some("what it needs is broken");
        }
        let no_room = self.commands >= limits.commands
            || kind == Some(CheckKind::Test) && self.tests >= limits.tests
            || self.left().is_zero();
        if no_room {
            self.is_budget_spent = true;
            return Some("the profile has no room for it");
        }
        None
    }

    async fn check(&mut self, check: &Check) {
        let counts = counts(check);
        if let Some(why) = self.obstacle(&check.cwd, Some(check.kind)) {
            let skipped = Evidence::new(&check.name, check::kind(check.kind), CheckResult::Skipped, why);
            return self.note(skipped, counts);
        }
        // A check that is ended before it had the time that it may take does not hang: there was no more.
        let is_short = self.left() < self.share(check);
        let mut done = self.carry_out(check).await;
        if done.is_cut && is_short {
            self.is_budget_spent = true;
            done.evidence.result = CheckResult::Unverifiable;
            "not finished: the profile's time was spent".clone_into(&mut done.evidence.summary);
            done.evidence.card = None;
        }
        if check.kind == CheckKind::Test
            && done.evidence.result == CheckResult::Failed
            && self.may_repeat(&done)
        {
            let again = self.carry_out(check).await;
            if again.evidence.result == CheckResult::Passed {
                done.evidence.result = CheckResult::Flaky;
                done.evidence.summary =
                    format!("failed once ({}), passed on the second try", done.evidence.summary);
                done.evidence.card = None;
            }
        }
        let Done { evidence, diagnostics, .. } = done;
        let is_broken = evidence.result == CheckResult::Failed
            && matches!(check.kind, CheckKind::Syntax | CheckKind::Build | CheckKind::Install);
        if is_broken {
            self.broken.push(check.cwd.clone());
        }
        if matches!(evidence.result, CheckResult::Passed | CheckResult::Failed | CheckResult::Flaky) {
            self.ledger.note(&check.name, diagnostics, SystemTime::now());
        }
        self.note(evidence, counts);
    }

    async fn carry_out(&mut self, check: &Check) -> Done {
        self.commands += 1;
        self.tests += usize::from(check.kind == CheckKind::Test);
        let time = self.share(check).min(self.left());
        check::carry_out(check, time, self.ground).await
    }

    /// The longest that a check may take by itself, however much time is left.
    fn share(&self, check: &Check) -> Duration {
        let share = self.profile.limits().wall / CHECK_SHARE;
        check.timeout.map_or(share, |timeout| timeout.min(share))
    }

    /// Whether there is room to run a test once more. One that took its whole time is not waited for again.
    fn may_repeat(&self, done: &Done) -> bool {
        let limits = self.profile.limits();
        let took = Duration::from_millis(done.evidence.duration_ms);
        self.commands + self.later_commands < limits.commands
            && self.tests + self.later_tests < limits.tests
            && took * 2 < self.left()
            && took < limits.wall / CHECK_SHARE
    }

    async fn service(&mut self, service: &Service) {
        let counts = service.source.declared || !is_container(service);
        if let Some(why) = self.obstacle(&service.cwd, None) {
            let name = format!("{}: start", service.name);
            let skipped = Evidence::new(name, EvidenceKind::Start, CheckResult::Skipped, why);
            return self.note(skipped, counts);
        }
        self.commands += 1;
        let lived = service::live(service, self.left(), self.ground).await;
        // They were told as they came.
        self.seen.extend(lived.evidence.into_iter().map(|evidence| Weighed { evidence, counts }));
        self.keep(&lived.logs);
        self.kept.extend(lived.kept);
        self.is_budget_spent |= lived.is_out_of_time;
    }

    fn keep(&mut self, findings: &[LogFindings]) {
        let masked = findings
            .iter()
            .flat_map(|findings| &findings.entries)
            .map(|entry| LogEntry { message: self.ground.host.mask(&entry.message), ..entry.clone() });
        self.entries.extend(masked.take(ENTRIES_MAX).collect::<Vec<_>>());
    }

    /// Logs of the project that are nobody's service.
    async fn project_logs(&mut self) {
        for (path, name) in self.ground.project_logs {
            let (path, file, start) = (path.clone(), name.clone(), self.start);
            let read = tokio::task::spawn_blocking(move || {
                let rules = LogRules::new(&[], &[]).map_err(|bad| std::io::Error::other(bad.message))?;
                tail(&path, file, rules.into(), LogSource::ProjectLog, start)
            });
            let Ok(Ok(findings)) = read.await else { continue };
            let Some(first) = findings.entries.first() else { continue };
            let summary = format!("runtime log errors detected: {}, in {name}", findings.count);
            let failure = Failure::new(Code::VerifyLogErrors)
                .with("service", "The project")
                .with("count", findings.count.to_string())
                .with("file", name)
                .with("entry", self.ground.host.mask(&first.message));
            let evidence = Evidence {
                ranges: vec![findings.range.clone()],
                excerpt: Some(self.ground.host.mask(&first.message)),
                card: Some(candor_cards::card(&failure)),
                ..Evidence::new("project log", EvidenceKind::Log, CheckResult::Failed, summary)
            };
            self.keep(std::slice::from_ref(&findings));
            self.note(evidence, true);
        }
    }

    /// Says what was not checked, where that matters.
    fn close(&mut self, selection: &Selection<'_>) {
        self.is_budget_spent |= !selection.no_room.is_empty();
        if self.is_budget_spent {
            let skipped = self.seen.iter().filter(|seen| seen.evidence.result == CheckResult::Skipped);
            let skipped = skipped.map(|seen| seen.evidence.check.as_str());
            let left: Vec<&str> = selection.no_room.iter().copied().chain(skipped).collect();
            let limits = self.profile.limits();
            let limit = format!(
                "{} commands, {} test runs and {}",
                limits.commands,
                limits.tests,
                crate::excerpt::time(limits.wall)
            );
            let failure = Failure::new(Code::VerifyBudgetSpent)
                .with("profile", self.profile.as_str())
                .with("limit", limit)
                .with("left", left.join(", "));
            let card = candor_cards::card(&failure);
            let summary = format!("the budget of the profile is spent; not checked: {}", left.join(", "));
            let evidence = Evidence::new("budget", EvidenceKind::Note, CheckResult::Unverifiable, summary);
            self.note(Evidence { card: Some(card), ..evidence }, true);
        }
        if self.ground.cancel.is_cancelled() {
            let stopped = Evidence::new(
                "verification",
                EvidenceKind::Note,
                CheckResult::Unverifiable,
                "it was stopped",
            );
            self.note(stopped, true);
            return;
        }
        let weighed = verdict(&self.seen, self.profile);
        let is_open = weighed.status == VerdictStatus::Unverifiable;
        if is_open && !self.seen.iter().any(|seen| seen.evidence.card.is_some()) {
            let has_read = self.seen.iter().any(|seen| seen.evidence.result == CheckResult::Passed);
            let reason = if has_read {
                "what was found only reads the files; nothing of the work was run"
            } else {
                "there is nothing to run"
            };
            let failure = Failure::new(Code::VerifyNothingToRun)
                .with("path", self.ground.root.display().to_string())
                .with("reason", reason);
            let evidence =
                Evidence::new("verification", EvidenceKind::Note, CheckResult::Unverifiable, reason);
            self.note(Evidence { card: Some(candor_cards::card(&failure)), ..evidence }, true);
        }
    }

    fn report(self, plan: &Plan) -> Verified {
        let verdict = verdict(&self.seen, self.profile);
        let at = self.start.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let at = i64::try_from(at.as_millis()).unwrap_or(i64::MAX);
        let failed = verdict.evidence.iter().filter(|evidence| evidence.result == CheckResult::Failed);
        let failure_history = failed
            .map(|evidence| report::Failure {
                at,
                check: evidence.check.clone(),
                reason: match evidence.kind {
                    EvidenceKind::Log => "runtime log errors detected".to_owned(),
                    _ => evidence.summary.clone(),
                },
            })
            .collect();
        let report = Report {
            failure_history,
            workspace: self.ground.root.display().to_string(),
            stacks: plan.stacks.clone(),
            service_commands: plan
                .services
                .iter()
                .map(|service| self.ground.host.mask(&service.command))
                .collect(),
            log_diagnostics: self.entries,
            diagnostics: self.ledger.entries().to_vec(),
            problems: plan.problems.clone(),
            notes: plan.notes.clone(),
            duration: self.began.elapsed(),
            verdict,
        };
        Verified { report, is_budget_spent: self.is_budget_spent, kept: self.kept }
    }
}

/// Whether the work cannot be called verified without this check.
fn counts(check: &Check) -> bool {
    let is_essential = matches!(check.kind, CheckKind::Build | CheckKind::Types | CheckKind::Test);
    check.source.declared || is_essential && !is_pipeline(&check.source.file)
}

/// Whether a file says what a server elsewhere does.
fn is_pipeline(file: &Path) -> bool {
    file.starts_with(".github") || file.to_string_lossy().contains(".gitlab-ci")
}

/// Whether a service is a container of a compose file, which may be anything that the project uses.
fn is_container(service: &Service) -> bool {
    service.needs.iter().any(|program| program == "docker")
}

fn is_declaration(file: &Path) -> bool {
    file.starts_with(".candor") || file.extension().is_some_and(|extension| extension == "md")
}
