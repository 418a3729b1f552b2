//! How long a text is in tokens, as far as that can be told without a model's own tokeniser.

/// A token has about so many bytes: the estimate that runs are budgeted by, too. Bytes rather than characters: a character
/// of a script that is not Latin takes more of both.
const BYTES_PER_TOKEN: usize = 4;

/// What the estimate is called in a pack.
pub(crate) const ESTIMATE: &str = "bytes/4";

/// About how many tokens a text has.
pub(crate) fn estimate(text: &str) -> u64 {
    text.len().div_ceil(BYTES_PER_TOKEN) as u64
}
