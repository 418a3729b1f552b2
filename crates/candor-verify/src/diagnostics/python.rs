//! Python itself, unittest, pytest, pyright.

use super::Read;
use super::text::{Lines, Parts, captures, group};
use crate::found::Diagnostic;

/// How long a traceback may be.
const TRACEBACK_LINES_MAX: usize = 400;
/// How far below its first message pytest names the place.
const PLACE_WITHIN: usize = 60;

/// `FAIL: test_total (test_app.Orders.test_total)` and its traceback.
pub(super) fn unit_test(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^(?:ERROR|FAIL): (\S+) \((.+?)\)(?: .*)?$")?;
    let (at, _) = lines.after(6).find(|(_, line)| line.starts_with("Traceback (most recent call last)"))?;
    let (mut diagnostic, used) = walk(lines, at)?;
    let (test, class) = (group(&head, 1), group(&head, 2));
    diagnostic.code = Some(if class.ends_with(test) { class.to_owned() } else { format!("{class}.{test}") });
    Read::one(diagnostic, used)
}

/// `Traceback (most recent call last):`, down to the exception.
pub(super) fn traceback(lines: Lines<'_>) -> Option<Read> {
    lines.first().trim_start().starts_with("Traceback (most recent call last)").then_some(())?;
    let (diagnostic, used) = walk(lines, 0)?;
    Read::one(diagnostic, used)
}

/// Reads the traceback that begins at `from`. The place is that of the innermost frame of the project's own.
fn walk(lines: Lines<'_>, from: usize) -> Option<(Diagnostic, usize)> {
    let (mut own, mut any) = (None, None);
    for (at, line) in lines.after(from + TRACEBACK_LINES_MAX).skip(from) {
        if let Some(frame) = captures!(line, r#"^\s+File "(.+?)", line (\d+)"#) {
            let frame = (group(&frame, 1), group(&frame, 2));
            if is_own(frame.0) {
                own = Some(frame);
            }
            any = Some(frame);
        } else if let Some(exception) = captures!(line, r"^\s*([A-Za-z_][\w.]*)(?:: (.*))?$")
            && !line.starts_with("    ")
        {
            let (file, number) = own.or(any)?;
            let code = group(&exception, 1).rsplit('.').next().unwrap_or_default();
            let parts = Parts { file, line: number, code, message: line.trim(), ..Parts::error() };
            return Some((parts.diagnostic(), at + 1));
        } else if !line.starts_with("  ") {
            return None;
        }
    }
    None
}

fn is_own(file: &str) -> bool {
    !["/lib/python", "site-packages", "dist-packages", "<frozen", "<string>"]
        .iter()
        .any(|part| file.contains(part))
}

/// `  File "x.py", line 1`, the line, a caret, and `SyntaxError: …`.
pub(super) fn syntax(lines: Lines<'_>) -> Option<Read> {
    let place = captures!(lines.first(), r#"^\s*(?:\*\*\* )?File "(.+?)", line (\d+)$"#)?;
    let (at, error) = lines.after(4).find_map(|(at, line)| {
        Some((at, captures!(line, r"^\s*((?:Syntax|Indentation|Tab)Error): (.+)$")?))
    })?;
    let (file, line) = (group(&place, 1), group(&place, 2));
    let parts = Parts { file, line, code: group(&error, 1), message: group(&error, 2), ..Parts::error() };
    Read::one(parts.diagnostic(), at + 1)
}

/// `E   assert 4 == 5` and, further down, `tests/test_app.py:4: AssertionError`.
pub(super) fn pytest_block(lines: Lines<'_>) -> Option<Read> {
    let message = captures!(lines.first(), r"^E {3,}(\S.*)$")?;
    let (at, place) = lines
        .after(PLACE_WITHIN)
        .take_while(|(_, line)| !line.starts_with("____"))
        .find_map(|(at, line)| Some((at, captures!(line, r"^(\S+\.py):(\d+): (\w[\w.]*)")?)))?;
    let parts = Parts {
        file: group(&place, 1),
        line: group(&place, 2),
        code: group(&place, 3),
        message: group(&message, 1),
        ..Parts::error()
    };
    Read::one(parts.diagnostic(), at + 1)
}

/// `FAILED tests/test_app.py::test_total - assert 4 == 5`.
pub(super) fn pytest_summary(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^(?:FAILED|ERROR) (\S+?\.py)(?:::(\S.*?))?(?: - (.*))?$")?;
    let message = match group(&found, 3) {
        "" => "failed",
        message => message,
    };
    let parts = Parts { file: group(&found, 1), code: group(&found, 2), message, ..Parts::error() };
    Read::one(parts.diagnostic(), 1)
}

/// Whether pytest's summary names a test whose failure was read above; then it gets its name.
pub(super) fn is_named_again(summary: &Diagnostic, found: &mut [Diagnostic]) -> bool {
    if summary.line.is_some() {
        return false;
    }
    let shown = summary.message.trim_end_matches("...");
    let same = found.iter_mut().find(|known| {
        let is_unnamed = known.code.as_deref().is_none_or(|code| !code.contains("test"));
        known.line.is_some() && is_unnamed && known.file == summary.file && known.message.starts_with(shown)
    });
    same.map(|known| known.code.clone_from(&summary.code)).is_some()
}

/// `  /app/x.py:3:5 - error: … (reportMissingImports)`.
pub(super) fn pyright(lines: Lines<'_>) -> Option<Read> {
    let found =
        captures!(lines.first(), r"^\s*(\S.*?):(\d+):(\d+) - (error|warning): (.*?)(?: \((report\w+)\))?$")?;
    // tsc has the same form with a code.
    if group(&found, 5).starts_with("TS") {
        return None;
    }
    let parts = Parts {
        file: group(&found, 1),
        line: group(&found, 2),
        column: group(&found, 3),
        severity: group(&found, 4),
        code: group(&found, 6),
        message: group(&found, 5),
    };
    Read::one(parts.diagnostic(), 1)
}
