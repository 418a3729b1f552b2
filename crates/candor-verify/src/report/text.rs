//! The report for people.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use candor_protocol::{CheckResult, Evidence, EvidenceKind, VerdictStatus};

use super::Report;
use crate::found::Diagnostic;
use crate::plan::Problem;

/// How many lines of what was seen are shown.
const EXCERPT_LINES_MAX: usize = 12;
/// Longest line that is shown.
const LINE_CHARS_MAX: usize = 300;
/// How many diagnostics are shown.
const DIAGNOSTICS_MAX: usize = 10;
/// How wide the column of names gets at most.
const NAMES_CHARS_MAX: usize = 32;
/// How wide it is where the names to come are not known.
const LIVE_NAMES_CHARS: usize = 20;

/// Whether colours are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Text and nothing else.
    Plain,
    /// With the colours of a terminal.
    Colours,
}

impl Paint {
    pub(super) fn in_style(self, style: Style, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colours => format!("{style}{text}{style:#}"),
        }
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.in_style(Style::new().dimmed(), text)
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.in_style(Style::new().bold(), text)
    }
}

/// The report for people, without a final newline: a checklist, what failed with the lines that tell why and the next step, and the
/// verdict last, where it is read.
pub fn to_text(report: &Report, paint: Paint) -> String {
    let mut lines = Vec::new();
    let evidence = &report.verdict.evidence;
    let width = evidence.iter().map(|evidence| one_line(&evidence.check).chars().count()).max().unwrap_or(0);
    let width = width.min(NAMES_CHARS_MAX);
    for evidence in evidence {
        item(&mut lines, evidence, width, paint);
    }
    lines.push(closing_text(report, paint));
    lines.join("\n")
}

/// One item of the checklist, for whoever shows it as it comes.
pub fn item_text(evidence: &Evidence, paint: Paint) -> String {
    let mut lines = Vec::new();
    item(&mut lines, evidence, LIVE_NAMES_CHARS, paint);
    lines.join("\n")
}

/// What comes behind the checklist.
pub fn closing_text(report: &Report, paint: Paint) -> String {
    let mut lines = Vec::new();
    diagnostics(&mut lines, report, paint);
    for note in &report.notes {
        lines.push(paint.dim(&format!("note: {}", one_line(note))));
    }
    lines.push(String::new());
    lines.push(verdict(report, paint));
    lines.join("\n")
}

/// One piece of evidence: a line, and below it what helps where it did not pass.
fn item(lines: &mut Vec<String>, evidence: &Evidence, width: usize, paint: Paint) {
    let word = paint.in_style(style(evidence.result), &format!("{:<12}", evidence.result.as_str()));
    let name = one_line(&evidence.check);
    let took = match evidence.duration_ms {
        0 => String::new(),
        ms => paint.dim(&format!(" ({})", shown_time(Duration::from_millis(ms)))),
    };
    lines.push(format!("{word} {name:<width$}  {}{took}", one_line(&evidence.summary)));
    if matches!(evidence.result, CheckResult::Passed | CheckResult::Skipped) {
        return;
    }
    if let Some(command) = &evidence.command {
        lines.push(paint.dim(&format!("    $ {}", one_line(command))));
    }
    let seen: Vec<&str> = evidence.excerpt.iter().flat_map(|excerpt| excerpt.lines()).collect();
    for line in seen.iter().take(EXCERPT_LINES_MAX) {
        lines.push(format!("    {} {}", paint.dim("|"), one_line(line)));
    }
    if seen.len() > EXCERPT_LINES_MAX {
        lines.push(paint.dim(&format!("    | and {} more lines", seen.len() - EXCERPT_LINES_MAX)));
    }
    if let Some(card) = &evidence.card
        && let Some(step) = card.steps.first()
    {
        let code = paint.dim(&format!("  (candor errors show {})", one_line(&card.code)));
        lines.push(format!("    {} {}{code}", paint.bold("next:"), one_line(&step.to_string())));
    }
}

fn diagnostics(lines: &mut Vec<String>, report: &Report, paint: Paint) {
    let errors: Vec<_> = report.diagnostics.iter().filter(|line| line.diagnostic.is_error).collect();
    for line in errors.iter().take(DIAGNOSTICS_MAX) {
        let found = &line.diagnostic;
        let code = found
            .code
            .as_ref()
            .filter(|code| !code.is_empty())
            .map_or_else(String::new, |code| format!("[{}] ", one_line(code)));
        let again = if line.seen > 1 { format!(" (seen {} times)", line.seen) } else { String::new() };
        lines.push(format!(
            "{} {}{code}{}{}",
            paint.in_style(red(), "error:"),
            place(found),
            one_line(&found.message),
            paint.dim(&again)
        ));
    }
    if errors.len() > DIAGNOSTICS_MAX {
        lines.push(paint.dim(&format!("and {} more errors", errors.len() - DIAGNOSTICS_MAX)));
    }
}

/// Where a diagnostic points to, as far as it says.
fn place(found: &Diagnostic) -> String {
    if found.file.is_empty() {
        return String::new();
    }
    let numbers = [found.line, found.column].into_iter().flatten().take_while(|number| *number > 0);
    let place = numbers.fold(one_line(&found.file), |place, number| format!("{place}:{number}"));
    format!("{place}: ")
}

/// The last line.
fn verdict(report: &Report, paint: Paint) -> String {
    let verdict = &report.verdict;
    let (style, word) = match verdict.status {
        VerdictStatus::Verified => (green(), "verified"),
        VerdictStatus::Failed => (red(), "failed"),
        VerdictStatus::Unverifiable => (yellow(), "unverifiable"),
        VerdictStatus::NotApplicable => (Style::new(), "nothing to verify"),
    };
    let counts = [
        CheckResult::Passed,
        CheckResult::Flaky,
        CheckResult::Failed,
        CheckResult::Unverifiable,
        CheckResult::Skipped,
    ];
    let counts = counts.iter().filter_map(|result| {
        let number = verdict.evidence.iter().filter(|evidence| evidence.result == *result).count();
        (number > 0).then(|| format!("{number} {}", result.as_str()))
    });
    let counts: Vec<_> = counts.collect();
    let counts = if counts.is_empty() { "nothing was checked".to_owned() } else { counts.join(", ") };
    let took = shown_time(report.duration);
    let profile = one_line(&verdict.profile);
    format!("{} {counts}; profile {profile}, {took}", paint.in_style(style.bold(), &format!("{word}:")))
}

pub(super) fn shown_problem(problem: &Problem) -> String {
    let file = one_line(&problem.file.to_string_lossy());
    let message = one_line(&problem.message);
    match (problem.line, problem.column) {
        (0, _) => format!("{file}: {message}"),
        (line, column) => format!("{file}:{line}:{column}: {message}"),
    }
}

/// The word for a kind of evidence.
pub(super) const fn kind(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Syntax => "syntax",
        EvidenceKind::Build => "build",
        EvidenceKind::Types => "types",
        EvidenceKind::Lint => "lint",
        EvidenceKind::Test => "test",
        EvidenceKind::Custom => "custom",
        EvidenceKind::Install => "install",
        EvidenceKind::Start => "start",
        EvidenceKind::Probe => "probe",
        EvidenceKind::Log => "log",
        EvidenceKind::Stop => "stop",
        EvidenceKind::Plan => "plan",
        EvidenceKind::Note => "note",
    }
}

/// A length of time as people say it.
pub(super) fn shown_time(time: Duration) -> String {
    match time.as_millis() {
        ms if ms < 1000 => format!("{ms} ms"),
        ms if ms < 60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        ms => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// One line of text in which nothing commands the terminal: what is shown comes from programs and files of anybody's.
pub(super) fn one_line(text: &str) -> String {
    let mut out = String::new();
    for (c, number) in text.trim_end().chars().zip(0..) {
        if number >= LINE_CHARS_MAX {
            out.push('…');
            break;
        }
        match c {
            '\t' => out.push(' '),
            c if c.is_control() || steers(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character breaks a line, hides, or turns the direction of writing.
fn steers(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn style(result: CheckResult) -> Style {
    match result {
        CheckResult::Passed => green(),
        CheckResult::Flaky | CheckResult::Unverifiable => yellow(),
        CheckResult::Failed => red(),
        CheckResult::Skipped => Style::new().dimmed(),
    }
}

pub(super) const fn green() -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)))
}

pub(super) const fn yellow() -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)))
}

const fn red() -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)))
}
