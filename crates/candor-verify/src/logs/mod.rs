//! Reads logs as they grow and keeps the entries that tell of a failure.
//!
//! Severity is parsed and never guessed from a word: `0 errors` is none, `level=info msg="after an error"` is none, and
//! neither is a path with `error` in it. What counts is a level where a level stands (`level`: JSON, logfmt, a column,
//! a priority), the form in which a runtime tells that it gave up (`crash`: tracebacks, panics, aborts, complaints of a
//! shell), and an answer of 5xx in an access log (`access`). 503 is not counted there: services answer it on purpose while
//! they start, and one that goes on answering it fails its probes.
//!
//! Most lines of most logs tell of nothing. One pass of vectorised search over whole chunks (`candidate`) picks the few
//! that could; only those are looked at. Lines that belong together are one entry (`join`).
//!
//! What stands behind the offset is new, unless the entry itself says that it is older. An entry without a time is new: an
//! error that is counted twice can be allowed by a pattern, one that is lost cannot be found again. [`tail()`] has no offset,
//! and says there how it decides.

mod access;
mod candidate;
mod clean;
mod crash;
mod entry;
mod files;
mod header;
mod join;
mod json;
mod level;
mod line;
mod logfmt;
mod rules;
mod scanner;
mod stamp;
mod tail;
mod watch;

pub use access::Answered;
pub(crate) use clean::plain;
pub use rules::{BadPattern, LogRules};
pub use scanner::Scanner;
pub(crate) use stamp::millis;
pub use tail::tail;
pub use watch::{Watch, Watched};

/// How many entries are kept; all are counted.
pub const ENTRIES_MAX: usize = 200;
