//! Test runners that tell a failure in several lines.

use super::Read;
use super::node::own_frame;
use super::text::{Lines, Parts, captures, group};
use crate::found::Diagnostic;

/// How far below its name the place of a failed test stands.
const PLACE_WITHIN: usize = 60;

/// `1) Tests\OrderTest::testTotal`, the message, and `/app/tests/OrderTest.php:12`.
pub(super) fn phpunit(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^\d+\) ([\w\\]+::\S.*)$")?;
    let (at, place) = lines
        .after(PLACE_WITHIN)
        .take_while(|(_, line)| captures!(line, r"^\d+\) ").is_none())
        .find_map(|(at, line)| Some((at, captures!(line, r"^(/?\S.*\.php):(\d+)$")?)))?;
    let (file, line) = (group(&place, 1), group(&place, 2));
    let parts = Parts { file, line, code: group(&head, 1), message: lines.get(1), ..Parts::error() };
    Read::one(parts.diagnostic(), at + 1)
}

/// `  1) Failure:`, `OrderTest#test_total [test/order_test.rb:5]:`, and the message.
pub(super) fn minitest(lines: Lines<'_>) -> Option<Read> {
    captures!(lines.first(), r"^\s*\d+\) (?:Failure|Error):$")?;
    if let Some(found) = captures!(lines.get(1), r"^(\S+) \[(.+?):(\d+)\]:$") {
        let (file, line) = (group(&found, 2), group(&found, 3));
        let parts = Parts { file, line, code: group(&found, 1), message: lines.get(2), ..Parts::error() };
        return Read::one(parts.diagnostic(), 3);
    }
    let name = captures!(lines.get(1), r"^(\S+):$")?;
    let (at, place) = lines
        .after(12)
        .find_map(|(at, line)| Some((at, captures!(line, r"^\s+([^\s:]+\.rb):(\d+):in ")?)))?;
    let (file, line) = (group(&place, 1), group(&place, 2));
    let parts = Parts { file, line, code: group(&name, 1), message: lines.get(2), ..Parts::error() };
    Read::one(parts.diagnostic(), at + 1)
}

/// `  1) test adds (AppTest)`, `     test/app_test.exs:5`, and the message.
pub(super) fn exunit(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^\s+\d+\) (?:test|property|doctest) (.+ \(.+\))$")?;
    let place = captures!(lines.get(1), r"^\s+(\S+\.exs?):(\d+)$")?;
    let (file, line) = (group(&place, 1), group(&place, 2));
    let parts = Parts { file, line, code: group(&head, 1), message: lines.get(2), ..Parts::error() };
    Read::one(parts.diagnostic(), 3)
}

/// `  1) Order adds`, `Failure/Error: …`, the message, and `# ./spec/order_spec.rb:5:in`.
pub(super) fn rspec(lines: Lines<'_>) -> Option<Read> {
    let (name, within) = numbered(lines)?;
    let (failure, _) =
        within.iter().copied().find(|(_, line)| line.trim_start().starts_with("Failure/Error:"))?;
    let message = within
        .iter()
        .find(|(at, line)| *at > failure && !line.trim().is_empty())
        .map_or("", |(_, line)| line);
    let (at, place) = within
        .iter()
        .find_map(|(at, line)| Some((*at, captures!(line, r"^\s+# (\./\S+?):(\d+)(?::in .*)?$")?)))?;
    let (file, line) = (group(&place, 1), group(&place, 2));
    Read::one(Parts { file, line, code: name, message, ..Parts::error() }.diagnostic(), at + 1)
}

/// `  1) Order`, `       adds:`, the error, and a stack.
pub(super) fn mocha(lines: Lines<'_>) -> Option<Read> {
    let (suite, within) = numbered(lines)?;
    let (at, (file, line, column)) = within.iter().find_map(|(at, line)| Some((*at, own_frame(line)?)))?;
    let names: Vec<&str> = within
        .iter()
        .map(|(_, line)| line.trim())
        .take_while(|line| !line.is_empty() && !is_error(line))
        .collect();
    let name = [&[suite], &names[..]].concat().join(" ");
    let message = within.iter().map(|(_, line)| line.trim()).find(|line| is_error(line)).unwrap_or_default();
    let code = name.trim_end_matches(':');
    Read::one(Parts { file, line, column, code, message, ..Parts::error() }.diagnostic(), at + 1)
}

fn is_error(line: &str) -> bool {
    captures!(line, r"^(?:Uncaught )?\w*(?:Error|Exception)\b.*").is_some()
}

/// What follows `  1) name`, up to the next one.
fn numbered(lines: Lines<'_>) -> Option<(&str, Vec<(usize, &str)>)> {
    let head = captures!(lines.first(), r"^\s+\d+\) (.+)$")?;
    let within = lines.after(PLACE_WITHIN).take_while(|(_, line)| captures!(line, r"^\s+\d+\) ").is_none());
    Some((group(&head, 1), within.collect()))
}

/// `  Failed Shop.Tests.Adds [12 ms]`, `Error Message:`, and `in /app/Tests.cs:line 12`.
pub(super) fn dotnet_test(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^\s+Failed (\S.*?) \[.+\]$")?;
    let (message_at, _) = lines.after(3).find(|(_, line)| line.trim() == "Error Message:")?;
    let place = lines
        .after(PLACE_WITHIN)
        .find_map(|(at, line)| Some((at, captures!(line, r" in (.+?):line (\d+)$")?)));
    let message = lines.get(message_at + 1);
    let (at, file, line) = match &place {
        Some((at, place)) => (*at, group(place, 1), group(place, 2)),
        None => (message_at + 1, "", ""),
    };
    Read::one(Parts { file, line, code: group(&head, 1), message, ..Parts::error() }.diagnostic(), at + 1)
}

/// `The following tests FAILED:` and `  1 - adds (Failed)`.
pub(super) fn ctest(lines: Lines<'_>) -> Option<Read> {
    (lines.first().trim() == "The following tests FAILED:").then_some(())?;
    let rows: Vec<Diagnostic> = lines
        .after(usize::MAX)
        .map_while(|(_, line)| captures!(line, r"^\s*\d+ - (.+) \(([^()]+)\)(?:\s.*)?$"))
        .map(|found| {
            Parts { code: group(&found, 1), message: group(&found, 2), ..Parts::error() }.diagnostic()
        })
        .collect();
    let lines = rows.len() + 1;
    Some(Read { diagnostics: rows, lines })
}

/// `--- FAIL: TestTotal (0.00s)` and `    order_test.go:12: got 4, want 5`.
pub(super) fn go_test(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^\s*--- FAIL: (\S+) \([\d.]+s\)$")?;
    let code = group(&head, 1);
    let indent = lines.first().len() - lines.first().trim_start().len();
    let mut diagnostics = Vec::new();
    let mut used = 1;
    for (at, line) in lines.after(PLACE_WITHIN) {
        // The tests inside a test have lines of their own.
        let is_deeper = line.len() - line.trim_start().len() > indent;
        if !is_deeper || line.trim_start().starts_with("--- ") {
            break;
        }
        used = at + 1;
        if let Some(found) = captures!(line, r"^\s+(\S+\.go):(\d+): (.*)$") {
            let (file, line, message) = (group(&found, 1), group(&found, 2), group(&found, 3));
            diagnostics.push(Parts { file, line, code, message, ..Parts::error() }.diagnostic());
        }
    }
    if diagnostics.is_empty() && !lines.get(used).trim_start().starts_with("--- FAIL") {
        diagnostics.push(Parts { code, message: "failed", ..Parts::error() }.diagnostic());
    }
    Some(Read { diagnostics, lines: used })
}

/// `OrderTest > adds() FAILED`, the exception, and `at OrderTest.java:12`.
pub(super) fn gradle_test(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^(\S.* > .+) FAILED$")?;
    let message = lines.get(1);
    let place = lines.after(20).take_while(|(_, line)| line.starts_with(' ')).find_map(|(at, line)| {
        Some((at, captures!(line, r"at (?:.*\()?(\w+\.(?:java|kt|groovy|scala)):(\d+)\)?$")?))
    });
    let (at, file, line) = match &place {
        Some((at, place)) => (*at, group(place, 1), group(place, 2)),
        None => (1, "", ""),
    };
    Read::one(Parts { file, line, code: group(&head, 1), message, ..Parts::error() }.diagnostic(), at + 1)
}
