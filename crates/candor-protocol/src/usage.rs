//! What an answer took.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Tokens, as the provider counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// All tokens sent, those from and into the provider's cache included.
    pub input_tokens: u64,
    /// All tokens received, thoughts included.
    pub output_tokens: u64,
    /// Both.
    pub total_tokens: u64,
    /// How many of the sent ones came from the cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read_tokens: u64,
    /// How many of the sent ones were put into the cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// So many sent and received.
    pub const fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            total_tokens: input_tokens.saturating_add(output_tokens),
            cache_read_tokens: 0,
            cache_write_tokens: 0,
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // A provider's number is not ours to trust with an overflow.
        let add = |left: &mut u64, right: u64| *left = left.saturating_add(right);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.total_tokens, other.total_tokens);
        add(&mut self.cache_read_tokens, other.cache_read_tokens);
        add(&mut self.cache_write_tokens, other.cache_write_tokens);
    }
}
