//! A folder with files in it, verified for real.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use candor_cards::{Command, Failed, Given, RuleBase, explain};
use candor_protocol::{CheckResult, ErrorCard, Evidence, VerdictStatus};
use candor_sandbox::Sandbox;
use candor_verify::BoxFuture;
use candor_verify::diagnostics::Ledger;
use candor_verify::ground::{Ground, Host, Progress, Ran};
use candor_verify::profile::Profile;
use candor_verify::run::{Order, Verified, run};
use candor_verify::{classify, declare, detect};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A folder with files in it.
pub(crate) struct Site {
    pub(crate) folder: TempDir,
    pub(crate) profile: Profile,
    pub(crate) service: Option<String>,
    pub(crate) ledger: Ledger,
    pub(crate) cancel: CancellationToken,
    pub(crate) sandbox: Sandbox,
}

/// Lets everything run, and remembers what it was told.
#[derive(Default)]
pub(crate) struct Everything {
    pub(crate) told: Mutex<Vec<String>>,
}

impl Site {
    /// These files: name and content.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let site = Self {
            folder: tempfile::tempdir().expect("a folder"),
            profile: Profile::Fast,
            service: None,
            ledger: Ledger::default(),
            cancel: CancellationToken::new(),
            sandbox: Sandbox::bare(),
        };
        for (name, text) in files {
            site.write(name, text);
        }
        site
    }

    /// A folder that declares this.
    pub(crate) fn declaring(yaml: &str, files: &[(&str, &str)]) -> Self {
        let site = Self::new(files);
        site.write(".candor/verify.yaml", yaml);
        site
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) async fn verify(&mut self) -> Verified {
        self.verify_for(&Everything::default()).await
    }

    pub(crate) async fn verify_for(&mut self, host: &dyn Host) -> Verified {
        let root = self.root().canonicalize().expect("a folder");
        let plan = classify::unwrap(declare::merge_doubting(
            declare::read(&root),
            detect::detect(&root),
            &BTreeSet::new(),
        ));
        #[expect(clippy::disallowed_methods, reason = "tests run what is installed here")]
        let path = std::env::var("PATH").unwrap_or_default();
        let env = [("PATH".to_owned(), path), ("HOME".to_owned(), root.display().to_string())];
        let ground = Ground {
            root: &root,
            sandbox: &self.sandbox,
            env: &env,
            shell: Path::new("/bin/sh"),
            cancel: &self.cancel,
            host,
            sql: None,
            project_logs: &[],
            may_leave: false,
        };
        let order = Order { profile: self.profile, service: self.service.as_deref() };
        run(&plan, order, &mut self.ledger, &ground).await
    }
}

impl Host for Everything {
    fn permit<'a>(&'a self, _command: &'a str, _cwd: &'a Path) -> BoxFuture<'a, Result<(), ErrorCard>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn explain<'a>(&'a self, ran: Ran<'a>) -> BoxFuture<'a, ErrorCard> {
        let command = Command::line(ran.command);
        let failed = Failed { command: &command, how: ran.how, stdout: &ran.stdout, stderr: &ran.stderr };
        let explained = explain(&failed, &RuleBase::only([]), &Given::default());
        Box::pin(std::future::ready(explained.card))
    }

    fn mask(&self, text: &str) -> String {
        text.replace("hunter2", "[REDACTED]")
    }

    fn tell(&self, progress: Progress<'_>) {
        let line = match progress {
            Progress::Began { check, .. } => format!("began {check}"),
            Progress::Ended(evidence) => format!("ended {} {}", evidence.check, evidence.result.as_str()),
        };
        self.told.lock().expect("no panic").push(line);
    }
}

/// What was seen, in short: `check result`.
pub(crate) fn seen(verified: &Verified) -> Vec<String> {
    let evidence = &verified.report.verdict.evidence;
    evidence.iter().map(|seen| format!("{} {}", seen.check, seen.result.as_str())).collect()
}

pub(crate) fn status(verified: &Verified) -> VerdictStatus {
    verified.report.verdict.status
}

/// The first piece of evidence of this check.
#[track_caller]
pub(crate) fn of<'v>(verified: &'v Verified, check: &str) -> &'v Evidence {
    let found = verified.report.verdict.evidence.iter().find(|evidence| evidence.check == check);
    found.unwrap_or_else(|| panic!("no {check} in {:?}", seen(verified)))
}

/// The code on the card of the first failure.
pub(crate) fn code(verified: &Verified) -> String {
    let evidence = &verified.report.verdict.evidence;
    let failed = evidence.iter().filter(|evidence| evidence.result == CheckResult::Failed);
    failed
        .filter_map(|evidence| evidence.card.as_ref())
        .map(|card| card.code.clone())
        .next()
        .unwrap_or_default()
}
