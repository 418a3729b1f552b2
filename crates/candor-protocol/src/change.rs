//! A file that a tool changed.
//!
//! What stands at a path has a name. That of a file is the SHA-256 of its content, with `:` and its mode in octal digits
//! where `after` knows it; that of a symbolic link is `link:` and the same of its text; `pipe`, `socket` and `device` hold
//! nothing.

use serde::{Deserialize, Serialize};

/// A file that a tool changed, with what it takes to undo that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The file: its whole path on the host, without any link.
    pub path: String,
    /// The name of what stood there before. Nothing: it was not there, or was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The name of what stands there since; it need not be kept. Nothing: it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The mode of the file that was there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// How many of the folders right above it were made for it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folders: u32,
    /// Whether it can be undone: either nothing was there before, or what was there has been kept.
    pub kept: bool,
    /// Why it is left as it is when everything else is undone: it is no file of which a content could be kept, such as a
    /// repository, or a whole folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
}

impl Change {
    /// Something that was changed, or may have been, and is left as it is by whoever undoes changes.
    pub fn left(path: impl Into<String>, why: impl Into<String>) -> Self {
        let path = path.into();
        Self { path, before: None, after: None, mode: None, folders: 0, kept: false, left: Some(why.into()) }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(folders: &u32) -> bool {
    *folders == 0
}
