//! What a rule is: the keywords that wake it and the shape that must stand there.

use crate::{found::Found, set::Set};

/// One kind of secret.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) keys: Keys,
    pub(crate) shape: Shape,
    pub(crate) texture: Texture,
}

/// The strings whose presence wakes a rule: every head joined with every tail.
pub(crate) struct Keys {
    pub(crate) heads: &'static [&'static str],
    pub(crate) tails: &'static [&'static str],
}

/// What must be found around a keyword.
pub(crate) enum Shape {
    /// The keyword, in exactly this case, begins the secret, and the steps follow.
    Token(&'static [Step]),
    /// The keyword names whose secret it is, in any case; an assignment follows, then the steps.
    Context(&'static [Step]),
    /// The keyword, in any case, stands right before the secret, which the steps describe.
    After(&'static [Step]),
    /// A check of its own. The text ends where the line ends; the second argument is the keyword's place.
    Own(fn(&[u8], Hit) -> Option<Found>),
    /// A check of its own that goes from word to word. What it does not find, it looks for once more when the secrets of
    /// the line are known: a quote in one of them ends the search, and the mask of that secret would not.
    Words(fn(&[u8], Hit) -> Option<Found>),
    /// A check of its own that may look past the end of the line.
    Whole(fn(&[u8], Hit) -> Option<Found>),
}

/// Where a keyword stands.
#[derive(Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether a line begins at the first byte that the check sees.
    pub(crate) opens_line: bool,
}

/// One part of a secret. Parts are matched greedily and never given back, so a check is linear in its run.
pub(crate) enum Step {
    /// Exactly these bytes.
    Lit(&'static str),
    /// Between so many and so many members of the set.
    Run(&'static Set, usize, usize),
}

/// How random the bytes after the keyword must look. Short prefixes that also begin words need more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texture {
    /// Not a placeholder: enough different bytes.
    Varied,
    /// Also at least one digit and one letter.
    Mixed,
    /// Also at least two digits and both cases: for prefixes and contexts that occur in ordinary text.
    Dense,
    /// No demand: the structure alone is proof.
    Free,
}

/// Stands for "as long as the run goes".
pub(crate) const OPEN: usize = usize::MAX;

const NO_TAIL: &[&str] = &[""];

impl Rule {
    /// A secret that starts with one of `heads`.
    pub(crate) const fn token(
        name: &'static str,
        about: &'static str,
        heads: &'static [&'static str],
        steps: &'static [Step],
    ) -> Self {
        Self::new(name, about, heads, Shape::Token(steps))
    }

    /// A secret without a mark of its own that is assigned to a name with one of `heads` in it.
    pub(crate) const fn context(
        name: &'static str,
        about: &'static str,
        heads: &'static [&'static str],
        steps: &'static [Step],
    ) -> Self {
        Self::new(name, about, heads, Shape::Context(steps)).texture(Texture::Mixed)
    }

    /// A secret that stands right after one of `heads`, which itself stays.
    pub(crate) const fn after(
        name: &'static str,
        about: &'static str,
        heads: &'static [&'static str],
        steps: &'static [Step],
    ) -> Self {
        Self::new(name, about, heads, Shape::After(steps))
    }

    /// A secret that needs a check of its own.
    pub(crate) const fn own(
        name: &'static str,
        about: &'static str,
        heads: &'static [&'static str],
        check: fn(&[u8], Hit) -> Option<Found>,
    ) -> Self {
        Self::new(name, about, heads, Shape::Own(check))
    }

    /// A secret that stands so many words behind the keyword.
    pub(crate) const fn words(
        name: &'static str,
        about: &'static str,
        heads: &'static [&'static str],
        check: fn(&[u8], Hit) -> Option<Found>,
    ) -> Self {
        Self::new(name, about, heads, Shape::Words(check))
    }

    /// A secret of many lines.
    pub(crate) const fn whole(
        name: &'static str,
        about: &'static str,
        heads: &'static [&'static str],
        check: fn(&[u8], Hit) -> Option<Found>,
    ) -> Self {
        Self::new(name, about, heads, Shape::Whole(check))
    }

    const fn new(
        name: &'static str,
        about: &'static str,
        heads: &'static [&'static str],
        shape: Shape,
    ) -> Self {
        Self { name, about, keys: Keys { heads, tails: NO_TAIL }, shape, texture: Texture::Varied }
    }

    /// The same rule with every head continued by one of `tails`.
    pub(crate) const fn tails(mut self, tails: &'static [&'static str]) -> Self {
        self.keys.tails = tails;
        self
    }

    /// The same rule with another demand on randomness.
    pub(crate) const fn texture(mut self, texture: Texture) -> Self {
        self.texture = texture;
        self
    }

    /// Whether `keyword` is one of this rule's in exactly its case: the search for keywords ignores it.
    pub(crate) fn spells(&self, keyword: &[u8]) -> bool {
        let Keys { heads, tails } = self.keys;
        heads.iter().any(|head| {
            let tail = keyword.strip_prefix(head.as_bytes());
            tail.is_some_and(|tail| tails.iter().any(|known| known.as_bytes() == tail))
        })
    }

    /// Every keyword of this rule.
    pub(crate) fn keywords(&self) -> impl Iterator<Item = String> {
        let Keys { heads, tails } = self.keys;
        heads.iter().flat_map(move |head| tails.iter().map(move |tail| format!("{head}{tail}")))
    }
}
