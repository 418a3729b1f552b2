//! The logins that we have, in a file for this user alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rmcp::transport::{AuthError, CredentialStore, StoredCredentials};
use serde_json::Value;

use crate::file::{read_to_string, replace};

/// The login for one server, in a file with others. It is found by what the server's entry runs: an entry that was changed to
/// another address does not get the login of the first.
#[derive(Debug, Clone)]
pub(crate) struct Tokens {
    file: PathBuf,
    key: String,
}

/// Several servers of this process share the file; each reads it, changes its own part and writes it back.
static WRITING: Mutex<()> = Mutex::new(());

impl Tokens {
    pub(crate) fn new(file: &Path, key: &str) -> Self {
        Self { file: file.to_owned(), key: key.to_owned() }
    }

    /// Whether there is a login.
    pub(crate) fn are_there(&self) -> bool {
        self.all().is_ok_and(|all| all.contains_key(&self.key))
    }

    /// What was granted with the login that we have.
    pub(crate) fn granted_scopes(&self) -> Vec<String> {
        let login = self.all().unwrap_or_default().remove(&self.key);
        let scopes = login.and_then(|login| login["granted_scopes"].as_array().cloned()).unwrap_or_default();
        scopes.iter().filter_map(|scope| scope.as_str().map(str::to_owned)).collect()
    }

    /// Forgets the login; whether there was one.
    pub(crate) fn forget(&self) -> Result<bool, String> {
        let mut found = false;
        self.change(|all| found = all.remove(&self.key).is_some())?;
        Ok(found)
    }

    fn all(&self) -> Result<BTreeMap<String, Value>, String> {
        let Some(text) = read_to_string(&self.file).map_err(|error| error.to_string())? else {
            return Ok(BTreeMap::new());
        };
        // What cannot be read is no login; it is asked for again.
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Value>)) -> Result<(), String> {
        let _writing = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut all = self.all()?;
        change(&mut all);
        let text = serde_json::to_string(&all).map_err(|error| error.to_string())?;
        replace(&self.file, text.as_bytes()).map_err(|error| error.to_string())
    }
}

#[async_trait::async_trait]
impl CredentialStore for Tokens {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let all = self.all().map_err(AuthError::CredentialStoreError)?;
        Ok(all.get(&self.key).and_then(|login| serde_json::from_value(login.clone()).ok()))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let login = serde_json::to_value(&credentials);
        let login = login.map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        self.change(|all| _ = all.insert(self.key.clone(), login)).map_err(AuthError::CredentialStoreError)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.forget().map(|_| ()).map_err(AuthError::CredentialStoreError)
    }
}
