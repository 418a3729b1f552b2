//! What a folder below the workspace says about working in it: its own `AGENTS.md`.
//!
//! The one of the workspace stands in the prompt. Those further down are told with the first result about a file below
//! them, the nearest last, as it counts most.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use candor_protocol::ToolCall;
use serde_json::{Value, json};

use crate::access::Access;
use crate::plain::words;
use crate::{ToolContext, ToolOutput};

const NAME: &str = "guide";

/// The names of such a file. The second counts where the first is not there.
const NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md"];
/// The tools that write files.
const WRITERS: &[&str] = &["file_write", "file_edit", "apply_patch"];
/// Folders of other people's files, which say nothing about the work.
const FOREIGN: &[&str] =
    &["node_modules", "vendor", "target", "dist", "build", ".venv", "venv", "site-packages", ".git"];
/// How much of one is told.
const BYTES_MAX: u64 = 16 * 1024;
/// How many folders are gone up.
const PARENTS_MAX: usize = 32;

/// Which of them a session was told.
#[derive(Debug, Default)]
pub struct Guides {
    /// A plain lock: it is held for a look.
    told: Mutex<BTreeSet<PathBuf>>,
}

impl Guides {
    fn is_news(&self, path: &Path) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned())
    }
}

/// Tells with a result what the folders of its files say, unless the session knows.
pub(crate) fn tell(call: &ToolCall, output: &mut ToolOutput, context: &ToolContext) {
    let is_text = call.tool_name == "file_read";
    if output.is_error || !is_text && !WRITERS.contains(&call.tool_name.as_str()) {
        return;
    }
    let read = call.args.get("path").and_then(Value::as_str).map(|path| context.workspace.join(path));
    let changed = output.changes.iter().map(|change| PathBuf::from(&change.path));
    let said: Vec<String> = read.into_iter().chain(changed).flat_map(|path| above(&path, context)).collect();
    if said.is_empty() {
        return;
    }
    let said = said.join("\n\n");
    // What was read is a text; every other result is an object.
    if is_text {
        output.for_model.push_str("\n\n");
        output.for_model.push_str(&said);
    } else {
        output.add("instructions", json!(said));
    }
}

/// What the folders above a file say that is news, the nearest last.
fn above(path: &Path, context: &ToolContext) -> Vec<String> {
    let Ok(within) = path.strip_prefix(&context.workspace) else { return Vec::new() };
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !FOREIGN.iter().any(|foreign| name == *foreign),
        _ => false,
    };
    let folders = within.ancestors().skip(1).take(PARENTS_MAX);
    let folders: Vec<&Path> = folders.filter(|folder| !folder.as_os_str().is_empty()).collect();
    if folders.is_empty() || !within.components().all(is_plain) {
        return Vec::new();
    }
    let access = Access::new(NAME, context);
    let mut said = Vec::new();
    for folder in folders.into_iter().rev() {
        let found = NAMES.iter().find_map(|name| Some((folder.join(name), text(&access, folder, name)?)));
        if let Some((guide, text)) = found.filter(|(guide, _)| context.guides.is_news(guide)) {
            said.push(format!("{} says about its folder:\n{text}", guide.display()));
        }
    }
    said
}

/// What the file of this name in a folder says, if tools may read it.
fn text(access: &Access, folder: &Path, name: &str) -> Option<String> {
    let path = access.context.workspace.join(folder).join(name);
    let held = access.hold_at(name, &path).ok().filter(|held| held.real() == path)?;
    let mut bytes = Vec::new();
    held.file().ok()?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    words(&bytes)
}
