//! All rules that are in force, ready to be matched.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::built_in;
use super::index::Index;
use super::literal::{Fixed, FixedOfRule, all_stand};
use super::rule::{Pick, Rule, RuleFile};

/// The largest automaton that a pattern may become: a user's own pattern must not eat the memory.
const REGEX_BYTES_MAX: usize = 4 << 20;

/// The longest output in which the texts are looked for one by one.
pub(super) const ONE_BY_ONE_BYTES_MAX: usize = 16 * 1024;

/// A file with what is needed to match its rules.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Prepared {
    file: RuleFile,
    /// For each rule: the texts that must stand.
    fixed: Vec<FixedOfRule>,
}

impl Prepared {
    /// Finds what each pattern needs, or says which rule has one that needs nothing.
    pub fn new(file: RuleFile) -> Result<Self, (usize, String)> {
        let of = |(at, rule): (usize, &Rule)| {
            FixedOfRule::of(rule.patterns.all(), rule.command.as_deref()).map_err(|why| (at, why))
        };
        let fixed = file.rules.iter().enumerate().map(of).collect::<Result<_, _>>()?;
        Ok(Self { file, fixed })
    }

    fn recipes(self) -> impl Iterator<Item = (Recipe, FixedOfRule)> {
        let Self { file, fixed } = self;
        let (programs, ecosystem) = (Arc::from(file.programs), Arc::from(file.ecosystem));
        file.rules.into_iter().zip(fixed).map(move |(rule, fixed)| {
            let of = (Arc::clone(&ecosystem), Arc::clone(&programs), file.pick);
            (Recipe::new(rule, fixed.clone(), of), fixed)
        })
    }

    /// The same with no step called safe: for a file whose writer is not known.
    #[must_use]
    pub fn without_safe_steps(mut self) -> Self {
        for step in self.file.rules.iter_mut().flat_map(|rule| &mut rule.steps) {
            step.safe = false;
        }
        self
    }
}

/// A rule with its patterns.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) rule: Rule,
    pub(crate) pick: Pick,
    pub(crate) programs: Arc<[String]>,
    pub(crate) ecosystem: Arc<str>,
    pub(crate) command: Option<Lazy>,
    pub(crate) patterns: Vec<Lazy>,
    pub(crate) unless: Option<Lazy>,
}

impl Recipe {
    pub(super) fn new(
        rule: Rule,
        fixed: FixedOfRule,
        (ecosystem, programs, pick): (Arc<str>, Arc<[String]>, Pick),
    ) -> Self {
        let written = rule.patterns.all().iter().zip(fixed.patterns);
        Self {
            pick,
            programs,
            ecosystem,
            command: rule.command.as_deref().map(|pattern| Lazy::new(pattern, fixed.command)),
            patterns: written.map(|(pattern, Fixed { others, .. })| Lazy::new(pattern, others)).collect(),
            unless: rule.unless.as_deref().map(|pattern| Lazy::new(pattern, Vec::new())),
            rule,
        }
    }
}

/// A pattern that is compiled when it is first needed, which most never are: to compile one takes as long as to search a
/// page with a hundred.
#[derive(Debug)]
pub(crate) struct Lazy {
    pattern: String,
    /// Of each of these sets one text must stand.
    needs: Vec<Vec<String>>,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    fn new(pattern: &str, needs: Vec<Vec<String>>) -> Self {
        Self { pattern: pattern.to_owned(), needs, compiled: OnceLock::new() }
    }

    /// The pattern; nothing when it is not valid, which the linter tells and a build does not pass.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.pattern).ok()).as_ref()
    }

    /// The pattern, if a text can match it at all. `lower` is that text in lower case.
    pub(crate) fn regex_for(&self, lower: &str) -> Option<&Regex> {
        let is_ready = self.compiled.get().is_some();
        (is_ready || all_stand(&self.needs, lower)).then(|| self.regex()).flatten()
    }
}

/// Whether all patterns of a rule can be compiled.
pub(crate) fn try_compile(rule: &Rule) -> Result<(), regex::Error> {
    let patterns = rule.patterns.all().iter().chain(&rule.command).chain(&rule.unless);
    patterns.into_iter().try_for_each(|pattern| compile(pattern).map(drop))
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).multi_line(true).size_limit(REGEX_BYTES_MAX).build()
}

/// All rules that are in force.
#[derive(Debug)]
pub struct RuleBase {
    rules: Vec<Slot>,
    /// The rules of a person, and ours.
    parts: Vec<Part>,
    searcher: OnceLock<Option<AhoCorasick>>,
}

/// A place for a rule. Ours are read when they are first needed, which most never are.
#[derive(Debug)]
struct Slot {
    written: &'static str,
    recipe: OnceLock<Option<Box<Recipe>>>,
}

/// Some of the rules, and how they are found.
#[derive(Debug)]
struct Part {
    /// How many rules and texts are before its own.
    rules_before: usize,
    texts_before: usize,
    texts: Vec<Cow<'static, str>>,
    index: Index,
}

impl RuleBase {
    /// Our own rules.
    pub fn built_in() -> Self {
        Self::with(Vec::new())
    }

    /// These rules, and ours after them.
    pub fn with(own: Vec<Prepared>) -> Self {
        let mut base = Self::only(own);
        let texts = built_in::texts().map(Cow::Borrowed).collect();
        base.add_part(texts, built_in::index());
        let slot = |written| Slot { written, recipe: OnceLock::new() };
        base.rules.extend(built_in::rules().map(slot));
        base
    }

    /// These rules alone.
    pub fn only(files: impl IntoIterator<Item = Prepared>) -> Self {
        let mut base = Self { rules: Vec::new(), parts: Vec::new(), searcher: OnceLock::new() };
        let (recipes, fixed): (Vec<_>, Vec<_>) = files.into_iter().flat_map(Prepared::recipes).unzip();
        let (index, texts) = Index::of(&fixed);
        base.add_part(texts.into_iter().map(Cow::Owned).collect(), index);
        let slot = |recipe| Slot { written: "", recipe: OnceLock::from(Some(Box::new(recipe))) };
        base.rules.extend(recipes.into_iter().map(slot));
        base
    }

    fn add_part(&mut self, texts: Vec<Cow<'static, str>>, index: Index) {
        let texts_before = self.parts.iter().map(|part| part.texts.len()).sum();
        self.parts.push(Part { rules_before: self.rules.len(), texts_before, texts, index });
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// How many rules had to be read so far, and how many patterns to be compiled: what a first explanation takes its time for.
    pub fn used(&self) -> (usize, usize) {
        let of_rule = |recipe: &Recipe| {
            let lazy = recipe.patterns.iter().chain(&recipe.command).chain(&recipe.unless);
            lazy.filter(|lazy| lazy.compiled.get().is_some()).count()
        };
        let read = || self.rules.iter().filter_map(|slot| slot.recipe.get()?.as_deref());
        (read().count(), read().map(of_rule).sum())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules with the names of their ecosystems, in the order of their files.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &Rule)> {
        let recipes = (0..self.len()).filter_map(|id| self.recipe(id));
        recipes.map(|recipe| (&*recipe.ecosystem, &recipe.rule))
    }

    pub(crate) fn recipe(&self, id: usize) -> Option<&Recipe> {
        let slot = self.rules.get(id)?;
        slot.recipe.get_or_init(|| built_in::rule(slot.written).map(Box::new)).as_deref()
    }

    pub(crate) fn silent(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().flat_map(|part| part.index.silent.iter().map(|id| part.rules_before + id))
    }

    /// The rules and patterns that need one of the texts.
    pub(crate) fn behind(&self, text: usize) -> impl Iterator<Item = (usize, usize)> {
        let part = self.parts.iter().rev().find(|part| part.texts_before <= text);
        let behind = part.map(|part| (part, part.index.behind(text - part.texts_before)));
        behind
            .into_iter()
            .flat_map(|(part, behind)| behind.iter().map(|(id, pattern)| (part.rules_before + id, *pattern)))
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| part.texts.iter().map(|text| &**text))
    }

    /// Tells each text that stands in an output, and where.
    pub(crate) fn find_texts(&self, output: &str, mut tell: impl FnMut(usize, usize)) {
        // To build what finds all texts in one pass takes longer than to look for each of them in a short output.
        if self.searcher.get().is_none() && output.len() <= ONE_BY_ONE_BYTES_MAX {
            let output = output.to_ascii_lowercase();
            for (at, text) in self.texts().enumerate() {
                memmem::find_iter(output.as_bytes(), text.as_bytes()).for_each(|place| tell(at, place));
            }
            return;
        }
        for hit in self.searcher().into_iter().flat_map(|searcher| searcher.find_overlapping_iter(output)) {
            tell(hit.pattern().as_usize(), hit.start());
        }
    }

    /// Finds all texts in one pass.
    fn searcher(&self) -> Option<&AhoCorasick> {
        let build = || {
            let kind = Some(AhoCorasickKind::ContiguousNFA);
            AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(self.texts()).ok()
        };
        self.searcher.get_or_init(build).as_ref()
    }
}
