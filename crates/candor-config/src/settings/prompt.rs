//! The hand-written layers of the system prompt.

use crate::types::HomePath;

section! {
    /// The hand-written layers of the system prompt.
    pub struct SystemPrompt {
        /// The identity as text. It wins over `identity_file`; the empty text sends no system message at all.
        identity: Option<String> = None;
        /// The file that holds the identity. A missing file means the built-in identity.
        identity_file: HomePath = HomePath::Usual("system-prompt.md"), [Owner];
        /// A file whose text is appended last. A missing file is skipped.
        custom_instructions_file: HomePath = HomePath::Usual("instructions.md"), [Owner];
    }
}
