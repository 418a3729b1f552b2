//! The report as SARIF 2.1.0, which code scanners read.

use std::fmt::Write;
use std::path::Path;

use candor_protocol::{CheckResult, Evidence};
use serde_json::{Map, Value, json};

use super::Report;
use super::text::kind;
use crate::diagnostics::Seen;
use crate::found::LogEntry;
use crate::plan::Problem;

/// What relative addresses are relative to: the root of the workspace.
const BASE: &str = "%SRCROOT%";
/// The rule that an error in a log breaks.
const LOG_RULE: &str = "runtime-log-error";
/// The rule that a declaration with a mistake breaks.
const DECLARATION_RULE: &str = "declaration";

/// The report as SARIF 2.1.0: a result for every diagnostic, log entry, failed piece of evidence and mistake in a declaration.
pub fn to_sarif(report: &Report) -> Value {
    let root = Path::new(&report.workspace);
    let failed = report.verdict.evidence.iter().filter(|evidence| evidence.result == CheckResult::Failed);
    let found: Vec<Found> = failed
        .map(of_evidence)
        .chain(report.diagnostics.iter().map(|line| of_diagnostic(line, root)))
        .chain(report.log_diagnostics.iter().map(|entry| of_log(entry, root)))
        .chain(report.problems.iter().map(|problem| of_problem(problem, root)))
        .collect();
    let mut rules: Vec<(&str, &str)> = Vec::new();
    for found in &found {
        if !rules.iter().any(|(rule, _)| *rule == found.rule) {
            rules.push((&found.rule, found.about));
        }
    }
    let results: Vec<Value> = found
        .iter()
        .map(|found| {
            let index = rules.iter().position(|(rule, _)| *rule == found.rule);
            found.result(index)
        })
        .collect();
    let rules: Vec<Value> =
        rules.iter().map(|(id, about)| json!({ "id": id, "shortDescription": { "text": about } })).collect();
    let notes: Vec<Value> =
        report.notes.iter().map(|note| json!({ "level": "note", "message": { "text": note } })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Candor", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notes }],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": { "verdict": report.verdict.status, "profile": report.verdict.profile },
        }],
    })
}

/// A result before it is written.
struct Found {
    rule: String,
    /// What the rule is about.
    about: &'static str,
    is_error: bool,
    message: String,
    /// Where it is, as SARIF has it.
    location: Option<Value>,
}

impl Found {
    fn result(&self, rule: Option<usize>) -> Value {
        let mut fields = Map::new();
        fields.insert("ruleId".to_owned(), json!(self.rule));
        if let Some(rule) = rule {
            fields.insert("ruleIndex".to_owned(), json!(rule));
        }
        fields.insert("level".to_owned(), json!(if self.is_error { "error" } else { "warning" }));
        fields.insert("message".to_owned(), json!({ "text": self.message }));
        if let Some(location) = &self.location {
            fields.insert("locations".to_owned(), json!([location]));
        }
        Value::Object(fields)
    }
}

fn of_evidence(evidence: &Evidence) -> Found {
    let message = match &evidence.excerpt {
        Some(excerpt) => format!("{}: {}\n{excerpt}", evidence.check, evidence.summary),
        None => format!("{}: {}", evidence.check, evidence.summary),
    };
    let location = json!({ "logicalLocations": [{ "name": evidence.check, "kind": "member" }] });
    let rule = format!("check/{}", kind(evidence.kind));
    Found { rule, about: "A check of the project failed.", is_error: true, message, location: Some(location) }
}

fn of_diagnostic(line: &Seen, root: &Path) -> Found {
    let found = &line.diagnostic;
    let rule = found.code.clone().filter(|code| !code.is_empty()).unwrap_or_else(|| line.check.clone());
    let region = found.line.filter(|line| *line > 0).map(|line| {
        let mut region = Map::new();
        region.insert("startLine".to_owned(), json!(line));
        if let Some(column) = found.column.filter(|column| *column > 0) {
            region.insert("startColumn".to_owned(), json!(column));
        }
        Value::Object(region)
    });
    Found {
        rule: if rule.is_empty() { "diagnostic".to_owned() } else { rule },
        about: "A compiler, a linter or a test runner complains.",
        is_error: found.is_error,
        message: found.message.clone(),
        location: physical(&found.file, root, region),
    }
}

fn of_log(entry: &LogEntry, root: &Path) -> Found {
    // The streams of a service are no files.
    let is_stream = matches!(entry.file.as_str(), "stdout" | "stderr");
    let location = if is_stream {
        Some(json!({ "logicalLocations": [{ "name": entry.file, "kind": "resource" }] }))
    } else {
        physical(&entry.file, root, Some(json!({ "byteOffset": entry.offset })))
    };
    Found {
        rule: LOG_RULE.to_owned(),
        about: "A log tells of a failure while the service ran.",
        is_error: true,
        message: entry.message.clone(),
        location,
    }
}

fn of_problem(problem: &Problem, root: &Path) -> Found {
    let region = (problem.line > 0)
        .then(|| json!({ "startLine": problem.line, "startColumn": problem.column.max(1) }));
    Found {
        rule: DECLARATION_RULE.to_owned(),
        about: "A declaration of how the project is checked cannot be read.",
        is_error: true,
        message: problem.message.clone(),
        location: physical(&problem.file.to_string_lossy(), root, region),
    }
}

/// A place in a file. Nothing for a file without a name.
fn physical(file: &str, root: &Path, region: Option<Value>) -> Option<Value> {
    let path = Path::new(file);
    let inside = path.strip_prefix(root).unwrap_or(path);
    let inside = inside.strip_prefix(".").unwrap_or(inside).to_string_lossy();
    if inside.is_empty() {
        return None;
    }
    let artifact = if inside.starts_with('/') {
        json!({ "uri": format!("file://{}", encoded(&inside)) })
    } else {
        json!({ "uri": encoded(&inside), "uriBaseId": BASE })
    };
    let mut place = Map::new();
    place.insert("artifactLocation".to_owned(), artifact);
    if let Some(region) = region {
        place.insert("region".to_owned(), region);
    }
    Some(json!({ "physicalLocation": place }))
}

/// A path as a URI has it. A colon is encoded as well: before the first slash it would end a scheme.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
