//! All keywords, and what each of them wakes. Built at first use, never at start.
//!
//! Keywords are found by their first three bytes: a bit map of all such triples, small enough for the first
//! cache, is asked at every place, and only where it says yes is the table of keywords read. An automaton over
//! the whole keywords was measured first: its table had 1.4 MB, every step waited for the one before it, and
//! it was several times slower and took ten milliseconds to build.

use std::{collections::BTreeMap, sync::LazyLock};

use crate::{names, rule::Rule, rules};

/// What a keyword wakes.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    Rule(&'static Rule),
    /// The look at the identifier around the keyword.
    Name,
}

/// A keyword in lower case and its targets.
pub(crate) struct Pattern {
    pub(crate) keyword: Box<[u8]>,
    pub(crate) targets: Vec<Target>,
}

/// Keywords by their first three bytes.
pub(crate) struct Index {
    /// One bit for each triple of byte classes.
    starts: Box<[u64; WORDS]>,
    /// Sorted by the triple of the keyword.
    patterns: Vec<Pattern>,
    /// By hash of the triple: where its patterns are.
    slots: Box<[Slot; SLOTS]>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    triple: u32,
    first: u16,
    count: u16,
    /// One bit for each class that the fourth byte of a keyword may have.
    fourths: u64,
}

const CLASS_BITS: u32 = 6;
const TRIPLE_MASK: u32 = (1 << (3 * CLASS_BITS)) - 1;
const WORDS: usize = 1 << (3 * CLASS_BITS - 6);
const SLOT_BITS: u32 = 11;
/// Several times as many as there are triples, so that a probe ends soon.
const SLOTS: usize = 1 << SLOT_BITS;

/// Every byte's class: letters without their case, and each sign that keywords have. All others share one.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let signs = b"_-.:/ =$?&\\~@\"!+%;,({[<>";
    let mut table = [0; 256];
    let mut next = 1;
    let mut at = 0;
    while at < 26 {
        table[b'a' as usize + at] = next;
        table[b'A' as usize + at] = next;
        next += 1;
        at += 1;
    }
    at = 0;
    while at < 10 {
        table[b'0' as usize + at] = next;
        next += 1;
        at += 1;
    }
    at = 0;
    while at < signs.len() {
        table[signs[at] as usize] = next;
        next += 1;
        at += 1;
    }
    assert!(next as u32 <= 1 << CLASS_BITS);
    table
}

/// The index of all rules and names.
pub(crate) fn index() -> &'static Index {
    static INDEX: LazyLock<Index> = LazyLock::new(Index::build);
    &INDEX
}

impl Index {
    #[expect(
        clippy::large_stack_arrays,
        reason = "built once; array types spare a bounds check at every byte"
    )]
    fn build() -> Self {
        let mut patterns: Vec<Pattern> = keywords()
            .into_iter()
            .map(|(keyword, targets)| Pattern { keyword: keyword.into_bytes().into(), targets })
            .collect();
        patterns.sort_by_key(|pattern| triple_of(&pattern.keyword));
        let mut index =
            Self { starts: Box::new([0; WORDS]), patterns, slots: Box::new([Slot::default(); SLOTS]) };
        for number in 0..index.patterns.len() {
            index.enter(number);
        }
        index
    }

    fn enter(&mut self, number: usize) {
        let Some(triple) = self.patterns.get(number).map(|pattern| triple_of(&pattern.keyword)) else {
            return;
        };
        self.starts[triple as usize >> 6] |= 1 << (triple & 63);
        let mut at = slot_of(triple);
        while self.slots[at].count > 0 && self.slots[at].triple != triple {
            at = (at + 1) % SLOTS;
        }
        let slot = &mut self.slots[at];
        if slot.count == 0 {
            *slot = Slot { triple, first: u16::try_from(number).unwrap_or(u16::MAX), count: 0, fourths: 0 };
        }
        slot.count += 1;
        let fourth = self.patterns.get(number).and_then(|pattern| pattern.keyword.get(3));
        slot.fourths |= fourth.map_or(u64::MAX, |&byte| 1 << class(byte));
    }

    fn slot(&self, triple: u32) -> &Slot {
        let mut at = slot_of(triple);
        while self.slots[at].count > 0 && self.slots[at].triple != triple {
            at = (at + 1) % SLOTS;
        }
        &self.slots[at]
    }

    /// The next place from `from` on where a keyword may start.
    pub(crate) fn next_start(&self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        let (head, tail) = rest.split_at_checked(2)?;
        let mut triple = head.iter().fold(0, |triple, &byte| shift(triple, byte));
        for (at, &byte) in tail.iter().enumerate() {
            triple = shift(triple, byte);
            if self.starts[triple as usize >> 6] >> (triple & 63) & 1 == 1 {
                let fourth = tail.get(at + 1).map_or(0, |&byte| class(byte));
                if self.slot(triple).fourths >> fourth & 1 == 1 {
                    return Some(from + at);
                }
            }
        }
        None
    }

    /// The keywords that `rest` starts with, in any case.
    pub(crate) fn patterns_at(&self, rest: &[u8]) -> impl Iterator<Item = &Pattern> {
        let &Slot { first, count, .. } = self.slot(triple_of(rest));
        let first = usize::from(first);
        let patterns = self.patterns.get(first..first + usize::from(count)).unwrap_or_default();
        patterns.iter().filter(move |pattern| {
            rest.get(..pattern.keyword.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(&pattern.keyword))
        })
    }
}

/// Every keyword in lower case with what it wakes.
fn keywords() -> BTreeMap<String, Vec<Target>> {
    let mut targets: BTreeMap<String, Vec<Target>> = BTreeMap::new();
    for rule in rules::all() {
        for keyword in rule.keywords() {
            let woken = targets.entry(keyword.to_ascii_lowercase()).or_default();
            let same = |target: &Target| matches!(target, Target::Rule(other) if std::ptr::eq(*other, rule));
            if !woken.iter().any(same) {
                woken.push(Target::Rule(rule));
            }
        }
    }
    for stem in names::STEMS {
        targets.entry((*stem).to_owned()).or_default().push(Target::Name);
    }
    targets
}

fn class(byte: u8) -> u32 {
    u32::from(CLASSES[usize::from(byte)])
}

fn shift(triple: u32, byte: u8) -> u32 {
    (triple << CLASS_BITS | class(byte)) & TRIPLE_MASK
}

fn triple_of(bytes: &[u8]) -> u32 {
    bytes.iter().take(3).fold(0, |triple, &byte| shift(triple, byte))
}

fn slot_of(triple: u32) -> usize {
    (triple.wrapping_mul(0x9e37_79b1) >> (32 - SLOT_BITS)) as usize
}
