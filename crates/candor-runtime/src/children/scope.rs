//! A run, as far as others may work for it.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use candor_agent::{BoxFuture, Children, Handed, Purse, Sink};
use candor_protocol::{EventBody, Evidence, SessionId};
use candor_store::SessionSummary;
use candor_tools::{Approver, Grants, Registry};
use futures_util::future::join_all;
use serde_json::json;
use tokio::time::{Instant, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::live::Live;
use super::report::Came;
use super::{Door, Family, NAME, past};
use crate::Setup;
use crate::actor::{Actor, Waiting};
use crate::journal::Journal;
use crate::vault::Vault;

/// How long children may take to end once they were told to: longer than a tool that ends its process.
const END_PATIENCE: Duration = Duration::from_secs(15);
/// How many children of a session are looked at.
pub(super) const CHILDREN_MAX: u32 = 200;

/// A run that others may work for: what they get of it, and who they are.
pub(crate) struct Scope {
    pub(crate) session: SessionId,
    pub(crate) setup: Arc<Setup>,
    pub(crate) tools: Arc<Registry>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) grants: Arc<Grants>,
    pub(super) vault: Arc<Vault>,
    pub(super) purse: Arc<Purse>,
    pub(super) family: Arc<Family>,
    /// How many runs stand above this one.
    pub(super) depth: u32,
    /// When its time is over.
    pub(super) deadline: Option<Instant>,
    pub(super) door: Door,
    journal: Arc<Journal>,
    /// Ends its children: with the run's own, or when the run is dropped.
    pub(super) cancel: CancellationToken,
    _ends: DropGuard,
    /// Its children, in the order of their start. A plain lock: it is held for a look and never across a wait.
    live: Mutex<Vec<Arc<Live>>>,
    /// Whether a process may have died over its children, and nobody has looked yet.
    resumed: AtomicBool,
}

impl Scope {
    /// The scope of a run that begins.
    pub(crate) async fn begin(actor: &Actor, next: &Waiting, cancel: &CancellationToken) -> Arc<Self> {
        let (setup, charge) = (Arc::clone(&next.setup), next.charge.as_deref());
        let depth = match (charge, actor.parent) {
            (Some(charge), _) => charge.depth,
            (None, None) => 0,
            // A person speaks to a child: it stands where it stood.
            (None, Some(_)) => {
                past::parent(&actor.store, actor.session).await.ok().flatten().map_or(1, |of| of.depth)
            }
        };
        let family = charge.map_or_else(|| Family::new(setup.delegate), |charge| Arc::clone(&charge.family));
        let untold: BTreeSet<String> =
            (!family.goes_deeper(depth)).then(|| NAME.to_owned()).into_iter().collect();
        let tools = charge.map_or(&actor.tools, |charge| &charge.tools);
        let tools =
            if untold.is_empty() { Arc::clone(tools) } else { Arc::new(tools.narrowed(None, untold)) };
        let purse =
            charge.map_or_else(|| Purse::new(setup.limits.cost_usd), |charge| Arc::clone(&charge.purse));
        let cancel = cancel.child_token();
        Arc::new(Self {
            session: actor.session,
            deadline: setup.limits.time.and_then(|time| Instant::now().checked_add(time)),
            setup,
            tools,
            approver: match charge {
                Some(charge) => Arc::clone(&charge.approver),
                None => Arc::clone(&actor.asking) as Arc<dyn Approver>,
            },
            grants: Arc::clone(charge.map_or(&actor.grants, |charge| &charge.grants)),
            vault: Arc::clone(&actor.vault),
            purse,
            family,
            depth,
            door: actor.door.clone(),
            journal: Arc::clone(&actor.journal),
            _ends: cancel.clone().drop_guard(),
            cancel,
            live: Mutex::default(),
            resumed: AtomicBool::new(actor.resumed.swap(false, Ordering::AcqRel)),
        })
    }

    /// Takes in a child that has begun.
    pub(super) fn adopt(&self, live: Arc<Live>) {
        self.live().push(live);
    }

    /// The latest run of a child in this run.
    pub(super) fn latest(&self, child: SessionId) -> Option<Arc<Live>> {
        self.live().iter().rev().find(|live| live.session == child).cloned()
    }

    /// What came of those that are over and that nobody was told about.
    fn untold(&self) -> Vec<Came> {
        let all = self.live().clone();
        let over = all.into_iter().filter(|live| live.is_over() && live.tell());
        over.filter_map(|live| live.came()).collect()
    }

    fn at_work(&self) -> Vec<Arc<Live>> {
        self.live().iter().filter(|live| !live.is_over()).cloned().collect()
    }

    /// What came of children over which the program died. A store that fails now is told about by whoever writes next.
    async fn interrupted(&self) -> Vec<Came> {
        let store = self.door.store();
        let children = store.children(self.session, CHILDREN_MAX).await.unwrap_or_default();
        let mut found = Vec::new();
        for child in children.iter().filter(|child| self.latest(child.id).is_none()) {
            found.extend(self.cut_off(child).await);
        }
        found
    }

    async fn cut_off(&self, child: &SessionSummary) -> Option<Came> {
        let store = self.door.store();
        let came = past::came(store, child).await.ok().flatten().filter(Came::is_interrupted)?;
        let was_told = past::was_told(store, self.session, came.run).await.ok()?;
        (!was_told).then_some(came)
    }

    async fn gathered(&self) -> Vec<Handed> {
        let waiting = self.at_work();
        if !waiting.is_empty() {
            let count = waiting.len();
            let what = if count == 1 { "a helper".to_owned() } else { format!("{count} helpers") };
            let message = format!("Waiting for {what}.");
            self.journal.emit(EventBody::Status { message, attempt: None, delay_ms: None, discard: false });
        }
        join_all(waiting.iter().map(|live| live.ended())).await;
        let mut came = self.untold();
        if self.resumed.swap(false, Ordering::AcqRel) {
            came.extend(self.interrupted().await);
        }
        came.iter().map(|came| self.handed(came)).collect()
    }

    fn handed(&self, came: &Came) -> Handed {
        let workspace = &self.setup.workspace;
        Handed {
            // It is made of ids that are there once.
            call_id: format!("{NAME}-{}", came.run),
            tool_name: NAME.to_owned(),
            args: json!({ "action": "result", "id": came.session }),
            told: came.told(workspace).to_string(),
            for_people: came.for_people(),
            changes: came.changes(workspace),
        }
    }

    fn live(&self) -> MutexGuard<'_, Vec<Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Children for Scope {
    fn purse(&self) -> &Arc<Purse> {
        &self.purse
    }

    fn gather(&self) -> BoxFuture<'_, Vec<Handed>> {
        Box::pin(self.gathered())
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        self.cancel.cancel();
        let waiting = self.at_work();
        Box::pin(async move {
            // What does not end by then is dropped with the process, and closed by the next one.
            let _ = timeout(END_PATIENCE, join_all(waiting.iter().map(|live| live.ended()))).await;
        })
    }

    fn evidence(&self) -> Vec<Evidence> {
        self.live().iter().filter_map(|live| live.came()).map(|came| came.evidence()).collect()
    }
}

/// The runs that go on in this process, by their sessions.
#[derive(Default)]
pub(crate) struct Scopes(Mutex<HashMap<SessionId, Weak<Scope>>>);

/// A run that is listed, until this is dropped.
pub(crate) struct Listed<'s> {
    scopes: &'s Scopes,
    session: SessionId,
}

impl Scopes {
    pub(crate) fn list(&self, scope: &Arc<Scope>) -> Listed<'_> {
        self.lock().insert(scope.session, Arc::downgrade(scope));
        Listed { scopes: self, session: scope.session }
    }

    pub(super) fn of(&self, session: SessionId) -> Option<Arc<Scope>> {
        self.lock().get(&session)?.upgrade()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Weak<Scope>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.scopes.lock().remove(&self.session);
    }
}
