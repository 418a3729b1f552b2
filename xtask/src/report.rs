//! One line for each step, everything only on failure, and one summary line at the end.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;

/// How one step ended.
#[derive(Debug)]
pub enum Outcome {
    /// All is well.
    Passed,
    /// Something is wrong; the text says everything about it.
    Failed(String),
    /// It could not be done here; the text says why and what would help.
    Skipped(String),
}

/// What a step leaves behind: its outcome, lines a reader should see even when all is well, and suites that had
/// to be left out.
#[derive(Debug)]
pub struct StepResult {
    /// How it ended.
    pub outcome: Outcome,
    /// Lines printed below the step.
    pub notes: Vec<String>,
    /// Parts of the step that could not be done here, each with its reason.
    pub skipped: Vec<String>,
}

impl StepResult {
    /// Nothing to say.
    pub fn passed() -> Self {
        Outcome::Passed.into()
    }

    /// Failed, and this is why.
    pub fn failed(output: impl Into<String>) -> Self {
        Outcome::Failed(output.into()).into()
    }

    /// Adds lines that are printed whatever the outcome.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }
}

impl From<Outcome> for StepResult {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, notes: Vec::new(), skipped: Vec::new() }
    }
}

/// Whether something that could not be run counts as a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipPolicy {
    /// On somebody's own machine a skip is only printed.
    Tolerate,
    /// Where `CI=true`, nobody reads the lines in between: a skip fails the run.
    Fail,
}

impl SkipPolicy {
    /// As the environment says.
    pub fn from_env() -> Self {
        if std::env::var("CI").is_ok_and(|ci| ci == "true") { Self::Fail } else { Self::Tolerate }
    }
}

/// The run so far.
#[derive(Debug)]
pub struct Report {
    policy: SkipPolicy,
    started: Instant,
    passed: usize,
    failed: Vec<String>,
    skipped: Vec<String>,
}

impl Report {
    /// An empty report; the clock starts now.
    pub fn start(policy: SkipPolicy) -> Self {
        Self { policy, started: Instant::now(), passed: 0, failed: Vec::new(), skipped: Vec::new() }
    }

    /// Runs one step and prints its line. An error of the step itself is a failure like any other: the steps
    /// after it still run.
    pub fn step(&mut self, name: &str, run: impl FnOnce() -> Result<StepResult>) {
        print!("{name} … ");
        // The name must be seen while the step runs. Without a terminal to flush to, there is nobody to see it.
        let _ = std::io::stdout().flush();
        let started = Instant::now();
        let result = run().unwrap_or_else(|error| StepResult::failed(format!("{error:#}")));
        println!("{} {}", self.record(name, &result), shown(started.elapsed()));
        if let Outcome::Failed(output) = &result.outcome {
            println!("{}", output.trim_end());
        }
        for note in &result.notes {
            println!("  {note}");
        }
        for reason in &result.skipped {
            println!("  skipped: {reason}");
        }
    }

    /// Counts one step's result and gives the word for its line.
    pub fn record(&mut self, name: &str, result: &StepResult) -> String {
        self.skipped.extend(result.skipped.iter().map(|reason| format!("{name}: {reason}")));
        match &result.outcome {
            Outcome::Passed => {
                self.passed += 1;
                "ok".to_owned()
            }
            Outcome::Failed(_) => {
                self.failed.push(name.to_owned());
                "FAILED".to_owned()
            }
            Outcome::Skipped(reason) => {
                self.skipped.push(format!("{name}: {reason}"));
                format!("skipped ({reason})")
            }
        }
    }

    /// Whether everything went as it must.
    pub fn is_success(&self) -> bool {
        self.failed.is_empty() && (self.skipped.is_empty() || self.policy == SkipPolicy::Tolerate)
    }

    /// What failed and what was skipped, then the one summary line.
    pub fn summary(&self) -> String {
        let mut lines: Vec<String> = self.failed.iter().map(|name| format!("failed: {name}")).collect();
        let fatal = if self.policy == SkipPolicy::Fail { " (a failure, because CI=true)" } else { "" };
        lines.extend(self.skipped.iter().map(|reason| format!("skipped{fatal}: {reason}")));
        lines.push(format!(
            "xtask test: {} passed, {} failed, {} skipped in {}",
            self.passed,
            self.failed.len(),
            self.skipped.len(),
            shown(self.started.elapsed())
        ));
        lines.join("\n")
    }
}

/// A duration as a person reads it: `0.3s`, `4m10s`.
pub fn shown(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        return format!("{:.1}s", duration.as_secs_f64());
    }
    format!("{}m{:02}s", seconds / 60, seconds % 60)
}
