//! Appends events, answers questions about them: the only SQL.
//!
//! A session is an ordered log of events. [`Store::append`] puts some more at its end, all or none, and when it returns
//! they are on the disk. What lists and totals need is kept beside the events in the same transaction, so that no
//! question has to read a whole log.
//!
//! Deliberately not here: who may write a session at what time (a second writer is noticed, not prevented), what an
//! event means to a model, masking (what arrives is already masked), and events that are not to be kept. Tables and
//! queries are in the part of SQL that SQLite and PostgreSQL share: text ids, times in milliseconds, no functions on
//! JSON.
//!
//! Start reading at [`Store`], then `schema` for the tables and `append` for the one way in. `file` sees to the file and
//! its permissions, `connection` to the connections, `events`, `sessions` and `usage` are the questions.

mod append;
mod connection;
mod error;
mod events;
mod file;
mod row;
mod schema;
mod sessions;
mod store;
mod usage;

pub use error::Error;
pub use sessions::{FOUND_MAX, Filter, Found, SessionMetrics, SessionSummary};
pub use store::{Location, Store};
pub use usage::{Grouping, USAGE_ROWS_MAX, UsageRow};
