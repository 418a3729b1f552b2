//! The front door.

use std::io::BufRead;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_agent::{Mask, first_words};
use candor_log::event::SessionCreated;
use candor_protocol::{Code, EventBody, Failure, Origin, Parent, SessionId, Submission};
use candor_redact::Redactor;
use candor_store::{Hit, Location, Search, Store};
use candor_tools::{Registry, Rules};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::actor::Actor;
use crate::asking::Asking;
use crate::children::{self, Charge, Door, Scopes};
use crate::hooking::Hooking;
use crate::import::{self, Ids, Imported};
use crate::journal::Journal;
use crate::naming::{self, NEW_SESSION, Name, Naming};
use crate::sessions::{Handle, Sessions};
use crate::sources::Sources;
use crate::taking::{Command, Receipt, Submit, no_setup};
use crate::vault::Vault;
use crate::{Setup, Subscription, fork, recovery};

/// How many submissions may be on their way to an actor at a time. It takes each at once, and decides then whether there
/// is room for it, so this is no more than what arrives together.
const INBOX_MAX: usize = 64;
/// How long the end of the program waits for a run that was told to stop, and for a name that is thought about.
const CLOSE_PATIENCE: Duration = Duration::from_secs(3);

/// Owns the sessions of one home.
pub struct Runtime {
    pub(crate) store: Arc<Store>,
    pub(crate) settings: Arc<Mutex<Settings>>,
    pub(crate) tools: Arc<Registry>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) scopes: Arc<Scopes>,
}

/// What the next run works with. A plain lock around it: it is held for a copy and never across a wait.
#[derive(Clone)]
pub(crate) struct Settings {
    setup: Option<Arc<Setup>>,
    secrets: Arc<[String]>,
    /// Knows the secrets; compiled once for all sessions.
    redactor: Redactor,
}

/// What an actor has to know of its session.
struct About {
    name: String,
    instructions: Option<String>,
    parent: Option<SessionId>,
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

impl Runtime {
    /// Opens the home's sessions, to be asked about and to be worked in. Runs that a dead process left open are closed.
    pub async fn open(database: &Location, setup: Setup) -> Result<Self, Failure> {
        // What a dead process left in the workspace goes with what it left in the store.
        setup.walls.policy.as_ref().map(candor_sandbox::remove_left_over);
        let has_children = setup.delegate.children > 0;
        let runtime = Self::with(database, Settings::of(setup)).await?;
        if has_children {
            runtime.tools.add(children::tool(&runtime.scopes));
        }
        recovery::close_all(&runtime.store).await?;
        Ok(runtime)
    }

    /// Opens the home's sessions to be asked about and looked after; no run can be started. The secrets are kept out of
    /// whatever is stored.
    pub async fn open_for_questions(database: &Location, secrets: Vec<String>) -> Result<Self, Failure> {
        let secrets: Arc<[String]> = secrets.into();
        let redactor = Redactor::with_secrets(secrets.iter());
        Self::with(database, Settings { setup: None, secrets, redactor }).await
    }

    async fn with(database: &Location, settings: Settings) -> Result<Self, Failure> {
        let store = Store::open(database).await.map_err(|error| error.failure())?;
        Ok(Self {
            store: Arc::new(store),
            settings: Arc::new(Mutex::new(settings)),
            tools: Arc::new(Registry::built_in()),
            sources: Arc::default(),
            sessions: Arc::default(),
            scopes: Arc::default(),
        })
    }

    /// The tools of all sessions. What is added or removed counts from the next request to a model on.
    pub fn tools(&self) -> &Registry {
        &self.tools
    }

    /// Begins a session. It is stored together with its first message; without one and without a reader it is forgotten
    /// after a while.
    pub fn create(&self, new: NewSession) -> Result<SessionId, Failure> {
        let settings = self.settings().clone();
        let setup = settings.setup.as_ref().ok_or_else(no_setup)?;
        Ok(self.begin(new, &setup.workspace, settings.vault(), None))
    }

    /// Begins a session in a folder, for itself or for another one, whose secrets it then shares.
    pub(crate) fn begin(
        &self,
        new: NewSession,
        workspace: &Path,
        vault: Arc<Vault>,
        parent: Option<Parent>,
    ) -> SessionId {
        let session = SessionId::now();
        // A name is often made of the first words of a message, and an instruction is one.
        // Masked before it is cut: half a key looks like none.
        let name = match &new.naming {
            Naming::Words(name) => first_words(&vault.erase(name)),
            Naming::Job { job, at } => naming::of_job(&vault.erase(job), *at),
            Naming::Later => NEW_SESSION.to_owned(),
        };
        let instructions = new.instructions.map(|text| vault.hide(&text));
        let source = new.origin.as_str();
        let about = About {
            name: name.clone(),
            instructions: instructions.clone(),
            parent: parent.as_ref().map(|parent| parent.session_id),
        };
        let handle = self.start(session, 0, vault, about);
        handle.journal.open(EventBody::SessionCreated {
            source: source.to_owned(),
            name,
            workspace: workspace.display().to_string(),
            instructions,
            job: new.naming.job(),
            forked_from: None,
            parent,
        });
        SessionCreated { session_id: session, source }.log();
        session
    }

    /// Hands a submission to its session. It is stored when this returns.
    pub async fn submit(&self, submission: Submission) -> Result<Receipt, Failure> {
        let setup = self.settings().setup.clone();
        self.hand_in(submission, setup, None).await
    }

    /// The same with what a run of it works with, and whom it works for.
    pub(crate) async fn hand_in(
        &self,
        submission: Submission,
        setup: Option<Arc<Setup>>,
        charge: Option<Arc<Charge>>,
    ) -> Result<Receipt, Failure> {
        let Submission { session, origin, body } = submission;
        let handle = self.handle(session).await?;
        let (taken, answer) = oneshot::channel();
        let body = handle.hooking.look_at(origin, body, setup.as_ref()).await?;
        let command = Command::Submit(Submit { origin, body, setup, charge, taken });
        // An actor that is gone has left its last word in the journal.
        if handle.inbox.send(command).await.is_err() {
            return Err(handle.journal.failed().await);
        }
        let Ok(taken) = answer.await else { return Err(handle.journal.failed().await) };
        let taken = taken?;
        handle.journal.stored(taken.told).await?;
        Ok(taken.receipt)
    }

    /// Everything that happened in a session after an event, and everything that will, also where another process writes.
    pub async fn subscribe(&self, session: SessionId, after: u64) -> Result<Subscription, Failure> {
        let handle = self.handle(session).await?;
        Subscription::begin(session, Arc::clone(&self.store), handle.journal, after).await
    }

    /// What is stored.
    pub fn query(&self) -> &Store {
        &self.store
    }

    /// From the next run on, this is what runs work with.
    pub fn reconfigure(&self, setup: Setup) {
        *self.settings() = Settings::of(setup);
    }

    /// Finds messages by their words.
    pub async fn search(&self, search: &Search) -> Result<Vec<Hit>, Failure> {
        self.store.search(search).await.map_err(|error| error.failure())
    }

    /// Splits a session off from another, at the end of the last run that had ended by an event; without one, at its end.
    pub async fn fork(&self, session: SessionId, upto: Option<u64>) -> Result<SessionId, Failure> {
        let found = self.store.session(session).await.map_err(|error| error.failure())?;
        let found = found.ok_or_else(|| unknown(session))?;
        fork::fork(&self.store, session, upto.unwrap_or(u64::MAX), &found.name).await
    }

    /// Deletes a session for good, with those that work for it, unless somebody writes one of them.
    pub async fn delete(&self, session: SessionId) -> Result<(), Failure> {
        if children::delete(&self.store, session).await? { Ok(()) } else { Err(unknown(session)) }
    }

    /// Takes in a session from elsewhere: the lines of an export, which is called `name` in messages. All of it, or nothing.
    pub async fn import(
        &self,
        lines: &mut (dyn BufRead + Send),
        name: &str,
        ids: Ids,
    ) -> Result<Imported, Failure> {
        let redactor = self.settings().redactor.clone();
        import::import(&self.store, &redactor, lines, name, ids).await
    }

    /// Ends what goes on in this process, for a while: runs are told to stop, names are settled, and what was told is
    /// stored. What is not done by then is left to recovery.
    pub async fn close(&self) {
        let ending = self.sessions.all().into_iter().map(|(session, handle)| self.end(session, handle));
        futures_util::future::join_all(ending).await;
        self.part().await;
    }

    /// Tells the hooks of all sessions that they end in this process.
    pub async fn part(&self) {
        let sessions = self.sessions.all();
        let ending = sessions.iter().map(|(_, handle)| handle.hooking.end());
        futures_util::future::join_all(ending).await;
    }

    async fn end(&self, session: SessionId, handle: Handle) {
        let (heard, answer) = oneshot::channel();
        let stopped = async {
            // A session that is gone has nothing to stop.
            let _ = handle.inbox.send(Command::Close(heard)).await;
            let _ = answer.await;
            handle.journal.idle().await;
        };
        let _ = timeout(CLOSE_PATIENCE, stopped).await;
        let is_named = timeout(CLOSE_PATIENCE, handle.name.settled()).await.is_ok();
        let stored = async {
            if !is_named {
                let named = naming::words(&self.store, session).await;
                let _ = handle.inbox.send(Command::Named(Box::new(named))).await;
                handle.name.settled().await;
            }
            let _ = handle.journal.stored(handle.journal.told()).await;
        };
        let _ = timeout(CLOSE_PATIENCE, stored).await;
    }

    /// What tools may do, as it is set now.
    pub(crate) fn rules(&self) -> Result<Rules, Failure> {
        self.settings().setup.as_ref().map(|setup| setup.tools.clone()).ok_or_else(no_setup)
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session's actor, started if it has none yet.
    async fn handle(&self, session: SessionId) -> Result<Handle, Failure> {
        if let Some(handle) = self.sessions.find(session) {
            return Ok(handle);
        }
        let failed = |error: candor_store::Error| error.failure();
        let summary = self.store.session(session).await.map_err(failed)?.ok_or_else(|| unknown(session))?;
        let seq = self.store.last_seq(session).await.map_err(failed)?.ok_or_else(|| unknown(session))?;
        let vault = self.settings().vault();
        let about = About { name: summary.name, instructions: summary.instructions, parent: summary.parent };
        Ok(self.start(session, seq, vault, about))
    }

    fn start(&self, session: SessionId, seq: u64, vault: Arc<Vault>, about: About) -> Handle {
        let About { name, instructions, parent } = about;
        self.sessions.find_or_start(session, || {
            let journal = Arc::new(Journal::new(session, seq, Arc::clone(&vault)));
            let name = Arc::new(Name::new(&name));
            let hooking = Hooking::new(session, seq == 0, Arc::clone(&journal), Arc::clone(&vault));
            let hooking = Arc::new(hooking);
            let asking = Arc::new(Asking::new(Arc::clone(&journal), Arc::clone(&vault)));
            let (inbox, commands) = mpsc::channel(INBOX_MAX);
            let actor = Actor {
                session,
                parent,
                resumed: AtomicBool::new(seq > 0),
                instructions,
                store: Arc::clone(&self.store),
                journal: Arc::clone(&journal),
                vault,
                name: Arc::clone(&name),
                tools: Arc::clone(&self.tools),
                sources: Arc::clone(&self.sources),
                asking,
                grants: Arc::default(),
                hooking: Arc::clone(&hooking),
                processes: Arc::default(),
                tracking: Arc::default(),
                guides: Arc::default(),
                sought: Arc::default(),
                scopes: Arc::clone(&self.scopes),
                door: Door::of(self),
                sessions: Arc::downgrade(&self.sessions),
                inbox: inbox.downgrade(),
            };
            tokio::spawn(actor.live(commands));
            Handle { inbox, journal, name, hooking }
        })
    }
}

impl Settings {
    fn of(setup: Setup) -> Self {
        let secrets = Arc::clone(&setup.secrets);
        let redactor = Redactor::with_secrets(secrets.iter());
        Self { setup: Some(Arc::new(setup)), secrets, redactor }
    }

    fn vault(&self) -> Arc<Vault> {
        Arc::new(Vault::new(self.redactor.clone(), Arc::clone(&self.secrets)))
    }
}

pub(crate) fn unknown(session: SessionId) -> Failure {
    Failure::new(Code::SessionUnknown).with("session", session)
}
