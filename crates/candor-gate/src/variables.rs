//! The shell's variables, and names that stand for other names.

use std::collections::HashMap;

/// How often a name may stand for another one. More would be a circle.
const HOPS_MAX: usize = 8;

/// What is known of the shell's variables. A value may hold [`crate::call::UNKNOWN`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    values: HashMap<String, String>,
    /// Names declared with `declare -n`, and the names they stand for; nothing yet is an empty one.
    references: HashMap<String, String>,
}

impl Variables {
    /// The value, also through a reference.
    pub(crate) fn get(&self, name: &str) -> Option<&String> {
        self.values.get(self.target(name)?)
    }

    /// The value behind `${!name}`: that of the variable it names, or the name that a reference stands for.
    pub(crate) fn behind(&self, name: &str) -> Option<&String> {
        match self.references.get(name) {
            Some(target) => Some(target),
            None => self.get(self.get(name)?),
        }
    }

    /// Sets a value, also through a reference.
    pub(crate) fn insert(&mut self, name: String, value: String) {
        if let Some(target) = self.references.get_mut(&name).filter(|target| target.is_empty()) {
            *target = value;
            return;
        }
        let target = self.target(&name).map(str::to_owned);
        self.values.insert(target.unwrap_or(name), value);
    }

    /// Makes a name stand for another one, as `declare -n` does.
    pub(crate) fn refer(&mut self, name: String, target: String) {
        self.references.insert(name, target);
    }

    /// The name that a value is kept under; none where names stand for each other.
    fn target<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let mut name = name;
        for _ in 0..HOPS_MAX {
            match self.references.get(name) {
                Some(target) => name = target,
                None => return Some(name),
            }
        }
        None
    }
}

impl<const N: usize> From<[(String, String); N]> for Variables {
    fn from(values: [(String, String); N]) -> Self {
        Self { values: HashMap::from(values), references: HashMap::new() }
    }
}
