//! The environment, read once and passed on as a value.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A snapshot of the environment. The only place where the process's variables are read.
#[derive(Clone, Default)]
pub struct Env {
    variables: BTreeMap<String, String>,
}

/// Shortest value that is taken for a secret: shorter ones would mask ordinary words.
const SECRET_BYTES_MIN: usize = 8;

impl Env {
    /// The environment of this process. Variables that are not UTF-8 are left out: no setting can hold them.
    pub fn capture() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the one reader of the environment")]
        let variables = std::env::vars_os();
        let utf8 =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Self { variables: variables.filter_map(utf8).collect() }
    }

    /// A made-up environment.
    pub fn of<N: Into<String>, V: Into<String>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        Self { variables: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }

    /// The value of a variable; an empty one counts as not set, as shells have no other way to unset for one command.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Whether a variable exists at all, empty or not.
    pub fn is_set(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// Every variable and its value.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The user's home directory.
    pub fn user_home(&self) -> Option<&Path> {
        self.get("HOME").map(Path::new).filter(|path| path.is_absolute())
    }

    /// `$CANDOR_HOME`, where it is set.
    pub(crate) fn candor_home(&self) -> Option<PathBuf> {
        self.get("CANDOR_HOME").map(PathBuf::from)
    }

    pub(crate) fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.variables
            .iter()
            .filter_map(move |(name, value)| name.strip_prefix(prefix).map(|rest| (rest, value.as_str())))
            .filter(|(_, value)| !value.is_empty())
    }

    /// The values of all variables whose names say that they are secrets, for masking.
    pub fn secret_values(&self) -> impl Iterator<Item = &str> {
        self.variables
            .iter()
            .filter(|(name, value)| names_secret(name) && value.len() >= SECRET_BYTES_MIN)
            .map(|(_, value)| value.as_str())
    }
}

/// Values are left out on purpose: a debug print must not carry the user's secrets.
impl std::fmt::Debug for Env {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.variables.keys()).finish()
    }
}

fn names_secret(name: &str) -> bool {
    const ENDINGS: [&str; 8] =
        ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_PASSPHRASE", "_CREDENTIALS", "_PAT"];
    let name = name.to_ascii_uppercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name == "PGPASSWORD"
        || name.ends_with("_DATABASE_URL")
}
