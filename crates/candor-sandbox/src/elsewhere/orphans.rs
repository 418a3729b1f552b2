//! Whose a call is.

use uuid::Uuid;

/// A value for the mark that no other call has.
pub(crate) fn mark_value() -> String {
    format!("{}.{}", std::process::id(), Uuid::now_v7())
}

/// Ends what calls of a dead program left running: nobody can tell here what that is.
pub fn end_orphans() -> usize {
    0
}
