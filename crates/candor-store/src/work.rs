//! What the writer is asked to do inside a transaction. Each piece either happens as a whole or leaves nothing behind,
//! so that several can share one.

use candor_protocol::SessionId;

use crate::batch::Batch;
use crate::index::Indexing;
use crate::sql::{Connection, Value};

/// How many events of a session that is deleted go at a time: others write in between.
const THINNED_MAX: i64 = 2_000;

/// One piece of work.
pub(crate) enum Work {
    Append(Box<Batch>),
    /// Keeps what a session's context was at one of its events.
    SaveContext {
        session: SessionId,
        seq: i64,
        body: String,
    },
    /// Makes a session invisible, as if it were staged.
    Hide {
        session: SessionId,
    },
    /// Removes some of the events of an invisible session; there is nothing to do when it has none.
    Thin {
        session: SessionId,
    },
    /// Removes an invisible session.
    Delete {
        session: SessionId,
    },
    /// Makes a staged session visible.
    Finish {
        session: SessionId,
    },
    /// Brings the search index of one session forward.
    Index(Indexing),
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applied {
    /// It is done.
    Done,
    /// There was nothing to do.
    Needless,
    /// Another writer was there first.
    Conflict,
    /// There is no such session.
    Unknown,
}

/// Whether it may have been done before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    First,
    /// The connection broke the last time, and nobody knows whether before or after the commit.
    Again,
}

impl Work {
    pub(crate) fn session(&self) -> SessionId {
        match self {
            Self::Append(batch) => batch.session,
            Self::SaveContext { session, .. }
            | Self::Hide { session }
            | Self::Thin { session }
            | Self::Delete { session }
            | Self::Finish { session } => *session,
            Self::Index(indexing) => indexing.session,
        }
    }

    /// How much there is to write.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Append(batch) => batch.bytes,
            Self::SaveContext { body, .. } => body.len(),
            Self::Index(indexing) => indexing.bytes(),
            Self::Hide { .. } | Self::Thin { .. } | Self::Delete { .. } | Self::Finish { .. } => 0,
        }
    }

    pub(crate) async fn apply(
        &self,
        connection: &mut Connection,
        attempt: Attempt,
    ) -> Result<Applied, sqlx::Error> {
        match self {
            Self::Append(batch) => batch.apply(connection, attempt).await,
            Self::SaveContext { session, seq, body } => save_context(connection, *session, *seq, body).await,
            Self::Hide { session } => hide(connection, *session, attempt).await,
            Self::Thin { session } => thin(connection, *session).await,
            Self::Delete { session } => delete(connection, *session, attempt).await,
            Self::Finish { session } => finish(connection, *session, attempt).await,
            Self::Index(indexing) => indexing.apply(connection).await,
        }
    }
}

/// A context of an earlier event than the one that is kept is left out: it comes from a writer that was overtaken.
async fn save_context(
    connection: &mut Connection,
    session: SessionId,
    seq: i64,
    body: &str,
) -> Result<Applied, sqlx::Error> {
    let sql = "INSERT INTO contexts (session_id, seq, body) \
               SELECT id, $2, $3 FROM sessions WHERE id = $1 AND last_seq > 0 \
               ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, body = excluded.body \
               WHERE excluded.seq >= contexts.seq";
    let session = session.to_string();
    if connection.execute(sql, &[(&session).into(), seq.into(), body.into()]).await? == 1 {
        return Ok(Applied::Done);
    }
    let sql = "SELECT last_seq FROM sessions WHERE id = $1";
    let known = connection.rows(sql, &[(&session).into()]).await?;
    Ok(if known.is_empty() { Applied::Unknown } else { Applied::Needless })
}

async fn hide(
    connection: &mut Connection,
    session: SessionId,
    attempt: Attempt,
) -> Result<Applied, sqlx::Error> {
    let sql = "UPDATE sessions SET last_seq = -last_seq WHERE id = $1 AND last_seq > 0";
    let touched = connection.execute(sql, &[Value::from(session.to_string())]).await?;
    Ok(if touched == 1 || attempt == Attempt::Again { Applied::Done } else { Applied::Needless })
}

/// Index first: it is found through what is about to go.
async fn thin(connection: &mut Connection, session: SessionId) -> Result<Applied, sqlx::Error> {
    let id = session.to_string();
    let entries = crate::index::remove(connection, &id, THINNED_MAX).await?;
    let sql = "DELETE FROM events WHERE session_id = $1 AND seq < $2 + (SELECT MIN(e.seq) FROM events e \
               JOIN sessions s ON s.id = e.session_id WHERE e.session_id = $1 AND s.last_seq < 0)";
    let events = connection.execute(sql, &[(&id).into(), THINNED_MAX.into()]).await?;
    Ok(if entries + events > 0 { Applied::Done } else { Applied::Needless })
}

async fn delete(
    connection: &mut Connection,
    session: SessionId,
    attempt: Attempt,
) -> Result<Applied, sqlx::Error> {
    // Runs, context and mark go with it.
    let sql = "DELETE FROM sessions WHERE id = $1 AND last_seq <= 0";
    let touched = connection.execute(sql, &[Value::from(session.to_string())]).await?;
    Ok(if touched == 1 || attempt == Attempt::Again { Applied::Done } else { Applied::Needless })
}

async fn finish(
    connection: &mut Connection,
    session: SessionId,
    attempt: Attempt,
) -> Result<Applied, sqlx::Error> {
    let sql = "UPDATE sessions SET last_seq = -last_seq WHERE id = $1 AND last_seq < 0";
    let touched = connection.execute(sql, &[Value::from(session.to_string())]).await?;
    Ok(match (touched, attempt) {
        (1, _) | (_, Attempt::Again) => Applied::Done,
        _ => Applied::Unknown,
    })
}
