//! Results in the form that build servers read.

use std::fmt::Write;
use std::iter;

use candor_protocol::{CheckResult, Evidence};

use super::Report;

/// A set of results.
#[derive(Debug, Clone, Default)]
pub struct Suite {
    /// What it is called.
    pub name: String,
    /// What there is to know about all of it: names and values.
    pub properties: Vec<(String, String)>,
    /// The results.
    pub cases: Vec<Case>,
    /// How long it took; nothing: as long as all its cases.
    pub duration_ms: Option<u64>,
}

/// One result.
#[derive(Debug, Clone)]
pub struct Case {
    /// What kind of thing it is about.
    pub class: String,
    /// What it is called.
    pub name: String,
    /// How long it took.
    pub duration_ms: u64,
    /// What came of it.
    pub came: Came,
}

/// What came of a case.
#[derive(Debug, Clone)]
pub enum Came {
    /// It passed.
    Passed,
    /// It failed: why in one line, and what was seen.
    Failed {
        /// Why, in one line.
        message: String,
        /// What was seen.
        text: String,
    },
    /// It could not even begin.
    Error {
        /// What kind of trouble it is.
        kind: String,
        /// Why, in one line.
        message: String,
        /// What to do.
        text: String,
    },
    /// It failed first, and passed then.
    Flaky {
        /// Why, in one line.
        message: String,
        /// What was seen.
        text: String,
    },
    /// It was not tried, and why.
    Skipped {
        /// Why, in one line.
        message: String,
    },
}

/// The report as `JUnit` XML: one suite, and a case for every piece of evidence.
///
/// What could not be tried is skipped, with the reason. What was flaky has passed, with what was seen the first time in
/// `flakyFailure`, where build servers look for it.
pub fn to_junit(report: &Report) -> String {
    let property = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    document(&Suite {
        name: "candor verify".to_owned(),
        properties: vec![
            property("verdict", report.verdict.status.as_str()),
            property("profile", &report.verdict.profile),
        ],
        cases: report.verdict.evidence.iter().map(case).collect(),
        duration_ms: u64::try_from(report.duration.as_millis()).ok(),
    })
}

fn case(evidence: &Evidence) -> Case {
    let message = evidence.summary.clone();
    let came = match evidence.result {
        CheckResult::Passed => Came::Passed,
        CheckResult::Flaky => Came::Flaky { message, text: seen(evidence) },
        CheckResult::Failed => Came::Failed { message, text: seen(evidence) },
        CheckResult::Unverifiable => Came::Skipped { message: format!("could not be checked: {message}") },
        CheckResult::Skipped => Came::Skipped { message },
    };
    Case {
        class: format!("verify.{}", super::text::kind(evidence.kind)),
        name: evidence.check.clone(),
        duration_ms: evidence.duration_ms,
        came,
    }
}

/// The command, what was seen, and what to do about it.
fn seen(evidence: &Evidence) -> String {
    let command = evidence.command.iter().map(|command| format!("$ {command}"));
    let steps = evidence.card.iter().flat_map(|card| {
        let steps = card.steps.iter().zip(1..).map(|(step, number)| format!("{number}. {step}"));
        iter::once(format!("{}: {}", card.code, card.cause)).chain(steps)
    });
    command.chain(evidence.excerpt.iter().cloned()).chain(steps).collect::<Vec<_>>().join("\n")
}

/// A suite as `JUnit` XML.
pub fn document(suite: &Suite) -> String {
    let count = |is: fn(&Came) -> bool| suite.cases.iter().filter(|case| is(&case.came)).count();
    let failures = count(|came| matches!(came, Came::Failed { .. }));
    let errors = count(|came| matches!(came, Came::Error { .. }));
    let skipped = count(|came| matches!(came, Came::Skipped { .. }));
    let sum = || suite.cases.iter().fold(0u64, |sum, case| sum.saturating_add(case.duration_ms));
    let total = suite.duration_ms.unwrap_or_else(sum);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{}\">",
        escaped(&suite.name),
        suite.cases.len(),
        seconds(total)
    );
    if !suite.properties.is_empty() {
        out.push_str("  <properties>\n");
        for (name, value) in &suite.properties {
            let (name, value) = (escaped(name), escaped(value));
            let _ = writeln!(out, "    <property name=\"{name}\" value=\"{value}\"/>");
        }
        out.push_str("  </properties>\n");
    }
    suite.cases.iter().for_each(|case| write_case(&mut out, case));
    out.push_str("</testsuite>\n");
    out
}

fn write_case(out: &mut String, case: &Case) {
    let (class, name, time) = (escaped(&case.class), escaped(&case.name), seconds(case.duration_ms));
    let _ = write!(out, "  <testcase classname=\"{class}\" name=\"{name}\" time=\"{time}\"");
    let _ = match &case.came {
        Came::Passed => writeln!(out, "/>"),
        Came::Failed { message, text } => {
            writeln!(
                out,
                ">\n    <failure message=\"{}\">{}</failure>\n  </testcase>",
                escaped(message),
                escaped_text(text)
            )
        }
        Came::Error { kind, message, text } => writeln!(
            out,
            ">\n    <error type=\"{}\" message=\"{}\">{}</error>\n  </testcase>",
            escaped(kind),
            escaped(message),
            escaped_text(text)
        ),
        Came::Flaky { message, text } => writeln!(
            out,
            ">\n    <properties>\n      <property name=\"flaky\" value=\"true\"/>\n    </properties>\n    \
             <flakyFailure message=\"{}\" type=\"flaky\">{}</flakyFailure>\n  </testcase>",
            escaped(message),
            escaped_text(text)
        ),
        Came::Skipped { message } => {
            writeln!(out, ">\n    <skipped message=\"{}\"/>\n  </testcase>", escaped(message))
        }
    };
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Text as XML has it in an attribute. Line breaks as they are would be blanks there.
fn escaped(text: &str) -> String {
    escaped_text(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Text as XML has it. Characters that XML cannot hold at all are written out.
fn escaped_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}
