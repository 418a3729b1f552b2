//! From the output of a failed command to the rule that explains it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use regex::{Captures, Regex};

use super::base::{Recipe, RuleBase};
use super::facts::Found;
use super::looks::look;
use super::rule::Pick;
use super::world::World;
use crate::Command;

/// How far around a fixed text its pattern is tried.
const WINDOW_BYTES: usize = 4 * 1024;
/// How many places of one fixed text are tried, from the first on and from the last back.
const PLACES_MAX: usize = 8;

/// A command that failed, as rules see it.
pub(crate) struct Seen<'a> {
    pub(crate) command: &'a Command,
    pub(crate) exit: i32,
    pub(crate) text: &'a str,
}

/// The rule that explains a failure best, and what it found.
pub(crate) struct Match<'b> {
    pub(crate) recipe: &'b Recipe,
    pub(crate) found: Found,
}

/// Where a fixed text stands.
#[derive(Default)]
struct Places {
    first: Vec<usize>,
    last: Vec<usize>,
}

/// Finds the best rule. Its own needs decide last, because looking at the world is dear.
pub(crate) fn best<'b>(base: &'b RuleBase, seen: &Seen<'_>, world: &dyn World) -> Option<Match<'b>> {
    let mut candidates: Vec<(Rank, usize, Found)> = Vec::new();
    for (id, places) in places(base, seen.text) {
        candidates.extend(base.recipe(id).and_then(|recipe| attempt(id, recipe, &places, seen)));
    }
    for id in base.silent() {
        candidates.extend(base.recipe(*id).and_then(|recipe| attempt(*id, recipe, &BTreeMap::new(), seen)));
    }
    candidates.sort_by_key(|(rank, id, _)| (*rank, *id));
    candidates.into_iter().find_map(|(_, id, found)| {
        let recipe = base.recipe(id)?;
        let found = looked(recipe, found, world)?;
        Some(Match { recipe, found })
    })
}

/// The order of rules that match, best first.
type Rank = (Reverse<i32>, bool, bool, isize);

/// The rules whose fixed texts stand in the output, with the places for each of their patterns.
fn places(base: &RuleBase, text: &str) -> BTreeMap<usize, BTreeMap<usize, Places>> {
    let mut found: BTreeMap<usize, BTreeMap<usize, Places>> = BTreeMap::new();
    if text.trim().is_empty() {
        return found;
    }
    let mut hits: BTreeMap<usize, Places> = BTreeMap::new();
    base.find_texts(text, |at, place| hits.entry(at).or_default().add(place));
    for (at, places) in hits {
        for (id, pattern) in base.behind(at) {
            found.entry(*id).or_default().entry(*pattern).or_default().join(&places);
        }
    }
    found
}

impl Places {
    fn add(&mut self, at: usize) {
        if self.first.len() < PLACES_MAX {
            self.first.push(at);
        }
        if self.last.len() == PLACES_MAX {
            self.last.remove(0);
        }
        self.last.push(at);
    }

    fn join(&mut self, other: &Self) {
        self.first.extend(&other.first);
        self.first.sort_unstable();
        self.last.extend(&other.last);
        self.last.sort_unstable();
    }
}

/// Tries one rule.
fn attempt(
    id: usize,
    recipe: &Recipe,
    places: &BTreeMap<usize, Places>,
    seen: &Seen<'_>,
) -> Option<(Rank, usize, Found)> {
    let rule = &recipe.rule;
    if !rule.exit.is_empty() && !rule.exit.contains(&seen.exit) {
        return None;
    }
    let compiled = recipe.compiled()?;
    let mut found = Found::default();
    found.add("command", seen.command.shell_line());
    found.add("program", seen.command.program());
    found.add("exit", seen.exit.to_string());
    if let Some(wanted) = &compiled.command {
        let text = seen.command.texts().find(|text| wanted.is_match(text))?;
        take(&mut found, wanted, &wanted.captures(&text)?);
    }
    let mut at = 0;
    if !compiled.patterns.is_empty() {
        let pattern = |(number, regex)| {
            places
                .get(&number)
                .and_then(|places| search(regex, places, recipe.pick, seen.text, compiled.unless.as_ref()))
        };
        let (position, captured) = compiled.patterns.iter().enumerate().find_map(pattern)?;
        at = position;
        for (name, value) in captured {
            found.add(&name, value);
        }
    }
    let own = seen.command.programs().any(|program| recipe.programs.iter().any(|known| known == program));
    let position = isize::try_from(at).unwrap_or(isize::MAX);
    let (late, order) = match recipe.pick {
        Pick::First => (false, position),
        Pick::Last => (true, -position),
    };
    Some(((Reverse(rule.weight), !own, late, order), id, found))
}

/// Where a pattern matches around one of the places, and what its groups hold.
fn search(
    regex: &Regex,
    places: &Places,
    pick: Pick,
    text: &str,
    unless: Option<&Regex>,
) -> Option<(usize, Vec<(String, String)>)> {
    let try_at = |at: &usize| {
        let (start, window) = window(text, *at);
        if unless.is_some_and(|unless| unless.is_match(window)) {
            return None;
        }
        let captures = match pick {
            Pick::First => regex.captures(window),
            Pick::Last => regex.captures_iter(window).last(),
        }?;
        Some((start + captures.get(0)?.start(), groups(regex, &captures)))
    };
    match pick {
        Pick::First => places.first.iter().find_map(try_at),
        Pick::Last => places.last.iter().rev().find_map(try_at),
    }
}

/// Whole lines around a place.
fn window(text: &str, at: usize) -> (usize, &str) {
    let from = text.floor_char_boundary(at.saturating_sub(WINDOW_BYTES));
    let to = text.floor_char_boundary(at.saturating_add(WINDOW_BYTES).min(text.len()));
    let from = if from == 0 {
        0
    } else {
        text.get(from..at).and_then(|before| before.find('\n')).map_or(from, |line| from + line + 1)
    };
    let to = text
        .get(at..to)
        .filter(|_| to < text.len())
        .and_then(|after| after.rfind('\n'))
        .map_or(to, |line| at + line);
    (from, text.get(from..to).unwrap_or_default())
}

fn groups(regex: &Regex, captures: &Captures<'_>) -> Vec<(String, String)> {
    let group = |name: &str| captures.name(name).map(|value| (name.to_owned(), value.as_str().to_owned()));
    regex.capture_names().flatten().filter_map(group).collect()
}

fn take(found: &mut Found, regex: &Regex, captures: &Captures<'_>) {
    for (name, value) in groups(regex, captures) {
        found.add(&name, value);
    }
}

/// What is found with the looks, if that is what the rule needs.
fn looked(recipe: &Recipe, mut found: Found, world: &dyn World) -> Option<Found> {
    for (name, wanted) in &recipe.rule.looks {
        if let Some(value) = look(wanted, &found, world) {
            found.add(name, value);
        }
    }
    let has = |name: &String| found.get(name).is_some();
    (recipe.rule.needs.iter().all(has) && !recipe.rule.lacks.iter().any(has)).then_some(found)
}
