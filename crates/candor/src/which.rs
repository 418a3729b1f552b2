//! Which session a word means.

use candor_protocol::{Code, Failure, SessionId};
use candor_runtime::Runtime;
use candor_store::Found;

/// The word for the latest session of the folder.
const LAST: &str = "last";

/// The session that a text means: its id, the beginning or the end of it, or the word for the latest of the folder.
pub(crate) async fn find(text: &str, workspace: &str, runtime: &Runtime) -> Result<SessionId, Failure> {
    if text == LAST {
        return latest(workspace, runtime).await;
    }
    match runtime.query().find(text).await.map_err(|error| error.failure())? {
        Found::One(session) => Ok(session),
        Found::None => Err(Failure::new(Code::SessionUnknown).with("session", text)),
        Found::Many(sessions) => {
            let sessions: Vec<String> = sessions.iter().map(ToString::to_string).collect();
            Err(Failure::new(Code::SessionAmbiguous)
                .with("session", text)
                .with("sessions", sessions.join("\n")))
        }
    }
}

/// The latest session of a folder.
pub(crate) async fn latest(workspace: &str, runtime: &Runtime) -> Result<SessionId, Failure> {
    let latest = runtime.query().latest(workspace).await.map_err(|error| error.failure())?;
    latest.ok_or_else(|| Failure::new(Code::SessionNone).with("workspace", workspace))
}

/// What a session is called.
pub(crate) async fn name(session: SessionId, runtime: &Runtime) -> Result<String, Failure> {
    let summary = runtime.query().session(session).await.map_err(|error| error.failure())?;
    Ok(summary.map(|summary| summary.name).unwrap_or_default())
}

/// The number of a session's last event.
pub(crate) async fn last_seq(session: SessionId, runtime: &Runtime) -> Result<u64, Failure> {
    let last = runtime.query().last_seq(session).await.map_err(|error| error.failure())?;
    Ok(last.unwrap_or(0))
}
