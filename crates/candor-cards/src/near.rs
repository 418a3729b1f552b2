//! The nearest of several words to a mistyped one.

/// The most words that are compared: a directory may hold any number.
const CANDIDATES_MAX: usize = 5_000;

/// The longest part of a file's name that is another one with one letter exchanged.
const SHORT_CHARS_MAX: usize = 3;

/// The longest name of a program that is another one with one letter exchanged: `nope` is no slip for `node`.
const SHORT_PROGRAM_CHARS_MAX: usize = 4;

/// Programs that nobody should be sent to by a slip.
const HARMFUL: &[&str] = &[
    "rm", "dd", "shred", "mkfs", "fdisk", "wipefs", "kill", "killall", "reboot", "halt", "poweroff",
    "shutdown",
];

/// The nearest candidate, if one is near enough to be meant. Of several that are equally near one that begins alike, as slips
/// in the first letter are rare; then the first in the alphabet.
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
            let candidate = candidate.as_ref();
            let distance = strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase());
            (distance, !begins_alike(&wanted, candidate), candidate.to_owned())
        })
        .filter(|(distance, differs, _)| *distance <= far && (is_slip(*distance, &wanted) || !differs))
        .min()
        .map(|(_, _, candidate)| candidate)
}

/// The nearest name of a file, if one is near enough to be meant.
///
/// Files in one directory are named alike on purpose: `report-2.txt` is not a slip for `report-3.txt`, nor `a.c` for `a.h`.
pub(crate) fn nearest_file<S: AsRef<str>>(
    name: &str,
    candidates: impl IntoIterator<Item = S>,
) -> Option<String> {
    let could_be_meant = |candidate: &S| is_misspelt(name, candidate.as_ref());
    nearest(name, candidates.into_iter().take(CANDIDATES_MAX).filter(could_be_meant))
}

/// Whether a name can be another one with slips in it: the same numbers, and in each part no more slips than it bears.
fn is_misspelt(name: &str, candidate: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let parts = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    let (wanted, there) = (parts(name), parts(candidate));
    digits(name) == digits(candidate)
        && (wanted.len() != there.len() || wanted.iter().zip(&there).all(|(a, b)| a == b || is_part(a, b)))
}

/// Whether one part of a name can be another one with slips in it.
fn is_part(wanted: &str, there: &str) -> bool {
    let distance = strsim::damerau_levenshtein(wanted, there);
    distance <= distance_max(wanted).max(distance_max(there))
        && !is_other_word(wanted, there, SHORT_CHARS_MAX)
}

/// Whether a short word has another letter somewhere, which makes it another word.
fn is_other_word(wanted: &str, there: &str, short: usize) -> bool {
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let (wanted, there) = (letters(wanted), letters(there));
    wanted.len() <= short && wanted.len() == there.len() && wanted != there
}

/// The nearest name of a program, if one is near enough to be meant and running it instead does no harm.
pub(crate) fn nearest_program<S: AsRef<str>>(
    name: &str,
    programs: impl IntoIterator<Item = S>,
) -> Option<String> {
    let could_be_meant = |candidate: &S| {
        let candidate = candidate.as_ref();
        !HARMFUL.contains(&candidate) && !is_other_word(name, candidate, SHORT_PROGRAM_CHARS_MAX)
    };
    nearest(name, programs.into_iter().filter(could_be_meant))
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
