//! What a check hands back.

use std::ops::Range;

use crate::{
    block::{self, Body},
    quote::{Quote, backslashes_before},
    set::Set,
};

/// A place to mask, with what the writer of the masked text must know about it.
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) rule: &'static str,
    pub(crate) cover: Cover,
    /// How the secret would go on if the text did.
    pub(crate) tail: Tail,
}

/// What is written in place of a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cover {
    /// The bare mask.
    Bare,
    /// The mask in double quotes, each behind so many backslashes: a JSON number becomes a JSON string.
    Quoted { escapes: usize },
}

/// How a secret goes on past the end of the bytes at hand.
#[derive(Clone, Copy)]
pub(crate) enum Tail {
    /// It does not.
    Closed,
    /// For as long as bytes are members of the set.
    Run(&'static Set),
    /// To the quote that closes the value.
    Quote(Quote),
    /// To the end of the private-key block; only set while the end has not been seen.
    Block(Body),
}

impl Found {
    /// A place that gets the bare mask.
    pub(crate) fn bare(rule: &'static str, range: Range<usize>) -> Self {
        Self { range, rule, cover: Cover::Bare, tail: Tail::Closed }
    }

    /// The same place, with how it goes on.
    pub(crate) fn tail(mut self, tail: Tail) -> Self {
        self.tail = tail;
        self
    }
}

impl Tail {
    /// Whether a secret at `range` may go on behind the end of `text`.
    pub(crate) fn is_open(self, range: &Range<usize>, text: &[u8]) -> bool {
        match self {
            Self::Closed => false,
            Self::Run(_) | Self::Quote(_) => range.end == text.len(),
            Self::Block(_) => true,
        }
    }

    /// How much of an open secret is certain. Backslashes at the end may belong to a closing quote.
    pub(crate) fn settled_end(self, range: &Range<usize>, text: &[u8]) -> usize {
        match self {
            Self::Quote(_) => range.end - backslashes_before(text, range.start, range.end),
            Self::Closed | Self::Run(_) | Self::Block(_) => range.end,
        }
    }

    /// Goes on at `at`: where the secret ends, and how it would go on if that is still open.
    pub(crate) fn resume(self, text: &[u8], at: usize) -> (usize, Option<Self>) {
        match self {
            Self::Closed => (at, None),
            Self::Run(set) => {
                let end = set.run_end(text, at);
                (end, (end == text.len()).then_some(self))
            }
            Self::Quote(quote) => {
                let rest = text.get(at..).unwrap_or_default();
                let line_end = at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let close = quote.close(text.get(..line_end).unwrap_or_default(), at);
                let open = !close.closed && line_end == text.len();
                let settled = close.value_end - backslashes_before(text, at, close.value_end);
                if open { (settled, Some(self)) } else { (close.value_end, None) }
            }
            Self::Block(body) => {
                let (end, open) = block::walk(text, at, body);
                (end, open.map(Self::Block))
            }
        }
    }
}
