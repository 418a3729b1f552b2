//! Places of a text that are masked, and the way between the text as it was and the masked one.

use std::{borrow::Cow, ops::Range};

use crate::MASK;

/// Places in order and without overlap.
pub(crate) struct Places {
    places: Vec<Range<usize>>,
    /// Where the mask of each place begins in the masked text.
    masks: Vec<usize>,
}

impl Places {
    pub(crate) fn new(places: Vec<Range<usize>>) -> Self {
        let mut masks = Vec::with_capacity(places.len());
        let (mut original, mut masked) = (0, 0);
        for place in &places {
            let mask = masked + (place.start - original);
            masks.push(mask);
            (original, masked) = (place.end, mask + MASK.len());
        }
        Self { places, masks }
    }

    /// The same of places in any order, which may overlap.
    pub(crate) fn joined(mut places: Vec<Range<usize>>) -> Self {
        places.sort_by_key(|place| place.start);
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(places.len());
        for place in places {
            match joined.last_mut() {
                Some(last) if place.start < last.end => last.end = last.end.max(place.end),
                _ => joined.push(place),
            }
        }
        Self::new(joined)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Range<usize>> {
        self.places.iter()
    }

    /// The text with every place masked; borrows when there is none.
    pub(crate) fn mask<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        for place in &self.places {
            out.extend_from_slice(text.get(at..place.start).unwrap_or_default());
            out.extend_from_slice(MASK.as_bytes());
            at = place.end;
        }
        out.extend_from_slice(text.get(at..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// Where what stands at `at` is in the masked text; nothing when it is masked itself.
    pub(crate) fn masked(&self, at: usize) -> Option<usize> {
        let before = self.places.partition_point(|place| place.start <= at);
        let Some(last) = before.checked_sub(1) else { return Some(at) };
        let (place, mask) = (self.places.get(last)?, self.masks.get(last)?);
        at.checked_sub(place.end).map(|behind| mask + MASK.len() + behind)
    }

    /// Where this range of the masked text is in the text as it was. What touches a mask takes in its whole place.
    pub(crate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.behind(self.masks.partition_point(|&mask| mask <= range.start), range.start);
        let end = self.behind(self.masks.partition_point(|&mask| mask < range.end), range.end);
        start.unwrap_or_else(|place| place.start)..end.unwrap_or_else(|place| place.end)
    }

    /// What `at` in the masked text was when `before` masks begin before it; the place, when it is in the last of them.
    fn behind(&self, before: usize, at: usize) -> Result<usize, &Range<usize>> {
        let last =
            before.checked_sub(1).and_then(|last| Some((self.places.get(last)?, self.masks.get(last)?)));
        let Some((place, mask)) = last else { return Ok(at) };
        at.checked_sub(mask + MASK.len()).map(|behind| place.end + behind).ok_or(place)
    }
}
