//! Notes: what is worth knowing after a session has ended, as Markdown files that people read, change and delete.
//!
//! There is nothing behind them: no database, nothing that a session is told unasked but their names. Those of a workspace
//! are in its `.candor/notes`, those that hold everywhere in `notes` of Candor's home. `folder.rs` finds and reads them,
//! `tool.rs` is how a model does, and the only way in which one is written; `finding.rs` looks for words.

mod finding;
mod folder;
mod tool;

pub use finding::{Finder, NoteHit, find};
pub(crate) use folder::Place;
pub use folder::{Note, NoteText, Notes, Scope};
pub use tool::NotesTool;

/// The tool's name.
pub(crate) const NAME: &str = "notes";
/// The longest note: it is read as a whole, and a longer one is two.
pub(crate) const NOTE_BYTES_MAX: usize = 64 << 10;
/// The most notes in one folder: nobody looks through more.
pub(crate) const NOTES_MAX: usize = 200;
