//! Build tools and linkers.

use super::Read;
use super::text::{Lines, Parts, captures, group};

/// `[ERROR] /app/src/A.java:[3,5] cannot find symbol`.
pub(super) fn maven(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^\[(ERROR|WARNING)\] (.+?):\[(\d+),(\d+)\] (.*)$")?;
    let [severity, file, line, column, message] = [1, 2, 3, 4, 5].map(|number| group(&found, number));
    Read::one(Parts { file, line, column, severity, code: "", message }.diagnostic(), 1)
}

/// `[ERROR]   OrderTest.adds:12 expected: <5> but was: <4>`.
pub(super) fn maven_test(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(lines.first(), r"^\[ERROR\]\s+(\w+)\.(\w+):(\d+)(?:->\S+)? (.+)$")?;
    let class = group(&found, 1);
    let parts = Parts {
        file: &format!("{class}.java"),
        line: group(&found, 3),
        code: &format!("{class}.{}", group(&found, 2)),
        message: group(&found, 4),
        ..Parts::error()
    };
    Read::one(parts.diagnostic(), 1)
}

/// `e: file:///app/A.kt:3:5 Unresolved reference: x`, `e: /app/A.kt: (3, 5): …`.
pub(super) fn kotlin(lines: Lines<'_>) -> Option<Read> {
    let found =
        captures!(lines.first(), r"^([ew]): (?:file://)?(\S.*?\.kts?):\s?\(?(\d+)[:,] ?(\d+)\)?:? (.*)$")?;
    let [letter, file, line, column, message] = [1, 2, 3, 4, 5].map(|number| group(&found, number));
    let severity = if letter == "w" { "warning" } else { "error" };
    Read::one(Parts { file, line, column, severity, code: "", message }.diagnostic(), 1)
}

/// `CMake Error at CMakeLists.txt:3 (add_executable):` and its message below.
pub(super) fn cmake(lines: Lines<'_>) -> Option<Read> {
    let head = captures!(
        lines.first(),
        r"^CMake (Error|Warning)(?: \(dev\))?(?: at (.+?):(\d+)(?: \((.+)\))?)?:(.*)$"
    )?;
    let below: Vec<&str> = lines
        .after(12)
        .map(|(_, line)| line)
        .skip_while(|line| line.is_empty())
        .take_while(|line| line.starts_with("  "))
        .map(str::trim)
        .collect();
    let message = if below.is_empty() { group(&head, 5).to_owned() } else { below.join(" ") };
    let (file, line, code) = (group(&head, 2), group(&head, 3), group(&head, 4));
    let parts = Parts { file, line, column: "", severity: group(&head, 1), code, message: &message };
    Read::one(parts.diagnostic(), below.len() + 1)
}

/// `Makefile:2: *** missing separator.  Stop.`, `make: *** [Makefile:2: all] Error 1`.
pub(super) fn make(lines: Lines<'_>) -> Option<Read> {
    if let Some(found) = captures!(lines.first(), r"^([^\s:]+):(\d+): \*\*\* (.+?)(?:\.?\s+Stop\.)?$") {
        let (file, line, message) = (group(&found, 1), group(&found, 2), group(&found, 3));
        return Read::one(Parts { file, line, message, ..Parts::error() }.diagnostic(), 1);
    }
    if let Some(found) = captures!(lines.first(), r"^g?make(?:\[\d+\])?: \*\*\* \[(.+?):(\d+): (.+?)\] (.+)$")
    {
        let message = format!("{}: {}", group(&found, 3), group(&found, 4));
        let (file, line) = (group(&found, 1), group(&found, 2));
        return Read::one(Parts { file, line, message: &message, ..Parts::error() }.diagnostic(), 1);
    }
    let found = captures!(
        lines.first(),
        r"^g?make(?:\[\d+\])?: \*\*\* (No rule to make target .+?)(?:\.\s+Stop\.)?$"
    )?;
    Read::one(Parts { file: "Makefile", message: group(&found, 1), ..Parts::error() }.diagnostic(), 1)
}

/// ``b.c:(.text+0x5): undefined reference to `helper'``.
pub(super) fn linker(lines: Lines<'_>) -> Option<Read> {
    let found = captures!(
        lines.first(),
        r"^(?:\S*ld(?:\.\w+)?: )?(\S+?):(?:(\d+):|\(\.[^)]*\):) ((?:undefined reference|multiple definition) .*)$"
    )?;
    let (file, line, message) = (group(&found, 1), group(&found, 2), group(&found, 3));
    Read::one(Parts { file, line, message, ..Parts::error() }.diagnostic(), 1)
}
