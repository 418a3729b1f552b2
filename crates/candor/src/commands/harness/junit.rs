//! The result in the form that build servers read.

use std::fmt::Write;

use super::Outcome;

/// The report as `JUnit` XML.
pub(super) fn report(outcomes: &[Outcome]) -> String {
    let failures = outcomes.iter().filter(|outcome| outcome.wrong.is_some()).count();
    let total: u64 = outcomes.iter().filter_map(|outcome| outcome.record.duration_ms).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<testsuite name=\"candor harness\" tests=\"{}\" failures=\"{failures}\" time=\"{}\">",
        outcomes.len(),
        seconds(total)
    );
    for Outcome { scenario, record, wrong } in outcomes {
        let time = seconds(record.duration_ms.unwrap_or_default());
        let _ = write!(
            out,
            "  <testcase classname=\"harness\" name=\"{}\" time=\"{time}\"",
            escaped(&scenario.name)
        );
        match wrong {
            None => out.push_str("/>\n"),
            Some(wrong) => {
                let prompt = record.error_prompt.as_deref().unwrap_or(&record.command);
                let _ = writeln!(
                    out,
                    ">\n    <failure message=\"{}\">{}</failure>\n  </testcase>",
                    escaped(wrong),
                    escaped(prompt)
                );
            }
        }
    }
    out.push_str("</testsuite>\n");
    out
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Text as XML has it. Characters that XML cannot hold at all are written out.
fn escaped(text: &str) -> String {
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
