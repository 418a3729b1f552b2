//! All rules that are in force, ready to be matched.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::literal::{Fixed, FixedOfRule, all_stand};
use super::rule::{Pick, Rule, RuleFile};

/// Our own rules, without their examples, as the build script found them.
const BUILT_IN: &str = include_str!(concat!(env!("OUT_DIR"), "/rules.json"));

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
    recipes: Vec<Recipe>,
    /// The texts, and for each the rules and patterns that need it.
    texts: Vec<(String, Vec<(usize, usize)>)>,
    /// The rules that need no output.
    silent: Vec<usize>,
    searcher: OnceLock<Option<AhoCorasick>>,
}

impl RuleBase {
    /// Our own rules.
    pub fn built_in() -> Self {
        Self::with(Vec::new())
    }

    /// These rules, and ours after them.
    pub fn with(own: Vec<Prepared>) -> Self {
        // The build script wrote it; a test reads it.
        let ours: Vec<Prepared> = serde_json::from_str(BUILT_IN).unwrap_or_default();
        Self::only(own.into_iter().chain(ours))
    }

    /// These rules alone.
    pub fn only(files: impl IntoIterator<Item = Prepared>) -> Self {
        let mut base =
            Self { recipes: Vec::new(), texts: Vec::new(), silent: Vec::new(), searcher: OnceLock::new() };
        let mut known: HashMap<String, usize> = HashMap::new();
        for Prepared { file, fixed } in files {
            let (programs, ecosystem) = (Arc::from(file.programs), Arc::from(file.ecosystem));
            for (rule, FixedOfRule { patterns, command }) in file.rules.into_iter().zip(fixed) {
                let id = base.recipes.len();
                if patterns.is_empty() {
                    base.silent.push(id);
                }
                let texts = patterns.iter().enumerate();
                for (text, pattern) in
                    texts.flat_map(|(at, fixed)| fixed.texts.iter().map(move |text| (text, at)))
                {
                    let at = *known.entry(text.clone()).or_insert_with_key(|text| {
                        base.texts.push((text.clone(), Vec::new()));
                        base.texts.len() - 1
                    });
                    base.texts[at].1.push((id, pattern));
                }
                let written = rule.patterns.all().iter().zip(patterns);
                base.recipes.push(Recipe {
                    pick: file.pick,
                    programs: Arc::clone(&programs),
                    ecosystem: Arc::clone(&ecosystem),
                    command: rule.command.as_deref().map(|pattern| Lazy::new(pattern, command)),
                    patterns: written
                        .map(|(pattern, Fixed { others, .. })| Lazy::new(pattern, others))
                        .collect(),
                    unless: rule.unless.as_deref().map(|pattern| Lazy::new(pattern, Vec::new())),
                    rule,
                });
            }
        }
        base
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.recipes.len()
    }

    /// How many patterns had to be compiled so far, which is what a first explanation takes its time for.
    pub fn compiled(&self) -> usize {
        let of_rule = |recipe: &Recipe| {
            let lazy = recipe.patterns.iter().chain(&recipe.command).chain(&recipe.unless);
            lazy.filter(|lazy| lazy.compiled.get().is_some()).count()
        };
        self.recipes.iter().map(of_rule).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.recipes.is_empty()
    }

    /// The rules with the names of their ecosystems, in the order of their files.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &Rule)> {
        self.recipes.iter().map(|recipe| (&*recipe.ecosystem, &recipe.rule))
    }

    pub(crate) fn recipe(&self, id: usize) -> Option<&Recipe> {
        self.recipes.get(id)
    }

    pub(crate) fn silent(&self) -> &[usize] {
        &self.silent
    }

    /// The rules and patterns that need one of the texts.
    pub(crate) fn behind(&self, text: usize) -> &[(usize, usize)] {
        self.texts.get(text).map(|(_, behind)| behind.as_slice()).unwrap_or_default()
    }

    /// Tells each text that stands in an output, and where.
    pub(crate) fn find_texts(&self, output: &str, mut tell: impl FnMut(usize, usize)) {
        // To build what finds all texts in one pass takes longer than to look for each of them in a short output.
        if self.searcher.get().is_none() && output.len() <= ONE_BY_ONE_BYTES_MAX {
            let output = output.to_ascii_lowercase();
            for (at, (text, _)) in self.texts.iter().enumerate() {
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
            let texts = self.texts.iter().map(|(text, _)| text);
            let kind = Some(AhoCorasickKind::ContiguousNFA);
            AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(texts).ok()
        };
        self.searcher.get_or_init(build).as_ref()
    }
}
