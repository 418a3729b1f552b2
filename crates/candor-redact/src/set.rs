//! Sets of bytes as lookup tables, because a membership test is the innermost step of every check.

use crate::steps::spend;

/// A set of bytes.
pub(crate) struct Set([bool; 256]);

impl Set {
    /// The set of all bytes in `bytes`, where `a-z` stands for a range (put a literal `-` last).
    pub(crate) const fn of(bytes: &str) -> Self {
        let bytes = bytes.as_bytes();
        let mut table = [false; 256];
        let mut at = 0;
        while at < bytes.len() {
            if at + 2 < bytes.len() && bytes[at + 1] == b'-' {
                let mut byte = bytes[at];
                while byte <= bytes[at + 2] {
                    table[byte as usize] = true;
                    byte += 1;
                }
                at += 3;
            } else {
                table[bytes[at] as usize] = true;
                at += 1;
            }
        }
        Self(table)
    }

    /// Whether `byte` is a member.
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    /// Where the run of members that starts at `from` ends.
    pub(crate) fn run_end(&self, text: &[u8], from: usize) -> usize {
        let rest = text.get(from..).unwrap_or_default();
        let len = rest.iter().position(|&byte| !self.has(byte)).unwrap_or(rest.len());
        spend(len + 1);
        from + len
    }

    /// Where the run of members that ends at `to` starts, looking back no further than `span_max` bytes.
    pub(crate) fn run_start(&self, text: &[u8], to: usize, span_max: usize) -> usize {
        let floor = to.saturating_sub(span_max);
        let window = text.get(floor..to).unwrap_or_default();
        let len = window.iter().rev().take_while(|&&byte| self.has(byte)).count();
        spend(len + 1);
        to - len
    }

    /// Where the first member from `from` on stands, or the end of the text.
    pub(crate) fn find(&self, text: &[u8], from: usize) -> usize {
        let rest = text.get(from..).unwrap_or_default();
        let len = rest.iter().position(|&byte| self.has(byte)).unwrap_or(rest.len());
        spend(len + 1);
        from + len
    }
}

pub(crate) static DIGIT: Set = Set::of("0-9");
pub(crate) static ALNUM: Set = Set::of("a-zA-Z0-9");
pub(crate) static LOWER_ALNUM: Set = Set::of("a-z0-9");
pub(crate) static UPPER_ALNUM: Set = Set::of("A-Z0-9");
pub(crate) static HEX: Set = Set::of("0-9a-f");
pub(crate) static ANY_HEX: Set = Set::of("0-9a-fA-F");
pub(crate) static UUID: Set = Set::of("0-9a-fA-F-");
pub(crate) static WORD: Set = Set::of("a-zA-Z0-9_");
pub(crate) static URL64: Set = Set::of("a-zA-Z0-9_-");
pub(crate) static URL64_DOT: Set = Set::of("a-zA-Z0-9_.-");
pub(crate) static BASE64: Set = Set::of("a-zA-Z0-9+/");
pub(crate) static BASE64_PAD: Set = Set::of("a-zA-Z0-9+/=");
pub(crate) static BASE64_ANY: Set = Set::of("a-zA-Z0-9+/_=-");
pub(crate) static BASE32: Set = Set::of("A-Z2-7=");
pub(crate) static BECH32: Set = Set::of("A-Z0-9");
/// What RFC 7235 allows in credentials, and `:` for schemes that join an id and a key.
pub(crate) static CREDENTIALS: Set = Set::of("a-zA-Z0-9._~+/=:-");
pub(crate) static BLANK: Set = Set::of(" \t");
