//! Commands whose program is not known, or not the one that it seems to be.

use crate::call::{Call, UNKNOWN};
use crate::verdict::Finding;
use crate::walk::State;

/// The separators that people hide a command behind; a full treatment would split every word again.
const HIDING: &[char] = &[',', ':', ';', '_', '+', '@', '.', '%', '^'];

/// A name that is only known when the command runs could be any program.
pub(super) fn judge(call: &Call<'_>, state: &State) -> Option<Finding> {
    let first = call.words.first()?;
    if call.name.contains(UNKNOWN) || (call.name.is_empty() && first.text.contains(UNKNOWN)) {
        let reason = "which program it runs is only known when it runs";
        return Some(Finding::ask("name-not-literal", reason).surroundings());
    }
    let is_pattern =
        first.text.contains(['*', '?']) || (first.text.contains('[') && first.text.contains(']'));
    if is_pattern && call.name != "[" {
        let reason = format!("which program `{}` matches is only known when it runs", first.text);
        return Some(Finding::ask("name-not-literal", reason).surroundings());
    }
    let ifs = state.variables.get("IFS").map_or(" ", String::as_str);
    if !ifs.trim().is_empty() && first.text.contains(HIDING) {
        let reason = "it changes how words are separated and then runs one of them";
        return Some(Finding::ask("name-not-literal", reason).surroundings());
    }
    let path = state.ground.path(&first.text);
    if first.text.contains('/') && path.is_some_and(|path| state.downloads.contains(&path)) {
        return Some(Finding::ask("run-download", "it runs a file that it has just downloaded"));
    }
    None
}
