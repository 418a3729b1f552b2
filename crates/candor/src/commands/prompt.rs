//! `candor PROMPT…`

use crate::fail::{Exit, Fail};
use crate::usage;

pub(crate) fn run(prompt: &[String]) -> Result<Exit, Fail> {
    Err(usage::mistyped(prompt).unwrap_or_else(|| usage::not_built("PROMPT")))
}
