//! Names: each is given once.

use std::collections::HashSet;

use super::reader::Reader;
use super::words::shown;
use super::yaml::Place;

/// How much of a command or an address becomes a name.
const NAME_CHARS_MAX: usize = 60;

/// Something with a name.
#[derive(Debug)]
pub(super) struct Named<T> {
    pub(super) item: T,
    /// Where its name was given; nothing if it was made up.
    pub(super) given_at: Option<Place>,
}

/// The items without those whose name was given before, in the same text: these are told, and left out.
pub(super) fn once<T>(
    reader: &mut Reader<'_>,
    what: &str,
    mut items: Vec<Named<T>>,
    name: fn(&mut T) -> &mut String,
) -> Vec<Named<T>> {
    let mut given = HashSet::new();
    items.retain_mut(|Named { item, given_at }| {
        let Some(place) = *given_at else { return true };
        let is_first = given.insert(name(item).clone());
        if !is_first {
            let called = shown(name(item));
            let message = format!("another {what} is called {called} already; this one is left out");
            reader.tell(place, message);
        }
        is_first
    });
    items
}

/// Gives every item a name of its own: those that were made up give way to those that were given.
pub(super) fn settled<T>(items: Vec<Named<T>>, name: fn(&mut T) -> &mut String) -> Vec<T> {
    let mut taken = HashSet::new();
    let mut items = items;
    for Named { item, given_at } in &mut items {
        if given_at.is_some() {
            taken.insert(name(item).clone());
        }
    }
    for Named { item, given_at } in &mut items {
        if given_at.is_none() {
            let called = unlike(name(item), |candidate| taken.contains(candidate));
            taken.insert(called.clone());
            *name(item) = called;
        }
    }
    items.into_iter().map(|named| named.item).collect()
}

/// The name, with a number if somebody has it already.
pub(super) fn unlike(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    // There are as many candidates as one likes, and few names.
    let mut numbered = (2u32..).map(|number| format!("{name} {number}"));
    numbered.find(|candidate| !is_taken(candidate)).unwrap_or_default()
}

/// The beginning of a text, in one line, as a name.
pub(super) fn shortened(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let cut: String = line.chars().take(NAME_CHARS_MAX).collect();
    if cut.len() < line.len() { format!("{}…", cut.trim_end()) } else { cut }
}
