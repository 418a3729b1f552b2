//! The front door.

use std::sync::Arc;

use candor_agent::Mask;
use candor_log::event::SessionCreated;
use candor_protocol::{Code, EventBody, Failure, Origin, SessionId, Submission};
use candor_redact::Redactor;
use candor_store::{Location, Store};
use candor_tools::Registry;
use tokio::sync::{mpsc, oneshot};

use crate::actor::{Actor, Command, Receipt};
use crate::journal::Journal;
use crate::sessions::{Handle, Sessions};
use crate::sources::Sources;
use crate::vault::Vault;
use crate::{Setup, Subscription};

/// How many submissions may be on their way to an actor at a time. It takes each at once, and decides then whether there
/// is room for it, so this is no more than what arrives together.
const INBOX_MAX: usize = 64;

/// How long a session's name is at most: it stands in one line of a list.
const NAME_CHARS_MAX: usize = 60;

/// Owns the sessions of one home.
pub struct Runtime {
    store: Arc<Store>,
    setup: Option<Arc<Setup>>,
    /// Knows the secrets of the setup; compiled once for all sessions.
    redactor: Redactor,
    tools: Arc<Registry>,
    sources: Arc<Sources>,
    sessions: Arc<Sessions>,
}

/// What a new session begins with.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The surface that asks for it.
    pub origin: Origin,
    /// What it is called.
    pub naming: Naming,
    /// Instructions that hold for it alone.
    pub instructions: Option<String>,
}

/// How a session gets its name; whatever it is, it is masked, and cut to one line of a list.
#[derive(Debug, Clone)]
pub enum Naming {
    /// The user gave it: it stays.
    Given(String),
    /// The beginning of this, its first message, has to do.
    Words(String),
    /// `New Session` at first; after the first run the model is asked for a title.
    Later,
}

/// What a session is called before anyone has named it.
pub const NEW_SESSION: &str = "New Session";

impl Runtime {
    /// Opens the home's sessions, to be asked about and to be worked in.
    pub async fn open(database: &Location, setup: Setup) -> Result<Self, Failure> {
        Self::with(database, Some(Arc::new(setup))).await
    }

    /// Opens the home's sessions to be asked about only.
    pub async fn open_for_questions(database: &Location) -> Result<Self, Failure> {
        Self::with(database, None).await
    }

    async fn with(database: &Location, setup: Option<Arc<Setup>>) -> Result<Self, Failure> {
        let store = Store::open(database).await.map_err(|error| error.failure())?;
        let redactor = setup.as_ref().map(|setup| Redactor::with_secrets(&setup.secrets));
        Ok(Self {
            store: Arc::new(store),
            setup,
            redactor: redactor.unwrap_or_default(),
            tools: Arc::new(Registry::built_in()),
            sources: Arc::default(),
            sessions: Arc::default(),
        })
    }

    /// Begins a session. It is stored together with its first message; without one and without a reader it is forgotten
    /// after a while.
    pub fn create(&self, new: NewSession) -> Result<SessionId, Failure> {
        let session = SessionId::now();
        let setup = self.setup()?;
        let vault = self.vault(&setup);
        // A name is often made of the first words of a message, and an instruction is one.
        // Masked before it is cut: half a key looks like none.
        let name = match &new.naming {
            Naming::Given(name) | Naming::Words(name) => {
                vault.erase(name).chars().take(NAME_CHARS_MAX).collect()
            }
            Naming::Later => NEW_SESSION.to_owned(),
        };
        let instructions = new.instructions.map(|text| vault.hide(&text));
        let source = new.origin.as_str();
        let handle = self.start(session, 0, vault, instructions.clone());
        handle.journal.open(EventBody::SessionCreated {
            source: source.to_owned(),
            name,
            workspace: setup.workspace.display().to_string(),
            instructions,
            forked_from: None,
        });
        SessionCreated { session_id: session, source }.log();
        Ok(session)
    }

    /// Hands a submission to its session. It is stored when this returns.
    pub async fn submit(&self, submission: Submission) -> Result<Receipt, Failure> {
        let Submission { session, origin, body } = submission;
        let handle = self.handle(session).await?;
        let (taken, answer) = oneshot::channel();
        let command = Command { origin, body, setup: self.setup()?, taken };
        // An actor that is gone has left its last word in the journal.
        if handle.inbox.send(command).await.is_err() {
            return Err(handle.journal.failed().await);
        }
        let Ok(taken) = answer.await else { return Err(handle.journal.failed().await) };
        let taken = taken?;
        handle.journal.stored(taken.told).await?;
        Ok(taken.receipt)
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

    fn vault(&self, setup: &Arc<Setup>) -> Arc<Vault> {
        Arc::new(Vault::new(self.redactor.clone(), Arc::clone(setup)))
    }

    /// The session's actor, started if it has none yet.
    async fn handle(&self, session: SessionId) -> Result<Handle, Failure> {
        if let Some(handle) = self.sessions.find(session) {
            return Ok(handle);
        }
        let unknown = || Failure::new(Code::SessionUnknown).with("session", session);
        let summary =
            self.store.session(session).await.map_err(|error| error.failure())?.ok_or_else(unknown)?;
        let seq = self.store.last_seq(session).await.map_err(|error| error.failure())?.ok_or_else(unknown)?;
        let vault = self.vault(&self.setup()?);
        Ok(self.start(session, seq, vault, summary.instructions))
    }

    fn start(&self, session: SessionId, seq: u64, vault: Arc<Vault>, instructions: Option<String>) -> Handle {
        self.sessions.find_or_start(session, || {
            let journal = Arc::new(Journal::new(session, seq, Arc::clone(&vault)));
            let (inbox, commands) = mpsc::channel(INBOX_MAX);
            let actor = Actor {
                session,
                instructions,
                store: Arc::clone(&self.store),
                journal: Arc::clone(&journal),
                vault,
                tools: Arc::clone(&self.tools),
                sources: Arc::clone(&self.sources),
                sessions: Arc::downgrade(&self.sessions),
            };
            tokio::spawn(actor.live(commands));
            Handle { inbox, journal }
        })
    }
}
