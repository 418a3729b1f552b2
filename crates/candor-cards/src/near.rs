//! The nearest of several words to a mistyped one.

/// The most words that are compared: a directory may hold any number.
const CANDIDATES_MAX: usize = 5_000;

/// The nearest candidate, if one is near enough to be meant; the first in the alphabet of several that are equally near.
pub(crate) fn nearest<S: AsRef<str>>(word: &str, candidates: impl IntoIterator<Item = S>) -> Option<String> {
    let wanted = word.to_lowercase();
    let far = distance_max(&wanted);
    candidates
        .into_iter()
        .take(CANDIDATES_MAX)
        .filter(|candidate| {
            candidate.as_ref() != word && candidate.as_ref().len().abs_diff(word.len()) <= far
        })
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&wanted, &candidate.as_ref().to_lowercase()),
                candidate.as_ref().to_owned(),
            )
        })
        .filter(|(distance, candidate)| {
            *distance <= far && (is_slip(*distance, &wanted) || begins_alike(&wanted, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Whether the difference is small beside the word.
fn is_slip(distance: usize, wanted: &str) -> bool {
    distance < 2 && wanted.chars().count() > 2
}

/// Two slips and another beginning make another word.
fn begins_alike(wanted: &str, candidate: &str) -> bool {
    wanted.chars().next() == candidate.to_lowercase().chars().next()
}

/// None in a tiny word, one slip in a short one, two in a longer one, three in a long one.
fn distance_max(word: &str) -> usize {
    match word.chars().count() {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    }
}
