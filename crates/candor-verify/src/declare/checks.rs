//! Checks, as they are declared.

use super::declared_in;
use super::names::{Named, shortened};
use super::reader::{Read, Reader};
use super::words::is_variable;
use super::yaml::Node;
use crate::plan::{Check, CheckKind};

const KEYS: &[&str] = &["name", "run", "kind", "cwd", "env", "timeout", "needs"];

const KINDS: &[(&str, CheckKind)] = &[
    ("build", CheckKind::Build),
    ("test", CheckKind::Test),
    ("lint", CheckKind::Lint),
    ("types", CheckKind::Types),
    ("syntax", CheckKind::Syntax),
    ("custom", CheckKind::Custom),
    ("install", CheckKind::Install),
];

/// Reads one check. What says what is run must be right, or it is not run; for the rest there is a default.
pub(super) fn check(reader: &mut Reader<'_>, node: &Node) -> Read<Named<Check>> {
    let fields = reader.fields(node, "a check", KEYS)?;
    let kind = reader.optional(&fields, "kind", |reader, node| reader.word(node, KINDS));
    let kind = kind.unwrap_or_default().unwrap_or(CheckKind::Custom);
    let name = reader.optional(&fields, "name", Reader::name).unwrap_or_default();
    let timeout = reader.optional(&fields, "timeout", Reader::timeout).unwrap_or_default();
    let needs = reader.optional(&fields, "needs", programs).unwrap_or_default();
    let cwd = reader.optional(&fields, "cwd", Reader::folder);
    let env = reader.optional(&fields, "env", variables);
    let why = "a check needs \"run\": the command, as in run: \"pytest -q\"";
    let run = reader.required(&fields, "run", why, Reader::command)?;
    let made_up = || if kind == CheckKind::Custom { shortened(&run) } else { kind.to_string() };
    let given_at = name.as_ref().and_then(|_| fields.entry("name")).map(|entry| entry.node.place);
    let item = Check {
        name: name.unwrap_or_else(made_up),
        kind,
        cwd: cwd?.unwrap_or_default(),
        env: env?.unwrap_or_default(),
        timeout,
        needs: needs.unwrap_or_default(),
        needs_files: Vec::new(),
        source: declared_in(reader.file, node.place),
        run,
    };
    Ok(Named { item, given_at })
}

/// Variables and their values.
pub(super) fn variables(reader: &mut Reader<'_>, node: &Node) -> Read<Vec<(String, String)>> {
    reader.pairs(node, "variables", is_variable)
}

/// The names of programs.
pub(super) fn programs(reader: &mut Reader<'_>, node: &Node) -> Read<Vec<String>> {
    reader.each(node, "programs", |reader, node| match reader.text(node)? {
        text if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) => {
            reader.expected("the name of a program", node)
        }
        text => Ok(text),
    })
}
