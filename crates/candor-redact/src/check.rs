//! Checks a shape at the place of a keyword: boundaries, steps, texture.

use crate::{
    found::{Found, Tail},
    rule::{Hit, OPEN, Rule, Shape, Step, Texture},
    set::{ALNUM, ANY_HEX, BLANK, Set, URL64},
};

/// An identifier between a provider's name and its value is no longer than this.
const CONTEXT_NAME_BYTES_MAX: usize = 40;
/// Quotes, blanks and an assignment sign between a name and its value.
const CONTEXT_GAP_BYTES_MAX: usize = 12;

/// What a rule finds at `hit`. `line` ends where the line ends, `text` where the text ends.
pub(crate) fn check(rule: &'static Rule, text: &[u8], line: &[u8], hit: Hit) -> Option<Found> {
    match &rule.shape {
        Shape::Token(steps) => token(rule, line, hit, steps),
        Shape::Context(steps) => {
            let start = context_value(line, hit)?;
            let end = steps_end(line, start, steps)?;
            secret(rule, line, Span { start, end, texture_from: start }, steps)
        }
        Shape::After(steps) => {
            let end = steps_end(line, hit.end, steps)?;
            secret(rule, line, Span { start: hit.end, end, texture_from: hit.end }, steps)
        }
        Shape::Own(own) | Shape::Words(own) => own(line, hit),
        Shape::Whole(whole) => whole(text, hit),
    }
}

#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    texture_from: usize,
}

fn token(rule: &'static Rule, line: &[u8], hit: Hit, steps: &'static [Step]) -> Option<Found> {
    let keyword = line.get(hit.start..hit.end)?;
    let set = last_set(steps);
    if !starts_token(line, hit.start, set) || !rule.spells(keyword) {
        return None;
    }
    let end = steps_end(line, hit.end, steps)?;
    secret(rule, line, Span { start: hit.start, end, texture_from: hit.end }, steps)
}

fn secret(rule: &'static Rule, line: &[u8], span: Span, steps: &'static [Step]) -> Option<Found> {
    let set = last_set(steps);
    let ends = line.get(span.end).is_none_or(|&next| !ALNUM.has(next) && !set.has(next));
    let bytes = line.get(span.texture_from..span.end)?;
    if !ends || !has_texture(bytes, rule.texture) {
        return None;
    }
    // A full stop at the end belongs to the sentence.
    let full_stops = bytes.iter().rev().take_while(|&&byte| byte == b'.').count();
    Some(Found::bare(rule.name, span.start..span.end - full_stops).tail(Tail::Run(set)))
}

/// Where the steps end when they all stand at `at`.
pub(crate) fn steps_end(line: &[u8], mut at: usize, steps: &[Step]) -> Option<usize> {
    for step in steps {
        at = match *step {
            Step::Lit(literal) => {
                line.get(at..)?.starts_with(literal.as_bytes()).then_some(at + literal.len())?
            }
            Step::Run(set, min, OPEN) => {
                let end = set.run_end(line, at);
                (end - at >= min).then_some(end)?
            }
            Step::Run(set, min, max) => {
                let window = line.get(..line.len().min(at.saturating_add(max)))?;
                let end = set.run_end(window, at);
                (end >= at + min).then_some(end)?
            }
        };
    }
    Some(at)
}

fn last_set(steps: &'static [Step]) -> &'static Set {
    let runs = steps.iter().rev().filter_map(|step| match step {
        Step::Run(set, ..) => Some(*set),
        Step::Lit(_) => None,
    });
    runs.into_iter().next().unwrap_or(&ALNUM)
}

/// Parts of an identifier that say that its value is a secret. A provider's name alone is not enough: ids and
/// hashes have the shapes of keys.
const CONTEXT_PARTS: &[&[u8]] =
    &[b"key", b"token", b"secret", b"pass", b"pwd", b"pat", b"auth", b"cred", b"api", b"license"];

/// Where the value begins that is assigned to the identifier that starts with the keyword at `hit`.
fn context_value(line: &[u8], hit: Hit) -> Option<usize> {
    let name_end = URL64.run_end(line.get(..line.len().min(hit.end + CONTEXT_NAME_BYTES_MAX))?, hit.end);
    let name = line.get(hit.start..name_end)?.to_ascii_lowercase();
    if !CONTEXT_PARTS.iter().any(|part| memchr::memmem::find(&name, part).is_some()) {
        return None;
    }
    let mut assigned = false;
    let mut end = name_end;
    while let Some(&byte) = line.get(end) {
        match byte {
            b'=' | b':' | b'>' => assigned = true,
            b' ' | b'\t' | b'"' | b'\'' | b'\\' | b'`' | b']' | b'(' | b',' => {}
            _ => break,
        }
        end += 1;
        if end - name_end > CONTEXT_GAP_BYTES_MAX {
            return None;
        }
    }
    assigned.then_some(end)
}

/// Whether a token made of `set` may begin at `at`. A byte of the same run before it means that the keyword
/// stands in the middle of something else; an escape, a percent code or a colour code before it does not.
pub(crate) fn starts_token(line: &[u8], at: usize, set: &Set) -> bool {
    let Some(&before) = at.checked_sub(1).and_then(|before| line.get(before)) else {
        return true;
    };
    let joins = ALNUM.has(before) || before == b'_' || (matches!(before, b'-' | b'.') && set.has(before));
    !joins || ends_escape(line, at)
}

/// Whether an escape sequence ends right before `at`: `\n`, `\u0022`, `%3D`, `ESC[31m`.
pub(crate) fn ends_escape(line: &[u8], at: usize) -> bool {
    let back = |count: usize| at.checked_sub(count).and_then(|start| line.get(start..at));
    if let Some([b'\\', letter]) = back(2) {
        return matches!(letter, b'n' | b'r' | b't' | b'f' | b'b' | b'v' | b'0');
    }
    if let Some([b'%', high, low]) = back(3)
        && ANY_HEX.has(*high)
        && ANY_HEX.has(*low)
    {
        return true;
    }
    if let Some([b'\\', b'u', hex @ ..]) = back(6)
        && hex.iter().all(|&byte| ANY_HEX.has(byte))
    {
        return true;
    }
    ends_colour(line, at)
}

/// `[0;31m` behind an escape byte, raw or spelled out.
fn ends_colour(line: &[u8], at: usize) -> bool {
    static CODE: Set = Set::of("0-9;");
    const CODE_BYTES_MAX: usize = 16;
    let Some(m) = at.checked_sub(1).filter(|&m| line.get(m) == Some(&b'm')) else {
        return false;
    };
    let code = CODE.run_start(line, m, CODE_BYTES_MAX);
    code >= 2
        && line.get(code - 1) == Some(&b'[')
        && matches!(line.get(code - 2), Some(0x1b | b'b' | b'B' | b'3' | b'e'))
}

/// Whether `bytes` look as random as asked.
pub(crate) fn has_texture(bytes: &[u8], texture: Texture) -> bool {
    /// Later bytes of a long run say nothing new.
    const SAMPLE_BYTES_MAX: usize = 128;
    const DISTINCT_MIN: usize = 5;
    if texture == Texture::Free {
        return true;
    }
    let sample = bytes.get(..bytes.len().min(SAMPLE_BYTES_MAX)).unwrap_or_default();
    let mut seen = [false; 256];
    for &byte in sample {
        seen[usize::from(byte)] = true;
    }
    let distinct = seen.iter().filter(|&&seen| seen).count();
    let digits = sample.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = sample.iter().any(u8::is_ascii_uppercase);
    let lower = sample.iter().any(u8::is_ascii_lowercase);
    distinct >= DISTINCT_MIN
        && match texture {
            Texture::Free | Texture::Varied => true,
            Texture::Mixed => digits >= 1 && (upper || lower),
            Texture::Dense => digits >= 2 && upper && lower,
        }
}

/// Skips blanks, at most so many.
pub(crate) fn skip_blanks(line: &[u8], at: usize, count_max: usize) -> usize {
    let window = line.get(..line.len().min(at + count_max)).unwrap_or_default();
    BLANK.run_end(window, at.min(window.len()))
}
