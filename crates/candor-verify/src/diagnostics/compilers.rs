//! Compilers, type checkers and linters that need one line, or little more.

use super::Read;
use super::text::{Lines, Parts, captures, group};

/// `src/x.ts(1,2): error TS2322: …`, `Program.cs(3,5): error CS0103: … [/app/App.csproj]`.
pub(super) fn with_parentheses(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(
        lines.first(),
        r"^\s*(\S.*?)\((\d+)(?:,(\d+))?(?:,\d+,\d+)?\)\s?: (error|warning) ?([A-Z]+\d+)?: (.*?)(?: \[[^\[\]]+proj[^\[\]]*\])?$"
    )?;
    let [file, line, column, severity, code, message] =
        [1, 2, 3, 4, 5, 6].map(|number| group(&found, number));
    Read::one(Parts { file, line, column, severity, code, message }.diagnostic(), 1)
}

/// `src/x.ts:1:2 - error TS2322: …`.
pub(super) fn with_dash(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^(\S.*?):(\d+):(\d+) - (error|warning) (TS\d+): (.*)$")?;
    let [file, line, column, severity, code, message] =
        [1, 2, 3, 4, 5, 6].map(|number| group(&found, number));
    Read::one(Parts { file, line, column, severity, code, message }.diagnostic(), 1)
}

/// flake8 and ruff: ``a.py:1:8: F401 `os` imported but unused``.
pub(super) fn lint_code(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^(\S.*?):(\d+):(\d+): ([A-Z]{1,4}\d{1,4}) (?:\[\*\] )?(.+)$")?;
    let [file, line, column, code, message] = [1, 2, 3, 4, 5].map(|number| group(&found, number));
    Read::one(Parts { file, line, column, code, message, ..Parts::error() }.diagnostic(), 1)
}

/// ``F401 [*] `os` imported but unused`` and `  --> a.py:1:8`.
pub(super) fn ruff(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^([A-Z]{1,4}\d{2,4}|invalid-syntax:) (?:\[\*\] )?(.+)$")?;
    let place = captures!(lines.get(1), r"^\s*--> (.+?):(\d+):(\d+)$")?;
    let [file, line, column] = [1, 2, 3].map(|number| group(&place, number));
    let (code, message) = (group(&head, 1).trim_end_matches(':'), group(&head, 2));
    Read::one(Parts { file, line, column, code, message, ..Parts::error() }.diagnostic(), 2)
}

/// `    error: undefined variable "x"` and `    └─ lib/app.ex:3:5: App.run/0`.
pub(super) fn mix(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^\s*(error|warning): (.+)$")?;
    let (at, place) = lines
        .after(12)
        .take_while(|(_, line)| !line.trim().is_empty())
        .find_map(|(at, line)| Some((at, captures!(line, r"^\s*└─ (.+?):(\d+)(?::(\d+))?(?:: .*)?$")?)))?;
    let [file, line, column] = [1, 2, 3].map(|number| group(&place, number));
    let (severity, message) = (group(&head, 1), group(&head, 2));
    Read::one(Parts { file, line, column, severity, code: "", message }.diagnostic(), at + 1)
}

/// `In a.sh line 3:`, the line, and `     ^-- SC2086 (info): …`.
pub(super) fn shellcheck(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(lines.first(), r"^In (.+) line (\d+):$")?;
    let rows: Vec<_> = lines
        .after(10)
        .take_while(|(_, line)| !line.trim().is_empty())
        .filter_map(|(_, line)| captures!(line, r"\^-*\^? ?-- (SC\d+)(?: \((\w+)\))?: (.*)$"))
        .map(|found| {
            let severity = if group(&found, 2) == "error" { "error" } else { "warning" };
            let (file, line) = (group(&head, 1), group(&head, 2));
            let (code, message) = (group(&found, 1), group(&found, 3));
            Parts { file, line, column: "", severity, code, message }.diagnostic()
        })
        .collect();
    let lines = rows.len() + 2;
    (!rows.is_empty()).then_some(Read { diagnostics: rows, lines })
}

/// `a.c:4:13: warning: … [-Wint-conversion]`: gcc, clang, javac, swiftc, kotlinc, mypy.
pub(super) fn general(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(
        lines.first(),
        r"^(\S[^:]*?):(\d+)(?::(\d+))?:(?:\d+:)? ((?:fatal |internal compiler )?error|warning)(?: ([A-Z]+\d+))?: (.*?)(?:\s+\[(-W[\w+=-]+|[a-z][a-z-]+|SC\d+)\])?$"
    )?;
    let [file, line, column, severity, code, message, flag] =
        [1, 2, 3, 4, 5, 6, 7].map(|number| group(&found, number));
    let code = if code.is_empty() { flag } else { code };
    Read::one(Parts { file, line, column, severity, code, message }.diagnostic(), 1)
}

/// `./main.go:3:2: undefined: x`, `vet: ./main.go:3:2: …`.
pub(super) fn go(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^(?:vet: |\s+)?(\S+?\.go):(\d+)(?::(\d+))?: (.+)$")?;
    let [file, line, column, message] = [1, 2, 3, 4].map(|number| group(&found, number));
    Read::one(Parts { file, line, column, message, ..Parts::error() }.diagnostic(), 1)
}
