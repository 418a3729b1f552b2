//! What a verification works with, as it was decided outside.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use candor_cards::How;
use candor_protocol::{ErrorCard, Evidence};
use candor_sandbox::{Sandbox, Spec, Stdin};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::probe::Sql;

/// What a host gives back: it is held as `dyn`, and an `async fn` in a trait cannot be.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How much is kept of what a command says, of each stream.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// What a verification works with.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// The walls that everything runs behind.
    pub sandbox: &'a Sandbox,
    /// The whole environment of commands.
    pub env: &'a [(String, String)],
    /// The shell that runs them.
    pub shell: &'a Path,
    /// Ends it early.
    pub cancel: &'a CancellationToken,
    /// Whoever it works for.
    pub host: &'a dyn Host,
    /// Whoever can ask databases.
    pub sql: Option<&'a dyn Sql>,
    /// Logs of the project besides those of its services, with what they are called: they are read from the moment at which
    /// the verification begins.
    pub project_logs: &'a [(PathBuf, String)],
    /// Whether probes may leave the machine.
    pub may_leave: bool,
}

/// Whoever a verification works for.
pub trait Host: Send + Sync {
    /// Whether this command may run there. A card says why not.
    fn permit<'a>(&'a self, command: &'a str, cwd: &'a Path) -> BoxFuture<'a, Result<(), ErrorCard>>;

    /// The card of a command that failed.
    fn explain<'a>(&'a self, ran: Ran<'a>) -> BoxFuture<'a, ErrorCard>;

    /// The text without secrets.
    fn mask(&self, text: &str) -> String;

    /// Hears how far it is.
    fn tell(&self, progress: Progress<'_>);
}

/// A command that failed.
#[derive(Debug, Clone)]
pub struct Ran<'a> {
    /// The shell line.
    pub command: &'a str,
    /// Where it ran.
    pub cwd: &'a Path,
    /// How it ended.
    pub how: How,
    /// What it said.
    pub stdout: String,
    /// What it said about trouble.
    pub stderr: String,
}

/// How far a verification is.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// A check begins.
    Began {
        /// Which.
        check: &'a str,
        /// What is run for it; empty, where nothing is.
        command: &'a str,
    },
    /// A check is over.
    Ended(&'a Evidence),
}

impl Ground<'_> {
    /// The evidence without secrets, wherever in it they stand.
    pub(crate) fn masked(&self, mut evidence: Evidence) -> Evidence {
        let mask = |text: &str| self.host.mask(text);
        evidence.check = mask(&evidence.check);
        evidence.summary = mask(&evidence.summary);
        evidence.command = evidence.command.map(|text| mask(&text));
        evidence.excerpt = evidence.excerpt.map(|text| mask(&text));
        for artefact in &mut evidence.artefacts {
            artefact.path = mask(&artefact.path);
        }
        evidence.card = evidence.card.map(|card| self.masked_card(card));
        evidence
    }

    fn masked_card(&self, card: ErrorCard) -> ErrorCard {
        // A card is made of texts, and stays one: masks are texts as well.
        let Ok(mut value) = serde_json::to_value(&card) else { return card };
        mask_texts(&mut value, self.host);
        serde_json::from_value(value).unwrap_or(card)
    }

    /// How to run a shell line.
    pub(crate) fn spec(
        &self,
        command: &str,
        cwd: &Path,
        env: &[(String, String)],
        timeout: Duration,
        stdin: Stdin,
    ) -> Spec {
        let mut all = self.env.to_vec();
        for (name, value) in env {
            all.retain(|(other, _)| other != name);
            all.push((name.clone(), value.clone()));
        }
        Spec {
            program: self.shell.to_owned(),
            args: ["-c", command].map(Into::into).to_vec(),
            cwd: self.root.join(cwd),
            env: all,
            timeout,
            output_bytes_max: OUTPUT_BYTES_MAX,
            spill: None,
            stdin,
            pty: None,
        }
    }

    /// What is missing of what a command needs, in words.
    pub(crate) fn missing(&self, needs: &[String], needs_files: &[PathBuf], cwd: &Path) -> Option<String> {
        let path = self.env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
        let folder = self.root.join(cwd);
        // It may have become a link since the plan was made.
        let (real, root) = (folder.canonicalize(), self.root.canonicalize());
        match (real, root) {
            (Ok(real), Ok(root)) if !real.starts_with(&root) => {
                return Some(format!("its folder {} leads out of the workspace", cwd.display()));
            }
            (Err(error), _) => return Some(format!("its folder {}: {error}", cwd.display())),
            _ => {}
        }
        let is_there = |program: &String| {
            let name = Path::new(program);
            if name.components().count() > 1 {
                return folder.join(name).is_file();
            }
            path.split(':')
                .filter(|place| !place.is_empty())
                .any(|place| Path::new(place).join(name).is_file())
        };
        if let Some(program) = needs.iter().find(|program| !is_there(program)) {
            return Some(format!("the program {program} is not here"));
        }
        let file = needs_files.iter().find(|file| !folder.join(file).exists())?;
        Some(format!("{} is not here; the project's dependencies are not installed", file.display()))
    }
}

fn mask_texts(value: &mut Value, host: &dyn Host) {
    match value {
        Value::String(text) => *text = host.mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_texts(item, host)),
        Value::Object(fields) => fields.values_mut().for_each(|field| mask_texts(field, host)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
