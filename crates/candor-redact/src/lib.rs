//! Finds secrets in bytes and masks them with [`MASK`]. Pure and fast: no I/O, no clock, no failure, and nothing
//! is built before the first use.
//!
//! Three layers look at the final bytes, whatever wrote them:
//!
//! 1. *Known values*: the exact secrets that this process loaded, in plain, base64, hex, percent-encoded,
//!    JSON-escaped, HTML-escaped and shell-quoted form, inside longer base64 too.
//! 2. *Rules*: the shapes of provider tokens, private-key blocks, JWTs and credentials in URLs, see [`rules()`].
//! 3. *Key names*: what is assigned to a name like `api_key` in JSON (at any depth of escaping), headers, env
//!    files, YAML, TOML, query strings, XML, SQL, source code and command lines. A value in quotes, alone or in
//!    a list of them, is masked
//!    unless it is empty, a literal, a stand-in (`${X}`, `<token>`, `changeme`), a reference or a sentence. A bare
//!    value is masked when it looks like one: `name=value` needs three bytes, a YAML line four and, for names
//!    other than passwords, a digit or a sign; inside a line it needs eight bytes with a digit or a sign. Calls,
//!    paths of names, types and other code are kept.
//!
//! What it promises: masked JSON is JSON, masking twice is masking once (a private-key block in the
//! middle of another value aside), and the time is linear in the text.
//! Every check reads a bounded window, or a run in which no other keyword of its kind can start (or only so
//! many), or finds a secret that the pass then steps over.
//!
//! What it deliberately does not do: it does not decode (a token inside somebody's base64 is not seen unless
//! it is a known value), it does not join values that a program wrapped over several lines (only private-key
//! blocks and known values may span lines), it does not guess by entropy alone, and it does not remember.
//!
//! Start reading at `redactor.rs`, then `scan.rs`; the tables are in `rules/` and `names.rs`.

mod assign;
mod block;
mod check;
mod command;
mod forms;
mod found;
mod header;
mod index;
mod known;
mod live;
mod names;
mod places;
mod quote;
mod redactor;
mod rule;
mod rules;
mod scan;
mod set;
mod steps;
mod stream;
mod url;
mod value;

pub use live::Live;
pub use redactor::{Finding, Redactor};
pub use rules::{RuleSummary, rules};
pub use stream::Stream;

/// Bytes that checks have read on this thread since the last call, in debug builds; for the tests of this crate.
#[doc(hidden)]
pub fn take_steps() -> usize {
    steps::take()
}

/// What stands in place of a secret.
pub const MASK: &str = "[REDACTED]";

/// The rule name of a known value.
pub(crate) const KNOWN_VALUE: &str = "known-value";
/// The rule name of a value under a secret's name.
pub(crate) const KEY_NAME: &str = "key-name";
