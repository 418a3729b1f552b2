//! The way back to the front door, for those inside.

use std::sync::{Arc, Mutex, Weak};

use candor_store::Store;
use candor_tools::Registry;

use super::Scopes;
use crate::Runtime;
use crate::runtime::Settings;
use crate::sessions::Sessions;
use crate::sources::Sources;

/// The way back to the front door. What holds those inside is weak here: a session must not keep the runtime alive that it
/// is in.
#[derive(Clone)]
pub(crate) struct Door {
    store: Arc<Store>,
    settings: Arc<Mutex<Settings>>,
    tools: Weak<Registry>,
    sources: Arc<Sources>,
    sessions: Weak<Sessions>,
    scopes: Weak<Scopes>,
}

impl Door {
    pub(crate) fn of(runtime: &Runtime) -> Self {
        Self {
            store: Arc::clone(&runtime.store),
            settings: Arc::clone(&runtime.settings),
            tools: Arc::downgrade(&runtime.tools),
            sources: Arc::clone(&runtime.sources),
            sessions: Arc::downgrade(&runtime.sessions),
            scopes: Arc::downgrade(&runtime.scopes),
        }
    }

    /// The front door; nothing once the program is about to end.
    pub(crate) fn open(&self) -> Option<Runtime> {
        Some(Runtime {
            store: Arc::clone(&self.store),
            settings: Arc::clone(&self.settings),
            tools: self.tools.upgrade()?,
            sources: Arc::clone(&self.sources),
            sessions: self.sessions.upgrade()?,
            scopes: self.scopes.upgrade()?,
        })
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }
}
