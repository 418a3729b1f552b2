//! What the ecosystem calls our tools and their arguments: scripts that were written for others are to work unchanged.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// Our tools, and what others call them; the first is what hooks are told. A patch may do what each of several does, and a
/// process is a command that goes on.
const TOOLS: &[(&str, &[&str])] = &[
    ("shell_exec", &["Bash"]),
    ("process", &["Bash"]),
    ("file_read", &["Read"]),
    ("file_write", &["Write"]),
    ("file_edit", &["Edit", "MultiEdit"]),
    ("apply_patch", &["Edit", "MultiEdit", "Write"]),
    ("find", &["Glob"]),
    ("search", &["Grep"]),
    ("list", &["LS"]),
    ("web_fetch", &["WebFetch"]),
    ("web_search", &["WebSearch"]),
    ("todo", &["TodoWrite"]),
    ("delegate", &["Task", "Agent"]),
];

/// The tools whose `path` is a file, which others call `file_path`.
const OF_FILES: &[&str] = &["file_read", "file_write", "file_edit"];
/// What we add to arguments.
const ADDED: &[&str] = &["file_path", "old_string", "new_string"];

/// All names of a tool: its own last.
pub(super) fn of_tool(ours: &str) -> Vec<&str> {
    let theirs = TOOLS.iter().find(|(name, _)| *name == ours).map_or(&[] as &[&str], |(_, theirs)| theirs);
    theirs.iter().copied().chain([ours]).collect()
}

/// The arguments of a call as others would write them. `file`: the file that it writes, of several one.
pub(super) fn theirs(tool: &str, args: &Value, file: Option<PathBuf>) -> Value {
    let mut given = args.clone();
    let Some(object) = given.as_object_mut() else { return given };
    if let Some(file) = file.filter(|_| OF_FILES.contains(&tool) || tool == "apply_patch") {
        object.entry("file_path").or_insert_with(|| json!(file));
    }
    if tool == "file_edit"
        && let Some((old, new)) = only_edit(object)
    {
        object.entry("old_string").or_insert(old);
        object.entry("new_string").or_insert(new);
    }
    given
}

/// The path of a call that is about a file.
pub(super) fn path<'a>(tool: &str, args: &'a Value) -> Option<&'a str> {
    OF_FILES.contains(&tool).then(|| args.get("path").and_then(Value::as_str)).flatten()
}

/// What a hook made of such arguments, as we write them.
pub(super) fn ours(args: &Value, given: &Value, updated: Value) -> Value {
    let Value::Object(mut updated) = updated else { return updated };
    let mut changed = Map::new();
    for name in ADDED {
        if args.get(*name).is_some() {
            continue;
        }
        if let Some(value) = updated.remove(*name)
            && given.get(*name) != Some(&value)
        {
            changed.insert((*name).to_owned(), value);
        }
    }
    if let Some(path) = changed.remove("file_path") {
        updated.insert("path".to_owned(), path);
    }
    if !changed.is_empty() {
        let piece = |name: &str| changed.get(name).or_else(|| given.get(name)).cloned().unwrap_or_default();
        updated
            .insert("edits".to_owned(), json!([{ "old": piece("old_string"), "new": piece("new_string") }]));
    }
    Value::Object(updated)
}

fn only_edit(args: &Map<String, Value>) -> Option<(Value, Value)> {
    let piece = match args.get("edits").and_then(Value::as_array).map(Vec::as_slice) {
        Some([piece]) => piece.as_object()?,
        Some(_) => return None,
        None => args,
    };
    let of = |names: &[&str]| names.iter().find_map(|name| piece.get(*name)).cloned();
    Some((of(&["old", "old_text"])?, of(&["new", "new_text"])?))
}
