//! Languages that say what is wrong with a script in one line.

use super::Read;
use super::text::{Lines, Parts, captures, group};

/// `PHP Parse error:  syntax error, … in /app/x.php on line 3`.
pub(super) fn php(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(
        lines.first(),
        r"^(?:PHP )?((?:Parse|Fatal) error|Warning|Deprecated): +(.*?) in (\S.*?) on line (\d+)$"
    )?;
    let [severity, message, file, line] = [1, 2, 3, 4].map(|number| group(&found, number));
    let severity = if severity == "Deprecated" { "warning" } else { severity };
    Read::one(Parts { file, line, column: "", severity, code: "", message }.diagnostic(), 1)
}

/// `app.rb:3: syntax error, unexpected end-of-input`, `app.rb:3:in 'load': undefined method (NoMethodError)`.
pub(super) fn ruby(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(
        lines.first(),
        r"^(?:ruby: )?(\S[^:]*\.rb|-e):(\d+):(?:in [`'].*?':)? (warning: )?(.+?)(?: \((\w[\w:]*)\))?$"
    )?;
    let [file, line, warning, message, code] = [1, 2, 3, 4, 5].map(|number| group(&found, number));
    let severity = if warning.is_empty() { "error" } else { "warning" };
    Read::one(Parts { file, line, column: "", severity, code, message }.diagnostic(), 1)
}

/// `** (CompileError) lib/app.ex:3: undefined function x/0`.
pub(super) fn elixir(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^\*\* \((\w[\w.]*)\) (\S+\.exs?):(\d+)(?::(\d+))?: (.+)$")?;
    let [code, file, line, column, message] = [1, 2, 3, 4, 5].map(|number| group(&found, number));
    Read::one(Parts { file, line, column, code, message, ..Parts::error() }.diagnostic(), 1)
}

/// `a.sh: line 3: syntax error: unexpected end of file`, `a.sh: 3: Syntax error: …`.
pub(super) fn shell(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^([^\s:]+): line (\d+): (.+)$").or_else(|| {
        captures!(
            lines.first(),
            r"^([^\s:]+): (\d+): (Syntax error: .+|.+: not found|.+: parameter not set)$"
        )
    })?;
    let [file, line, message] = [1, 2, 3].map(|number| group(&found, number));
    // The line that bash shows below its complaint has the same form: ``a.sh: line 3: `fi'``.
    if message.starts_with('`') {
        return Read::none(1);
    }
    Read::one(Parts { file, line, message, ..Parts::error() }.diagnostic(), 1)
}

/// `syntax error at a.pl line 2, near "= ;"`.
pub(super) fn perl(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^(.+?) at (\S+\.(?:pl|pm|t|cgi|psgi)) line (\d+)(, .*)?\.?$")?;
    let [what, file, line, near] = [1, 2, 3, 4].map(|number| group(&found, number));
    if what.starts_with("BEGIN failed--") {
        return Read::none(1);
    }
    let message = format!("{what}{near}");
    let severity = if what.starts_with("Use of uninitialized") { "warning" } else { "error" };
    Read::one(Parts { file, line, column: "", severity, code: "", message: &message }.diagnostic(), 1)
}
