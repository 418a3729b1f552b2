//! The tables, and how an opened database is found to have them.
//!
//! A version only adds tables and indexes and never alters one, so that each can be compared with its definition.

mod postgres;
mod sqlite;

use crate::Error;
use crate::database::Database;
use crate::sql::Connection;

/// The version of the tables and of what is in them. A new kind of event raises it too: a program that does not know
/// the kind must not take it for damage.
const VERSION: u32 = 3;

/// The tables of the first version. `events` is what happened; `sessions` and `runs` only repeat it in the form in which
/// lists and totals want it. There is no index on `updated_at`: it would be written at every append, and sessions are
/// few.
///
/// `last_seq` is below zero while a session is staged: it has so many events, and nobody sees it yet.
const FIRST: &str = "
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    workspace TEXT NOT NULL,
    instructions TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    model TEXT,
    status TEXT,
    message_count BIGINT NOT NULL DEFAULT 0,
    turns BIGINT NOT NULL DEFAULT 0,
    tool_calls BIGINT NOT NULL DEFAULT 0,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    total_tokens BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0,
    duration_ms BIGINT NOT NULL DEFAULT 0,
    cost_usd DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_workspace ON sessions (workspace);
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    model TEXT,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    status TEXT,
    turns BIGINT NOT NULL DEFAULT 0,
    tool_calls BIGINT NOT NULL DEFAULT 0,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    total_tokens BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0,
    duration_ms BIGINT NOT NULL DEFAULT 0,
    cost_usd DOUBLE PRECISION
);
CREATE INDEX runs_by_session ON runs (session_id);
CREATE TABLE events (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    run_id TEXT,
    at_ms BIGINT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
);
";

/// What the second version adds for both databases. `contexts` saves reading a whole session; `marks` says up to which
/// event a session is in the search index, and `entries` which events are in it. The key of an entry grows with the time
/// of its event, so that the newest are found without sorting.
const SECOND: &str = "
CREATE INDEX runs_open ON runs (started_at) WHERE ended_at IS NULL;
CREATE INDEX sessions_staged ON sessions (id) WHERE last_seq < 0;
CREATE INDEX events_by_run ON events (run_id, seq) WHERE run_id IS NOT NULL;
CREATE TABLE contexts (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE marks (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    indexed_seq BIGINT NOT NULL
);
CREATE TABLE entries (
    key BIGINT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL
);
CREATE INDEX entries_by_session ON entries (session_id);
";

/// What the third version adds: whom a session works for. A parent may be missing, as after an import, so it is no
/// reference; a session without a row works for nobody.
const THIRD: &str = "
CREATE TABLE parents (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    parent_id TEXT NOT NULL
);
CREATE INDEX parents_by_parent ON parents (parent_id);
";

/// What an opened database turned out to be.
enum Found {
    /// One of ours, of this version.
    Ours,
    /// One of ours, of this earlier version.
    Earlier(u32),
    /// One of ours, of a later version.
    Newer,
    /// Nothing yet.
    Empty,
    /// Something that we did not write, or not like this.
    Foreign,
}

/// Sees that the tables are there: makes them in a database that is empty, and adds to those of an earlier version.
pub(crate) async fn ready(connection: &mut Connection, database: &Database) -> Result<(), Error> {
    let found = match connection {
        Connection::Sqlite(sqlite) => sqlite::ready(sqlite).await,
        Connection::Postgres(postgres) => postgres::ready(postgres).await,
    };
    match found.map_err(|error| database.error(&error))? {
        Found::Ours | Found::Earlier(_) | Found::Empty => Ok(()),
        Found::Newer => Err(Error::Newer { database: database.name().to_owned() }),
        Found::Foreign => Err(database.damaged("its tables are not as Candor makes them")),
    }
}

/// The statements of some definitions, one by one.
fn statements(definitions: &'static str) -> impl Iterator<Item = &'static str> {
    definitions.split(';').map(str::trim).filter(|statement| !statement.is_empty())
}
