//! The front door.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use candor_agent::Sink;
use candor_log::event::SessionCreated;
use candor_protocol::{Code, EventBody, Failure, Origin, SessionId, Submission};
use candor_store::{Options, Store};
use candor_tools::Registry;
use tokio::sync::{mpsc, oneshot};

use crate::actor::{Actor, Command, Receipt, WAITING_MAX};
use crate::journal::Journal;
use crate::sources::Sources;
use crate::vault::Vault;
use crate::{Setup, Subscription};

/// Owns the sessions of one home.
pub struct Runtime {
    store: Arc<Store>,
    setup: Option<Arc<Setup>>,
    tools: Arc<Registry>,
    sources: Arc<Sources>,
    /// The sessions with an actor. A plain lock: it is held for a look-up and never across a wait.
    sessions: Mutex<HashMap<SessionId, Handle>>,
}

#[derive(Clone)]
struct Handle {
    inbox: mpsc::Sender<Command>,
    journal: Arc<Journal>,
}

/// What a new session begins with.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The surface that asks for it.
    pub origin: Origin,
    /// What it is called; masked, and cut to one line of a list.
    pub name: String,
    /// Instructions that hold for it alone.
    pub instructions: Option<String>,
}

impl Runtime {
    /// Opens the home's sessions, to be asked about and to be worked in.
    pub async fn open(database: &Path, setup: Setup) -> Result<Self, Failure> {
        Self::with(database, Some(Arc::new(setup))).await
    }

    /// Opens the home's sessions to be asked about only.
    pub async fn open_for_questions(database: &Path) -> Result<Self, Failure> {
        Self::with(database, None).await
    }

    async fn with(database: &Path, setup: Option<Arc<Setup>>) -> Result<Self, Failure> {
        let store =
            Store::open(&Options { path: database.to_owned() }).await.map_err(|error| error.failure())?;
        Ok(Self {
            store: Arc::new(store),
            setup,
            tools: Arc::new(Registry::built_in()),
            sources: Arc::default(),
            sessions: Mutex::default(),
        })
    }

    /// Begins a session. It is stored together with its first message.
    pub fn create(&self, new: NewSession) -> Result<SessionId, Failure> {
        let session = SessionId::now();
        let workspace = self.setup()?.workspace.display().to_string();
        let source = new.origin.as_str();
        let handle = self.start(session, 0, new.instructions.clone())?;
        handle.journal.emit(EventBody::SessionCreated {
            source: source.to_owned(),
            name: new.name,
            workspace,
            instructions: new.instructions,
        });
        SessionCreated { session_id: session, source }.log();
        Ok(session)
    }

    /// Hands a submission to its session. It is stored when this returns.
    pub async fn submit(&self, submission: Submission) -> Result<Receipt, Failure> {
        let handle = self.handle(submission.session).await?;
        let (receipt, taken) = oneshot::channel();
        let command =
            Command { origin: submission.origin, body: submission.body, setup: self.setup()?, receipt };
        let busy = || Failure::new(Code::SessionBusy).with("session", submission.session);
        handle.inbox.try_send(command).map_err(|_| busy())?;
        match taken.await {
            Ok(receipt) => receipt,
            // The actor ends without a word only when the store has failed under it.
            Err(_) => handle.journal.settled().await.and_then(|()| Err(busy())),
        }
    }

    /// Everything that happened in a session after an event, and everything that will.
    pub async fn subscribe(&self, session: SessionId, after: u64) -> Result<Subscription, Failure> {
        let handle = self.handle(session).await?;
        Ok(Subscription::new(session, Arc::clone(&self.store), handle.journal, after))
    }

    /// What is stored.
    pub fn query(&self) -> &Store {
        &self.store
    }

    fn setup(&self) -> Result<Arc<Setup>, Failure> {
        let missing =
            || Failure::new(Code::ProviderNotConfigured).with("variables", "").with("addresses", "");
        self.setup.clone().ok_or_else(missing)
    }

    /// The session's actor, started if it has none yet.
    async fn handle(&self, session: SessionId) -> Result<Handle, Failure> {
        if let Some(handle) = self.known(session) {
            return Ok(handle);
        }
        let unknown = || Failure::new(Code::SessionUnknown).with("session", session);
        let summary =
            self.store.session(session).await.map_err(|error| error.failure())?.ok_or_else(unknown)?;
        let seq = self.store.last_seq(session).await.map_err(|error| error.failure())?.ok_or_else(unknown)?;
        // Somebody else may have started it meanwhile.
        self.known(session).map_or_else(|| self.start(session, seq, summary.instructions), Ok)
    }

    fn known(&self, session: SessionId) -> Option<Handle> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        // An actor that ended because the store failed is started anew: the disk may have room again.
        if sessions.get(&session).is_some_and(|handle| handle.inbox.is_closed()) {
            sessions.remove(&session);
        }
        sessions.get(&session).cloned()
    }

    fn start(&self, session: SessionId, seq: u64, instructions: Option<String>) -> Result<Handle, Failure> {
        let vault = Arc::new(Vault::new(&self.setup()?.secrets));
        let journal = Arc::new(Journal::new(session, seq, Arc::clone(&vault)));
        let (inbox, commands) = mpsc::channel(WAITING_MAX);
        let actor = Actor {
            session,
            instructions,
            store: Arc::clone(&self.store),
            journal: Arc::clone(&journal),
            vault,
            tools: Arc::clone(&self.tools),
            sources: Arc::clone(&self.sources),
        };
        tokio::spawn(actor.live(commands));
        let handle = Handle { inbox, journal };
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.insert(session, handle.clone());
        Ok(handle)
    }
}
