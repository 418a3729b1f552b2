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
use crate::{ToolContext, ToolOutput};

const NAME: &str = "guide";

/// The names of such a file. The second counts where the first is not there.
const NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md"];
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
    if output.is_error || !call.tool_name.starts_with("file_") {
        return;
    }
    let asked = Path::new(call.args.get("path").and_then(Value::as_str).unwrap_or_default());
    let path = context.workspace.join(asked);
    let Ok(within) = path.strip_prefix(&context.workspace) else { return };
    let is_plain = within.components().all(|part| matches!(part, Component::Normal(_)));
    let folders = within.ancestors().skip(1).take(PARENTS_MAX);
    let folders: Vec<&Path> = folders.filter(|folder| !folder.as_os_str().is_empty()).collect();
    if !is_plain || folders.is_empty() {
        return;
    }
    let access = Access::new(NAME, context);
    for folder in folders.into_iter().rev() {
        let found = NAMES.iter().find_map(|name| Some((folder.join(name), text(&access, folder, name)?)));
        if let Some((guide, text)) = found.filter(|(guide, _)| context.guides.is_news(guide)) {
            put(output, &guide, &text);
        }
    }
}

/// What the file of this name in a folder says, if tools may read it.
fn text(access: &Access, folder: &Path, name: &str) -> Option<String> {
    let path = access.context.workspace.join(folder).join(name);
    let held = access.hold_at(name, &path).ok().filter(|held| held.real == path)?;
    let mut bytes = Vec::new();
    held.file().ok()?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A result that is an object gets a field more, one that is text is followed by more text.
fn put(output: &mut ToolOutput, guide: &Path, text: &str) {
    let says = format!("{} says about this folder:\n{text}", guide.display());
    if serde_json::from_str::<Value>(&output.for_model).is_ok_and(|told| told.is_object()) {
        output.add("instructions", json!(says));
    } else {
        output.for_model.push_str("\n\n");
        output.for_model.push_str(&says);
    }
}
