//! `candor PROMPT…`

use crate::fail::{Exit, Fail};
use crate::usage;

/// A single word is more likely a mistyped command than a question.
pub(crate) fn run(prompt: &[String]) -> Result<Exit, Fail> {
    let mistyped = match prompt {
        [word] if !word.contains(' ') => usage::mistyped(word),
        _ => None,
    };
    Err(mistyped.unwrap_or_else(|| usage::not_built("PROMPT")))
}
