//! Appends events, answers questions about them: the only SQL.
//!
//! A session is an ordered log of events. [`Store::append`] puts some more at its end, all or none, and when it returns
//! they are on the disk. What lists and totals need is kept beside the events in the same transaction, so that no
//! question has to read a whole log. It is in a SQLite file or in a PostgreSQL database, and behaves the same in both.
//!
//! Deliberately not here: who should write a session at what time (a [`Lease`] says who may; a writer without one is
//! noticed, not prevented), what an event means to a model, masking (what arrives is already masked), and events that are
//! not to be kept. Tables and queries are in the part of SQL that both databases share: text ids, times in milliseconds,
//! no functions on JSON. Definitions of tables, the search for words and the lease differ, each in a place of its own.
//!
//! Start reading at [`Store`], then `schema` for the tables, `batch` and `append` for the one way in, and `writer` for the
//! task that groups what is written. `database`, `sql`, `connection` and `reconnect` are what is known of the two
//! databases; `file` sees to the file and its permissions. `lease` and `stage` are about who writes, `index`, `words` and
//! `search` find what was said, `events`, `sessions`, `usage` and `cards` are the other questions. `passages` is a database of its
//! own, the index of a context pack.

mod append;
mod batch;
mod cards;
mod connection;
mod database;
mod error;
mod events;
mod file;
mod foreign;
mod index;
mod lease;
mod passages;
mod reconnect;
mod row;
mod schema;
mod search;
mod sessions;
mod sql;
mod stage;
mod store;
mod usage;
mod words;
mod work;
mod writer;

pub use append::Appending;
pub use cards::CardRow;
pub use database::Location;
pub use error::Error;
pub use events::RUN_EVENTS_MAX;
pub use foreign::{Foreign, ask};
pub use lease::Lease;
pub use passages::{Filling, FoundPassage, PASSAGES_AT_ONCE, PASSAGES_MAX, Passage, Passages, Prepared};
pub use search::{HITS_MAX, Hit, Search};
pub use sessions::{FOUND_MAX, Filter, Found, SOURCES_MAX, SessionMetrics, SessionSummary};
pub use stage::Stage;
pub use store::Store;
pub use usage::{Grouping, USAGE_ROWS_MAX, UsageRow};
