//! From the output of a failed command to the rule that explains it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use regex::{Captures, Regex};

use super::base::{Lazy, ONE_BY_ONE_BYTES_MAX, Recipe, RuleBase};
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
    let trial = Trial::new(seen);
    for (id, places) in places(base, seen.text) {
        candidates.extend(base.recipe(id).and_then(|recipe| trial.of(id, recipe, &places)));
    }
    for id in base.silent() {
        candidates.extend(base.recipe(id).and_then(|recipe| trial.of_silent(id, recipe)));
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
            found.entry(id).or_default().entry(pattern).or_default().join(&places);
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

/// A failed command, as far as all rules that are tried on it need it.
struct Trial<'s> {
    seen: &'s Seen<'s>,
    /// The output in lower case, when it is short; a long one is worth its patterns.
    lower: Option<String>,
    /// The simple commands, each also in lower case, and whether it is of the last command of the line.
    commands: Vec<(String, String, bool)>,
}

impl<'s> Trial<'s> {
    fn new(seen: &'s Seen<'s>) -> Self {
        let is_short = seen.text.len() <= ONE_BY_ONE_BYTES_MAX;
        let command = |(text, is_last): (String, bool)| (text.clone(), text.to_ascii_lowercase(), is_last);
        Self {
            seen,
            lower: is_short.then(|| seen.text.to_ascii_lowercase()),
            commands: seen.command.texts().map(command).collect(),
        }
    }

    /// Tries a rule whose fixed texts stand at these places.
    fn of(
        &self,
        id: usize,
        recipe: &Recipe,
        places: &BTreeMap<usize, Places>,
    ) -> Option<(Rank, usize, Found)> {
        let mut found = self.begun(recipe, &|_| true)?;
        let pattern = |(number, lazy): (usize, &Lazy)| {
            let places = places.get(&number)?;
            search(self.regex(lazy)?, places, recipe.pick, self.seen.text, recipe.unless.as_ref())
        };
        let (at, captured) = recipe.patterns.iter().enumerate().find_map(pattern)?;
        for (name, value) in captured {
            found.add(&name, value);
        }
        Some((self.rank(recipe, at), id, found))
    }

    fn regex<'l>(&self, lazy: &'l Lazy) -> Option<&'l Regex> {
        match &self.lower {
            Some(lower) => lazy.regex_for(lower),
            None => lazy.regex(),
        }
    }

    /// Tries a rule that the command line and the exit code decide. The exit code is that of the last command.
    fn of_silent(&self, id: usize, recipe: &Recipe) -> Option<(Rank, usize, Found)> {
        let found = self.begun(recipe, &|is_last| is_last)?;
        let said = recipe.unless.as_ref().and_then(Lazy::regex);
        let is_excepted = said.is_some_and(|unless| unless.is_match(self.seen.text));
        (!is_excepted).then(|| (self.rank(recipe, 0), id, found))
    }

    /// What is known from the command and its exit code, if the rule is about such commands at all.
    fn begun(&self, recipe: &Recipe, fits: &dyn Fn(bool) -> bool) -> Option<Found> {
        let exits = &recipe.rule.exit;
        if !exits.is_empty() && !exits.contains(&self.seen.exit) {
            return None;
        }
        let mut found = Found::default();
        found.add("command", self.seen.command.shell_line());
        found.add("program", self.seen.command.program());
        found.add("exit", self.seen.exit.to_string());
        if let Some(wanted) = &recipe.command {
            let of_command = |(text, lower, is_last): &(String, String, bool)| {
                let regex = fits(*is_last).then(|| wanted.regex_for(lower)).flatten()?;
                regex.captures(text).map(|captures| groups(regex, &captures))
            };
            for (name, value) in self.commands.iter().find_map(of_command)? {
                found.add(&name, value);
            }
        }
        Some(found)
    }

    fn rank(&self, recipe: &Recipe, at: usize) -> Rank {
        let is_own = |program: &str| recipe.programs.iter().any(|known| known == program);
        let position = isize::try_from(at).unwrap_or(isize::MAX);
        let (late, order) = match recipe.pick {
            Pick::First => (false, position),
            Pick::Last => (true, -position),
        };
        (Reverse(recipe.rule.weight), !self.seen.command.programs().any(is_own), late, order)
    }
}

/// Where a pattern matches around one of the places, and what its groups hold.
fn search(
    regex: &Regex,
    places: &Places,
    pick: Pick,
    text: &str,
    unless: Option<&Lazy>,
) -> Option<(usize, Vec<(String, String)>)> {
    let try_at = |at: &usize| {
        let (start, window) = window(text, *at);
        let captures = match pick {
            Pick::First => regex.captures(window),
            Pick::Last => regex.captures_iter(window).last(),
        }?;
        if unless.and_then(Lazy::regex).is_some_and(|unless| unless.is_match(window)) {
            return None;
        }
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
