//! What the frames of one client do: each becomes a submission or a subscription, and is answered.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::ws::Message;
use candor_protocol::{Answer, Body, Code, Failure, Origin, RunId, SessionId};
use candor_runtime::{Naming, NewSession, Runtime, Subscription};
use tokio::task::JoinHandle;

use crate::frame::{self, Ack, Content, Frame, invalid};
use crate::outbox::Outbox;
use crate::server::Shared;

/// How many sessions one socket may follow: more than a person can. A program opens another socket.
const FOLLOWED_MAX: usize = 64;

/// One client: its way out, and the sessions that it follows.
pub(crate) struct Client {
    shared: Arc<Shared>,
    outbox: Outbox,
    followed: HashMap<SessionId, Follower>,
}

/// Carries a session's events to the socket until it is dropped.
struct Follower(JoinHandle<()>);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What came of a frame.
struct Followed {
    session: SessionId,
    run: Option<RunId>,
    /// What is to be carried to the socket once the frame is answered.
    events: Option<Subscription>,
}

impl Client {
    pub(crate) fn new(shared: Arc<Shared>, outbox: Outbox) -> Self {
        Self { shared, outbox, followed: HashMap::new() }
    }

    /// Does what a frame says and answers it. Frames are taken one after the other, so their order holds.
    pub(crate) async fn take(&mut self, text: &str) {
        let (id, frame) = frame::read(text);
        let session = frame.as_ref().ok().and_then(session_of);
        let done = match frame {
            Ok(frame) => self.carry_out(frame).await,
            Err(failure) => Err(failure),
        };
        match done {
            Ok(Followed { session, run, events }) => {
                // The answer first: from it the client learns which session the events belong to.
                self.send(frame::written(&Ack { id, session_id: session, run_id: run })).await;
                if let Some(events) = events {
                    self.follow(session, events);
                }
            }
            Err(failure) => self.send(frame::refusal(&failure, id, session)).await,
        }
    }

    /// Answers a frame that is not even read.
    pub(crate) async fn refuse(&mut self, reason: &str) {
        self.send(frame::refusal(&invalid(reason), None, None)).await;
    }

    /// Has the answer to a ping written, and takes nothing further while there is no room for it.
    pub(crate) async fn ping(&self) {
        // Without a reader the socket is about to end.
        let _ = self.outbox.flush().await;
    }

    async fn send(&self, message: Message) {
        // Without a reader the socket is about to end.
        let _ = self.outbox.send(message).await;
    }

    async fn carry_out(&mut self, frame: Frame) -> Result<Followed, Failure> {
        match frame {
            Frame::SendMessage { session_id, content } => self.say(session_id, content).await,
            Frame::Steer { session_id: session, content } => {
                let run = self.submit(session, Body::Steer(content.parts()?)).await?;
                Ok(Followed { session, run, events: None })
            }
            Frame::Cancel { session_id: session, run_id } => {
                let run = self.submit(session, Body::Stop(run_id)).await?;
                match run_id {
                    Some(wanted) if run != run_id => {
                        Err(invalid(&format!("the run {wanted} is not going on")))
                    }
                    _ => Ok(Followed { session, run, events: None }),
                }
            }
            Frame::Answer { session_id, call_id, choice, reason } => {
                self.answer(session_id, Answer { call_id, choice, reason }).await
            }
            Frame::Subscribe { session_id, after_seq } => self.subscribe(session_id, after_seq).await,
        }
    }

    /// Says something in a session, which is followed from then on.
    async fn say(&mut self, session: Option<SessionId>, content: Content) -> Result<Followed, Failure> {
        let parts = content.parts()?;
        let is_followed = session.is_some_and(|session| self.is_followed(session));
        if !is_followed {
            self.demand_room()?;
        }
        let session = match session {
            Some(session) => session,
            None => self.runtime().create(NewSession {
                origin: Origin::Websocket,
                naming: Naming::Later,
                instructions: None,
            })?,
        };
        // Before the message is handed in, so that nothing that comes of it is missed.
        let events = if is_followed {
            None
        } else {
            // A new session has no event yet.
            let after = last_seq(session, self.runtime()).await?.unwrap_or(0);
            Some(self.runtime().subscribe(session, after).await?.attended())
        };
        let run = self.submit(session, Body::Say(parts)).await?;
        Ok(Followed { session, run, events })
    }

    /// Hands in a person's word. Without a session it is for whichever of those followed here waits for it.
    async fn answer(&self, session: Option<SessionId>, answer: Answer) -> Result<Followed, Failure> {
        let sessions =
            session.map_or_else(|| self.followed.keys().copied().collect(), |session| vec![session]);
        let mut refused = invalid(&format!("no call {} waits for an answer", answer.call_id));
        for session in sessions {
            match self.submit(session, Body::Answer(answer.clone())).await {
                Ok(run) => return Ok(Followed { session, run, events: None }),
                Err(failure) => refused = failure,
            }
        }
        Err(refused)
    }

    async fn subscribe(&mut self, session: SessionId, after: Option<u64>) -> Result<Followed, Failure> {
        if !self.is_followed(session) {
            self.demand_room()?;
        }
        let after = after.unwrap_or(0);
        let events = self.runtime().subscribe(session, after).await?.attended();
        // It may still be in memory after it was deleted.
        let unknown = || Failure::new(Code::SessionUnknown).with("session", session);
        let last = last_seq(session, self.runtime()).await?.ok_or_else(unknown)?;
        if after > last {
            return Err(invalid(&format!(
                "afterSeq is {after}, and the last event of the session is {last}"
            )));
        }
        // The former follower has to be gone before the new one begins, or their events would mix.
        if let Some(mut former) = self.followed.remove(&session) {
            former.0.abort();
            let _ = (&mut former.0).await;
        }
        Ok(Followed { session, run: None, events: Some(events) })
    }

    async fn submit(&self, session: SessionId, body: Body) -> Result<Option<RunId>, Failure> {
        self.shared.ongoing.submit(session, body, self.runtime()).await
    }

    fn follow(&mut self, session: SessionId, events: Subscription) {
        let task = tokio::spawn(carry(session, events, self.outbox.clone()));
        self.followed.insert(session, Follower(task));
    }

    fn is_followed(&self, session: SessionId) -> bool {
        self.followed.get(&session).is_some_and(|follower| !follower.0.is_finished())
    }

    fn demand_room(&mut self) -> Result<(), Failure> {
        self.followed.retain(|_, follower| !follower.0.is_finished());
        if self.followed.len() < FOLLOWED_MAX {
            return Ok(());
        }
        Err(invalid(&format!("this socket follows {FOLLOWED_MAX} sessions, which is the most; open another")))
    }

    fn runtime(&self) -> &Runtime {
        &self.shared.runtime
    }
}

/// The session that a frame names.
fn session_of(frame: &Frame) -> Option<SessionId> {
    match frame {
        Frame::SendMessage { session_id, .. } | Frame::Answer { session_id, .. } => *session_id,
        Frame::Steer { session_id, .. }
        | Frame::Cancel { session_id, .. }
        | Frame::Subscribe { session_id, .. } => Some(*session_id),
    }
}

async fn last_seq(session: SessionId, runtime: &Runtime) -> Result<Option<u64>, Failure> {
    runtime.query().last_seq(session).await.map_err(|error| error.failure())
}

/// Carries events to the socket. When it does not take them, this waits, and the subscription reads the store later.
async fn carry(session: SessionId, mut events: Subscription, outbox: Outbox) {
    loop {
        let (message, is_last) = match events.next().await {
            Ok(event) => (frame::written(&event), false),
            Err(failure) => (frame::refusal(&failure, None, Some(session)), true),
        };
        if outbox.send(message).await.is_err() || is_last {
            return;
        }
    }
}
