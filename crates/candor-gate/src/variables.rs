//! The shell's variables, its arrays, and names that stand for other names.

use std::collections::HashMap;

/// How often a name may stand for another one. More would be a circle.
const HOPS_MAX: usize = 8;

/// The keys and values of an array, in their order.
pub(crate) type Items = Vec<(String, String)>;

/// What is known of the shell's variables. A value may hold [`crate::call::UNKNOWN`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    values: HashMap<String, String>,
    /// What is kept as an array. Such a name has no value of its own: by itself it stands for the first item.
    arrays: HashMap<String, Items>,
    /// Names declared with `declare -n`, and the names they stand for; nothing yet is an empty one.
    references: HashMap<String, String>,
}

impl Variables {
    /// The value, also through a reference.
    pub(crate) fn get(&self, name: &str) -> Option<&String> {
        let name = self.target(name)?;
        match self.arrays.get(name) {
            Some(items) => items.iter().find(|(key, _)| key == "0").map(|(_, value)| value),
            None => self.values.get(name),
        }
    }

    /// The keys and values of an array, also through a reference.
    pub(crate) fn items(&self, name: &str) -> Option<&Items> {
        self.arrays.get(self.target(name)?)
    }

    /// The value behind `${!name}`: that of the variable it names, or the name that a reference stands for.
    pub(crate) fn behind(&self, name: &str) -> Option<&String> {
        match self.references.get(name) {
            Some(target) => Some(target),
            None => self.get(self.get(name)?),
        }
    }

    /// Sets a value, also through a reference. Of an array this is the first item.
    pub(crate) fn insert(&mut self, name: String, value: String) {
        if let Some(target) = self.references.get_mut(&name).filter(|target| target.is_empty()) {
            *target = value;
            return;
        }
        let target = self.target(&name).map(str::to_owned).unwrap_or(name);
        if self.arrays.contains_key(&target) {
            self.insert_item(target, "0", value);
        } else {
            self.values.insert(target, value);
        }
    }

    /// Makes an array of a name.
    pub(crate) fn insert_array(&mut self, name: String, items: Items) {
        let target = self.target(&name).map(str::to_owned).unwrap_or(name);
        self.values.remove(&target);
        self.arrays.insert(target, items);
    }

    /// Sets one item of an array; a value that was there before is its first.
    pub(crate) fn insert_item(&mut self, name: String, key: &str, value: String) {
        let target = self.target(&name).map(str::to_owned).unwrap_or(name);
        let first = self.values.remove(&target).map(|first| ("0".to_owned(), first));
        let items = self.arrays.entry(target).or_insert_with(|| first.into_iter().collect());
        match items.iter_mut().find(|(other, _)| other == key) {
            Some((_, old)) => *old = value,
            None => items.push((key.to_owned(), value)),
        }
    }

    /// Forgets a name. It is then nothing, which is known.
    pub(crate) fn unset(&mut self, name: &str) {
        self.references.remove(name);
        self.arrays.remove(name);
        self.values.insert(name.to_owned(), String::new());
    }

    /// Makes a name what it was before.
    pub(crate) fn restore(&mut self, name: &str, before: &Self) {
        self.values.remove(name);
        self.arrays.remove(name);
        self.values.extend(before.values.get(name).map(|value| (name.to_owned(), value.clone())));
        self.arrays.extend(before.arrays.get(name).map(|items| (name.to_owned(), items.clone())));
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

/// The values of an array by their numbers.
pub(crate) fn numbered(values: impl IntoIterator<Item = String>) -> Items {
    values.into_iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
}

impl<const N: usize> From<[(String, String); N]> for Variables {
    fn from(values: [(String, String); N]) -> Self {
        Self { values: HashMap::from(values), ..Self::default() }
    }
}
