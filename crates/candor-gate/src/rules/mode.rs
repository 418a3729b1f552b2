//! Owners and modes.

use crate::call::Call;
use crate::places::Place;
use crate::verdict::Finding;
use crate::walk::State;

pub(super) fn judge(call: &Call<'_>, state: &State) -> Option<Finding> {
    let is_recursive = call.has_short("R") || call.has_long("recursive");
    // What begins with a dash may be a mode (`-x`) or an option; neither is a path.
    let mut operands = call.operands().filter(|word| *word != "--");
    let has_reference = call.args().any(|arg| arg.starts_with("--ref"));
    let mode = if has_reference { "" } else { operands.next().unwrap_or_default() };
    let is_open = call.name == "chmod" && opens(mode);
    let findings =
        operands.filter_map(|word| one(call, word, state.ground.place(word), is_recursive, is_open));
    let worst = findings.reduce(|worst, next| if next.verdict > worst.verdict { next } else { worst });
    worst.or_else(|| {
        (call.name == "chmod" && raises(mode))
            .then(|| Finding::ask("mode-setuid", "it makes a program run with the rights of its owner"))
    })
}

fn one(call: &Call<'_>, word: &str, place: Place, is_recursive: bool, is_open: bool) -> Option<Finding> {
    let what = if call.name == "chmod" { "modes" } else { "owners" };
    let is_system = matches!(place, Place::Root | Place::Top | Place::System);
    if is_system && (is_open || is_recursive) {
        return Some(Finding::deny(
            "mode-system",
            format!("it changes the {what} of {word}, which belongs to the system"),
        ));
    }
    if is_recursive && matches!(place, Place::Home | Place::AboveWorkspace) {
        return Some(Finding::deny("mode-home", format!("it changes the {what} of everything in {word}")));
    }
    if is_open {
        return Some(Finding::ask("mode-open", format!("it lets everybody change {word}")));
    }
    if is_system || (is_recursive && place == Place::Outside) {
        return Some(Finding::ask(
            "mode-outside",
            format!("it changes the {what} of {word}, outside of the workspace"),
        ));
    }
    None
}

/// Everybody may write.
fn opens(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    if !digits.is_empty() && digits.chars().all(|c| c.is_digit(8)) {
        return digits.ends_with(['7', '6', '3', '2']) && digits.len() >= 3 && !digits.starts_with('1');
    }
    mode.split(',').any(|part| {
        part.split_once(['+', '='])
            .is_some_and(|(who, what)| (who.contains('o') || who.contains('a')) && what.contains('w'))
    })
}

/// Set-user and set-group bits.
fn raises(mode: &str) -> bool {
    let is_octal = mode.len() >= 4 && mode.chars().all(|c| c.is_digit(8));
    (is_octal
        && mode.trim_start_matches('0').len() >= 4
        && mode.trim_start_matches('0').starts_with(['2', '4', '6', '3', '5', '7']))
        || mode.split(',').any(|part| part.split_once(['+', '=']).is_some_and(|(_, what)| what.contains('s')))
}
