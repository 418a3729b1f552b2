//! The public type, and how what was found becomes masked text.

use std::{
    borrow::Cow,
    fmt,
    ops::Range,
    sync::{Arc, OnceLock},
};

use crate::{
    KNOWN_VALUE, Live, MASK, Stream,
    found::{Cover, Found},
    known::Known,
    places::Places,
    scan::{BEGINNING, scan},
};

/// Finds secrets and masks them. Cheap to clone; nothing is compiled before the first use.
#[derive(Clone, Default)]
pub struct Redactor {
    secrets: Option<Arc<Secrets>>,
}

/// The values as they were given, and the automaton over their forms once a text was looked at.
struct Secrets {
    values: Vec<Vec<u8>>,
    known: OnceLock<Option<Known>>,
}

/// A secret's place in a text, and which rule knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The bytes that are masked.
    pub range: Range<usize>,
    /// The name of the rule, one of [`rules()`](crate::rules()) or `known-value` or `key-name`.
    pub rule: &'static str,
}

impl Redactor {
    /// Knows the rules and the key names, and no values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also knows the exact values of these secrets, in every encoding of the crate's first layer.
    ///
    /// White space around a value is not part of it. A value is not looked for when it is shorter than six
    /// bytes (eight for a number), one byte repeated, or an ordinary word such as `password` or `localhost`:
    /// masking those would eat text and protect nothing.
    pub fn with_secrets<I, S>(secrets: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<[u8]>,
    {
        let values: Vec<Vec<u8>> = secrets.into_iter().map(|secret| secret.as_ref().to_vec()).collect();
        let secrets = Secrets { values, known: OnceLock::new() };
        Self { secrets: (!secrets.values.is_empty()).then(|| Arc::new(secrets)) }
    }

    /// Masks every secret of `text`; borrows when there is none.
    pub fn redact<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let unknown = self.mask_known(text);
        match mask_found(&unknown, unknown_secrets(&unknown)) {
            Some(masked) => Cow::Owned(masked),
            None => unknown,
        }
    }

    /// Masks every secret of `text`; borrows when there is none.
    pub fn redact_str<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // A known value that is no UTF-8 itself may have split a character.
            Cow::Owned(masked) => match String::from_utf8(masked) {
                Ok(masked) => Cow::Owned(masked),
                Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
            },
        }
    }

    /// All secrets of `text`, in order and without overlap.
    pub fn find(&self, text: &[u8]) -> Vec<Finding> {
        let places = self.known_places(text);
        let masked = places.mask(text);
        let finding = |found: Found| Finding { range: places.original(&found.range), rule: found.rule };
        let known = places.iter().map(|place| Finding { range: place.clone(), rule: KNOWN_VALUE });
        let mut findings: Vec<Finding> =
            known.chain(unknown_secrets(&masked).into_iter().map(finding)).collect();
        findings.sort_by_key(|finding| (finding.range.start, finding.range.end));
        let mut joined: Vec<Finding> = Vec::with_capacity(findings.len());
        for finding in findings {
            match joined.last_mut() {
                Some(last) if finding.range.start < last.range.end => {
                    last.range.end = last.range.end.max(finding.range.end);
                }
                _ => joined.push(finding),
            }
        }
        joined
    }

    /// A redactor for data that arrives in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }

    /// A redactor for words that somebody reads while they are written: it looks for known values only and holds back
    /// no more than what may be the beginning of one.
    pub fn live(&self) -> Live {
        Live::new(self.clone())
    }

    /// Masks known values and nothing else: for text whose writer cannot know any other secret of ours.
    pub fn redact_known<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.mask_known(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(masked) => Cow::Owned(String::from_utf8_lossy(&masked).into_owned()),
        }
    }

    pub(crate) fn known(&self) -> Option<&Known> {
        let secrets = self.secrets.as_ref()?;
        secrets.known.get_or_init(|| Known::new(&secrets.values)).as_ref()
    }

    fn known_places(&self, text: &[u8]) -> Places {
        Places::new(self.known().map(|known| known.find(text)).unwrap_or_default())
    }

    pub(crate) fn mask_known<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        self.known_places(text).mask(text)
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.secrets.as_ref().map_or(0, |secrets| secrets.values.len());
        formatter.debug_struct("Redactor").field("known_values", &count).finish()
    }
}

/// What rules and key names find, in order, joined where they overlap.
pub(crate) fn unknown_secrets(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    scan(text, BEGINNING, &mut found);
    join(found)
}

pub(crate) fn join(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut joined: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        match joined.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                if next.range.end > last.range.end {
                    last.range.end = next.range.end;
                    last.tail = next.tail;
                }
            }
            _ => joined.push(next),
        }
    }
    joined
}

fn mask_found(text: &[u8], found: Vec<Found>) -> Option<Vec<u8>> {
    if found.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    for found in found {
        out.extend_from_slice(text.get(at..found.range.start).unwrap_or_default());
        write_mask(found.cover, &mut out);
        at = found.range.end;
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    Some(out)
}

pub(crate) fn write_mask(cover: Cover, out: &mut Vec<u8>) {
    let quote = |out: &mut Vec<u8>| {
        if let Cover::Quoted { escapes } = cover {
            out.extend(std::iter::repeat_n(b'\\', escapes));
            out.push(b'"');
        }
    };
    quote(out);
    out.extend_from_slice(MASK.as_bytes());
    quote(out);
}
