//! The binary's `main.rs` is a table of contents: it knows the top-level modules and nothing inside them.

use crate::tidy::rust_text::RustText;
use crate::tidy::{Finding, Tree};

const ENTRY_POINT: &str = "crates/candor/src/main.rs";

/// How deep an import of our own may reach: `crate::module::Item`.
const DEPTH_MAX: usize = 3;

/// Finds imports that reach past a top-level module.
pub fn entry_point(tree: &Tree) -> Vec<Finding> {
    let Some(source) = tree.text(ENTRY_POINT) else {
        return vec![Finding::problem(ENTRY_POINT, 1, "the entry point is not there")];
    };
    let code = RustText::split(source).code;
    let mut findings = Vec::new();
    let mut start = 0;
    for (index, line) in code.split_inclusive('\n').enumerate() {
        if let Some(path) = import_path(&code[start..])
            && reaches_inside(path)
        {
            let shown = path.split_whitespace().collect::<Vec<_>>().join(" ");
            let message = format!("`{shown}` reaches past a top-level module; let that module offer it");
            findings.push(Finding::problem(ENTRY_POINT, index + 1, message));
        }
        start += line.len();
    }
    findings
}

/// The path of the import that begins on the first line of `code`, up to its semicolon lines below.
fn import_path(code: &str) -> Option<&str> {
    let code = code.trim_start_matches([' ', '\t']);
    let code = code.strip_prefix("pub ").unwrap_or(code);
    code.strip_prefix("use ")?.split(';').next().map(str::trim)
}

/// Braces open another level, so `crate::a::{b, c::d}` reaches inside and `crate::a::{b, c}` does not.
fn reaches_inside(path: &str) -> bool {
    let own = ["crate::", "self::", "super::", "candor::"].iter().any(|own| path.starts_with(own));
    own && deepest(path) > DEPTH_MAX
}

fn deepest(path: &str) -> usize {
    let (mut depth, mut deepest) = (1, 1);
    let mut opened = Vec::new();
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("::") {
            depth += 1;
            rest = after;
            deepest = deepest.max(depth);
            continue;
        }
        match c {
            '{' => opened.push(depth),
            ',' => depth = opened.last().copied().unwrap_or(1),
            '}' => depth = opened.pop().unwrap_or(1),
            _ => {}
        }
        rest = &rest[c.len_utf8()..];
    }
    deepest
}
