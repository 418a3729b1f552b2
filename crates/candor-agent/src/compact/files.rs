//! Which files a conversation was about.

use std::collections::{BTreeSet, HashSet};

use candor_protocol::{Message, Part, Role};

use super::Old;

/// The most files in each list, where a level of shortening does not say less: more would crowd out what was done with
/// them.
pub(super) const FILES_MAX: usize = 200;
/// A longer path is not taken: it names no file on any machine that we know of, and the lists are sent with each request.
const PATH_BYTES_MAX: usize = 1_024;

/// Files that were read, and files that were changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Files {
    pub(super) read: Vec<String>,
    pub(super) modified: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Touch {
    Reads,
    Modifies,
}

/// How long a list may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) count_max: usize,
    pub(super) bytes_max: usize,
}

struct List {
    paths: BTreeSet<String>,
    left: Bounds,
}

impl List {
    fn new(left: Bounds) -> Self {
        Self { paths: BTreeSet::new(), left }
    }

    /// Takes a path, while there is room.
    fn add(&mut self, path: String) {
        let Bounds { count_max, bytes_max } = self.left;
        if count_max > 0 && path.len() < bytes_max {
            let bytes = path.len() + 1;
            if self.paths.insert(path) {
                self.left = Bounds { count_max: count_max - 1, bytes_max: bytes_max - bytes };
            }
        }
    }
}

/// The files of these messages and of all summaries before. The newest are kept where there are too many.
pub(super) fn files(old: Old<'_>, bounds: Bounds) -> Files {
    let (mut read, mut modified) = (List::new(bounds), List::new(bounds));
    // Most calls are about few files: each is looked at once.
    let mut known = HashSet::new();
    // Going back, results come before their calls. A call that failed touched nothing.
    let mut failed: Vec<&str> = Vec::new();
    for message in old.unsummarised().iter().rev() {
        failed.extend(message.parts.iter().filter_map(failure));
        for (path, touch) in touched(message, &failed) {
            let files = match touch {
                Touch::Reads => &mut read,
                Touch::Modifies => &mut modified,
            };
            if known.insert((path, touch)) {
                files.add(normal(path));
            }
        }
        if message.role == Role::Assistant {
            failed.clear();
        }
    }
    if let Some(summary) = old.summary {
        summary.modified_files.iter().for_each(|path| modified.add(path.clone()));
        summary.read_files.iter().for_each(|path| read.add(path.clone()));
    }
    let modified = modified.paths;
    let read = read.paths.into_iter().filter(|path| !modified.contains(path)).collect();
    Files { read, modified: modified.into_iter().collect() }
}

fn failure(part: &Part) -> Option<&str> {
    match part {
        Part::ToolResult(result) if result.is_error => Some(&result.call_id),
        _ => None,
    }
}

fn touched<'a>(message: &'a Message, failed: &[&str]) -> impl Iterator<Item = (&'a str, Touch)> {
    message.calls().filter_map(|call| {
        let touch = touch(&call.tool_name).filter(|_| !failed.contains(&call.call_id.as_str()))?;
        let path = call.args.get("path")?.as_str()?;
        (!path.is_empty() && path.len() <= PATH_BYTES_MAX).then_some((path, touch))
    })
}

/// What a tool does with the file at its `path`, by the names that such tools go by.
fn touch(tool: &str) -> Option<Touch> {
    match tool {
        "file_read" | "read" | "read_file" => Some(Touch::Reads),
        "file_write" | "write" | "write_file" | "file_edit" | "edit" | "edit_file" => Some(Touch::Modifies),
        _ => None,
    }
}

/// The path as it was given, without steps that lead nowhere. `..` stays: what it means depends on links. A line break
/// would look like two files.
fn normal(path: &str) -> String {
    let root = if path.starts_with('/') { "/" } else { "" };
    let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty() && *step != ".").collect();
    format!("{root}{}", steps.join("/")).replace(['\n', '\r'], " ")
}
