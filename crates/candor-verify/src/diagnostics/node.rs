//! Node, its test runner, Jest, Vitest, eslint, Deno.

use super::Read;
use super::text::{Lines, Parts, captures, group};
use crate::found::Diagnostic;

/// How far below its name the place of a failed test stands.
const PLACE_WITHIN: usize = 80;

/// A frame of a stack of the project's own: its file, line and column.
pub(super) fn own_frame(line: &str) -> Option<(&str, &str, &str)> {
    let found = captures!(line, r"^\s*(?:at |❯ ).*?\(?((?:file://)?[^\s()]+?):(\d+):(\d+)\)?(?: \{)?$")?;
    let file = group(&found, 1);
    let is_own = !file.contains("node_modules") && !file.starts_with("node:") && !file.starts_with("ext:");
    is_own.then(|| (group(&found, 1), group(&found, 2), group(&found, 3)))
}

/// `not ok 1 - adds` with its details, of the test runner or of any other that speaks TAP.
pub(super) fn tap(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^(\s*)not ok \d+(?: -)? (.+?)(?: # (?i:todo|skip).*)?$")?;
    if captures!(lines.first(), r"# (?i:todo|skip)").is_some() {
        return Read::none(1);
    }
    let mut parts = Parts { code: group(&head, 2), message: "failed", ..Parts::error() };
    let mut used = 1;
    let mut is_error = false;
    for (at, line) in lines.after(PLACE_WITHIN) {
        let text = line.trim();
        if text == "..." || at == 1 && text != "---" {
            break;
        }
        used = at + 1;
        if let Some(place) = captures!(line, r"^\s*location: '(.+):(\d+):(\d+)'$") {
            (parts.file, parts.line, parts.column) = (group(&place, 1), group(&place, 2), group(&place, 3));
        } else if text == "failureType: 'subtestsFailed'" {
            // The failures inside have been read already.
            return Read::none(used);
        } else if let Some(error) = text.strip_prefix("error: ") {
            is_error = error.starts_with('|');
            parts.message = if is_error { parts.message } else { error.trim_matches('\'') };
        } else if is_error && !text.is_empty() {
            parts.message = text;
            is_error = false;
        }
    }
    Read::one(parts.diagnostic(), used)
}

/// `test at a.test.js:2:1`, `✖ adds (1.2ms)`, and the error.
pub(super) fn spec(lines: Lines<'_>) -> Option<Read> {
    let place = captures!(lines.first(), r"^\s*test at (.+?):(\d+):(\d+)$")?;
    let name = captures!(lines.get(1), r"^\s*✖ (.+?)(?: \([\d.]+m?s\))?$")?;
    let message = lines.get(2).trim();
    let (file, line, column) = (group(&place, 1), group(&place, 2), group(&place, 3));
    let parts = Parts { file, line, column, code: group(&name, 1), message, ..Parts::error() };
    Read::one(parts.diagnostic(), 3)
}

/// `● suite › adds`, the message, and a stack.
pub(super) fn jest(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^\s*● (.+)$")?;
    block(lines, group(&head, 1), "", |line| line.trim_start().starts_with("● "))
}

/// `FAIL  src/a.test.ts > adds`, the message, and `❯ src/a.test.ts:5:17`.
pub(super) fn vitest(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^\s*FAIL\s+(?:\|.*?\|\s+)?(\S+) > (.+)$")?;
    block(lines, group(&head, 2), group(&head, 1), |line| line.trim_start().starts_with("FAIL "))
}

/// The first line of a message and the first frame of the project's own below it.
fn block(lines: Lines<'_>, name: &str, file: &str, is_next: fn(&str) -> bool) -> Option<Read> {
    let within = || lines.after(PLACE_WITHIN).take_while(|(_, line)| !is_next(line));
    let (_, message) = within().find(|(_, line)| !line.trim().is_empty())?;
    let frame = within().find_map(|(at, line)| Some((at, own_frame(line)?)));
    let (at, (file, line, column)) = frame.unwrap_or((1, (file, "", "")));
    let parts = Parts { file, line, column, code: name, message, ..Parts::error() };
    Read::one(parts.diagnostic(), at + 1)
}

/// `adds => ./a_test.ts:3:6` and `error: AssertionError: …`.
pub(super) fn deno_test(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^(\S.*?) => (\S+?):(\d+):(\d+)$")?;
    let message = captures!(lines.get(1), r"^error: (.+)$")?;
    let parts = Parts {
        file: group(&head, 2),
        line: group(&head, 3),
        column: group(&head, 4),
        code: group(&head, 1),
        message: group(&message, 1),
        ..Parts::error()
    };
    Read::one(parts.diagnostic(), 2)
}

/// `TS2322 [ERROR]: …` and `    at file:///app/x.ts:1:5`.
pub(super) fn deno_check(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^(?:error: )?(TS\d+) \[(ERROR|WARNING)\]: (.+)$")?;
    let (at, (file, line, column)) = lines.after(8).find_map(|(at, line)| Some((at, own_frame(line)?)))?;
    let (severity, code, message) = (group(&head, 2), group(&head, 1), group(&head, 3));
    Read::one(Parts { file, line, column, severity, code, message }.diagnostic(), at + 1)
}

/// A file, and below it `  3:7  error  'x' is not defined  no-undef`.
pub(super) fn eslint(lines: Lines<'_>) -> Option<Read> {
    let file = lines.first();
    if file.starts_with([' ', '\t']) || !file.contains(['/', '\\', '.']) {
        return None;
    }
    let row = |line| captures!(line, r"^\s+(\d+):(\d+)\s+(error|warning)\s+(.*?)(?:\s{2,}(\S+))?\s*$");
    let rows: Vec<Diagnostic> = lines
        .after(usize::MAX)
        .map_while(|(_, line)| row(line))
        .map(|found| {
            let [line, column, severity, message, code] = [1, 2, 3, 4, 5].map(|number| group(&found, number));
            Parts { file, line, column, severity, code, message }.diagnostic()
        })
        .collect();
    let lines = rows.len() + 1;
    (!rows.is_empty()).then_some(Read { diagnostics: rows, lines })
}

/// `/app/x.js:3:7: 'x' is not defined. [Error/no-undef]`.
pub(super) fn eslint_unix(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^(.+?):(\d+):(\d+): (.+) \[(Error|Warning)(?:/(.+))?\]$")?;
    let [file, line, column, message, severity, code] =
        [1, 2, 3, 4, 5, 6].map(|number| group(&found, number));
    Read::one(Parts { file, line, column, severity, code, message }.diagnostic(), 1)
}

/// `/app/x.js:1`, the line, a caret, and `SyntaxError: …`, as Node ends.
pub(super) fn thrown(lines: Lines<'_>) -> Option<Read> {
    let place = captures!(lines.first(), r"^((?:file://)?/[^:]+|[\w./-]+\.[cm]?[jt]sx?):(\d+)$")?;
    lines.after(3).find(|(_, line)| line.trim_start().starts_with('^'))?;
    let (at, error) = lines.after(8).find_map(|(at, line)| {
        Some((at, captures!(line, r"^(?:Uncaught )?(\w*(?:Error|Exception))(?: \[\w+\])?: (.+)$")?))
    })?;
    let (file, line) = (group(&place, 1), group(&place, 2));
    let parts = Parts { file, line, code: group(&error, 1), message: group(&error, 2), ..Parts::error() };
    Read::one(parts.diagnostic(), at + 1)
}
