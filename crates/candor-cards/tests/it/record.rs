//! What is written down about a command, against the seed's two examples and the published schema.

use std::time::Duration;

use boon::{Compiler, SchemaIndex, Schemas};
use candor_cards::{Command, Failed, Given, How, Record, RuleBase, pd_report, text};
use candor_protocol::ErrorCard;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../../../docs/harness-result.schema.json");

struct Schema(Schemas, SchemaIndex);

impl Schema {
    fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("result.json", serde_json::from_str(SCHEMA).unwrap()).unwrap();
        let index = compiler.compile("result.json", &mut schemas).unwrap();
        Self(schemas, index)
    }

    fn allows(&self, value: &Value) -> bool {
        self.0.validate(value, self.1).is_ok()
    }
}

fn ran(command: &str, exit: i32, stdout: &str, stderr: &str) -> (Record, Option<ErrorCard>) {
    let command = Command::line(command);
    let failed = Failed { command: &command, how: How::Exited(exit), stdout, stderr };
    let duration = Some(Duration::from_millis(12));
    Record::new(
        "2026-01-02T11:45:00Z".to_owned(),
        &failed,
        duration,
        &RuleBase::built_in(),
        &Given::default(),
    )
}

const NOT_INITIALIZED: &str = "\
TRIFECTA_ERROR_CODE: SEGMENT_NOT_INITIALIZED
❌ TRIFECTA_ERROR: SEGMENT_NOT_INITIALIZED
CLASS: PRECONDITION
CAUSE: Segment directory exists but is not initialized.
Missing: _ctx/trifecta_config.json

NEXT_STEPS:
  trifecta create -s <segment_path>

VERIFY:
  trifecta ctx sync -s <segment_path>
";

/// The layout is the seed's, line for line; the steps are ours for the code, with the real path filled in.
#[test]
fn the_first_example_of_the_seed_is_reproduced() {
    let (_, card) = ran("uv run trifecta ctx sync -s /tmp/test", 1, "", NOT_INITIALIZED);
    let printed = text(&card.unwrap(), "uv run trifecta ctx sync -s /tmp/test");
    let expected = "\
❌ Command Failed: uv run trifecta ctx sync -s /tmp/test

Exit Code: 1
Error Class: Precondition
Error Code: SEGMENT_NOT_INITIALIZED

Cause:
Segment directory exists but is not initialized.
Missing: _ctx/trifecta_config.json

Recovery Steps:
1. Run: candor ctx create -s /tmp/test
2. Verify prime file was created: ls /tmp/test/_ctx/prime_*.md
3. Run: candor ctx sync -s /tmp/test";
    assert_eq!(without_verify(&printed), expected);
}

#[test]
fn the_second_example_of_the_seed_is_reproduced() {
    let output = "TRIFECTA_ERROR_CODE: PRIME_FILE_NOT_FOUND\nCLASS: Runtime\nCAUSE: Expected prime file not found: _ctx/prime_<segment>.md\n\nNEXT STEPS:\n  look\n";
    let (_, card) = ran("uv run trifecta ctx get -s . --ids prime:abc", 1, "", output);
    let printed = text(&card.unwrap(), "uv run trifecta ctx get -s . --ids prime:abc");
    let expected = "\
❌ Command Failed: uv run trifecta ctx get -s . --ids prime:abc

Exit Code: 1
Error Class: Runtime
Error Code: PRIME_FILE_NOT_FOUND

Cause:
Expected prime file not found: _ctx/prime_<segment>.md

Recovery Steps:
1. Check segment directory structure: ls -la ./_ctx
2. Run: candor ctx refresh-prime -s .
3. Verify _ctx/prime_*.md exists: ls ./_ctx/prime_*.md";
    assert_eq!(without_verify(&printed), expected);
}

/// The seed's layout ends with the steps; ours may add one line that tells how to see that it is repaired.
fn without_verify(printed: &str) -> &str {
    printed.split("\n\nVerify: ").next().unwrap()
}

#[test]
fn the_json_of_both_examples_of_the_seed_fits_the_schema() {
    let schema = Schema::new();
    let good = json!({
        "timestamp": "2026-01-02T11:45:00Z",
        "command": "uv run trifecta ctx get -s . --ids prime:abc,skill:xyz --pd-report",
        "returncode": 0,
        "success": true,
        "pd_report": {
            "v": "1", "stop_reason": "complete", "chunks_returned": 1, "chunks_requested": 1,
            "chars_returned_total": 512, "strong_hit": 0, "support": 0
        }
    });
    let bad = json!({
        "timestamp": "2026-01-02T11:45:00Z",
        "command": "uv run trifecta ctx sync -s /tmp/uninit",
        "returncode": 1,
        "success": false,
        "error_card": { "code": "SEGMENT_NOT_INITIALIZED", "class": "Precondition", "cause": "Missing _ctx/trifecta_config.json" },
        "error_prompt": "❌ Command Failed: ...\n\nRecovery Steps:\n1. ..."
    });
    assert!(schema.allows(&good) && schema.allows(&bad));
    assert!(
        serde_json::from_value::<Record>(good.clone()).is_ok()
            && serde_json::from_value::<Record>(bad).is_ok()
    );
    // Numbers that are strings, as in the seed's first version, do not pass.
    let mut wrong = good;
    wrong["pd_report"]["chunks_returned"] = json!("1");
    assert!(!schema.allows(&wrong));
}

#[test]
fn what_is_written_fits_the_schema() {
    let schema = Schema::new();
    let report = "PD_REPORT v=1 stop_reason=budget chunks_returned=2 chunks_requested=3 chars_returned_total=10 strong_hit=1 support=0\n";
    for (exit, stdout, stderr) in
        [(0, report, ""), (1, report, "error: it\n"), (1, "", NOT_INITIALIZED), (0, "PD_REPORT v=1\n", "")]
    {
        let (record, card) = ran("candor ctx get -s .", exit, stdout, stderr);
        let value = serde_json::to_value(&record).unwrap();
        assert!(schema.allows(&value), "{value:#}");
        assert_eq!(card.is_some(), exit != 0);
    }
}

#[test]
fn a_report_is_read_by_its_contract() {
    let report = |text: &str| pd_report(text).map(Value::Object);
    let expected = json!({
        "v": "1", "stop_reason": "complete", "chunks_returned": 2, "chunks_requested": 2,
        "chars_returned_total": 7, "strong_hit": 0, "support": 1
    });
    // In any order, with unknown keys, behind other lines, before empty ones.
    let line = "PD_REPORT support=1 v=1 extra=x chunks_requested=2 chunks_returned=2 stop_reason=complete strong_hit=0 chars_returned_total=7";
    assert_eq!(report(&format!("text\n{line}\n\n  \n")), Some(expected));
    // Only as the last line that is not empty.
    assert_eq!(report(&format!("{line}\nmore\n")), None);
    assert_eq!(report("PD_REPORTER v=1\n"), None);
    assert_eq!(report(""), None);
    // What is not as agreed is kept and marked.
    for broken in ["PD_REPORT v=1", "PD_REPORT", &line.replace("=7", "=seven"), &line.replace("v=1", "v 1")] {
        assert_eq!(report(broken), Some(json!({ "raw": broken, "_parse_error": true })));
    }
}
