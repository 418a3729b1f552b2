//! The report as JSON.

use candor_protocol::{CheckResult, Evidence, EvidenceKind};
use serde_json::{Map, Value, json};

use super::Report;
use crate::diagnostics::Seen;
use crate::plan::Problem;

/// The report as JSON: the verdict's `status`, `profile` and `evidence`, and beside them what else was found.
pub fn to_json(report: &Report) -> Value {
    let verdict = &report.verdict;
    let probes = verdict.evidence.iter().filter(|evidence| evidence.kind == EvidenceKind::Probe);
    json!({
        "status": verdict.status,
        "profile": verdict.profile,
        "evidence": verdict.evidence,
        "workspace": report.workspace,
        "stacks": report.stacks,
        "serviceCommands": report.service_commands,
        "functionalChecks": probes.map(functional).collect::<Vec<_>>(),
        "logDiagnostics": report.log_diagnostics,
        "failureHistory": report.failure_history,
        "diagnostics": report.diagnostics.iter().map(diagnostic).collect::<Vec<_>>(),
        "problems": report.problems.iter().map(problem_json).collect::<Vec<_>>(),
        "notes": report.notes,
        "durationMs": u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX),
    })
}

/// What a probe came to.
fn functional(evidence: &Evidence) -> Value {
    let mut fields = Map::new();
    let passed = matches!(evidence.result, CheckResult::Passed | CheckResult::Flaky);
    fields.insert("name".to_owned(), json!(evidence.check));
    fields.insert("ok".to_owned(), json!(passed));
    fields.insert("result".to_owned(), json!(evidence.result));
    fields.insert("summary".to_owned(), json!(evidence.summary));
    fields.insert("durationMs".to_owned(), json!(evidence.duration_ms));
    optional(&mut fields, "command", evidence.command.clone());
    optional(&mut fields, "sample", evidence.excerpt.clone());
    Value::Object(fields)
}

fn diagnostic(line: &Seen) -> Value {
    let found = &line.diagnostic;
    let mut fields = Map::new();
    fields.insert("file".to_owned(), json!(found.file));
    optional(&mut fields, "line", found.line);
    optional(&mut fields, "column", found.column);
    fields.insert("severity".to_owned(), json!(if found.is_error { "error" } else { "warning" }));
    optional(&mut fields, "code", found.code.clone());
    fields.insert("message".to_owned(), json!(found.message));
    fields.insert("check".to_owned(), json!(line.check));
    fields.insert("seen".to_owned(), json!(line.seen));
    fields.insert("firstSeen".to_owned(), json!(line.first_seen));
    fields.insert("lastSeen".to_owned(), json!(line.last_seen));
    Value::Object(fields)
}

/// A mistake in a declaration. The name of a file may have any bytes, and JSON may not.
pub(super) fn problem_json(problem: &Problem) -> Value {
    let Problem { file, line, column, message } = problem;
    json!({ "file": file.to_string_lossy(), "line": line, "column": column, "message": message })
}

fn optional(fields: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        fields.insert(key.to_owned(), value.into());
    }
}
