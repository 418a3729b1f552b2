//! The shell's expansions that need nothing but text: quotes, parameters, braces.

use crate::call::UNKNOWN;
use crate::variables::Variables;

/// Braces and commas that stand outside of quotes, until they are expanded; characters for private use, so that those
/// in quotes stay what they are.
pub(crate) const BRACE_OPEN: char = '\u{e0d0}';
pub(crate) const BRACE_COMMA: char = '\u{e0d1}';
pub(crate) const BRACE_CLOSE: char = '\u{e0d2}';

/// A word of a script unfolds to a handful of words; this is for the script that was made to be long.
const BRACE_WORDS_MAX: usize = 512;

/// What `{a,b}` unfolds to; nothing when it is too much.
pub(crate) fn braces(text: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        if done.len() + open.len() > BRACE_WORDS_MAX {
            return None;
        }
        match first_group(&text) {
            Some((before, alternatives, after)) => {
                open.extend(alternatives.iter().rev().map(|one| format!("{before}{one}{after}")));
            }
            None => done.push(plain_braces(text)),
        }
    }
    Some(done)
}

/// The text with the braces that mean nothing as they were written.
pub(crate) fn plain_braces(text: String) -> String {
    if !text.contains([BRACE_OPEN, BRACE_COMMA, BRACE_CLOSE]) {
        return text;
    }
    text.replace(BRACE_OPEN, "{").replace(BRACE_COMMA, ",").replace(BRACE_CLOSE, "}")
}

/// The first group with a comma at its own level.
fn first_group(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let width = BRACE_OPEN.len_utf8();
    for (open, _) in text.match_indices(BRACE_OPEN) {
        let (mut level, mut from, mut parts) = (0, open + width, Vec::new());
        for (at, c) in text[open..].char_indices().map(|(at, c)| (open + at, c)) {
            match c {
                BRACE_OPEN => level += 1,
                BRACE_COMMA if level == 1 => {
                    parts.push(&text[from..at]);
                    from = at + width;
                }
                BRACE_CLOSE if level == 1 && !parts.is_empty() => {
                    parts.push(&text[from..at]);
                    return Some((&text[..open], parts, &text[at + width..]));
                }
                BRACE_CLOSE if level == 1 => break,
                BRACE_CLOSE => level -= 1,
                _ => {}
            }
        }
    }
    None
}

/// What a backslash means between double quotes.
pub(crate) fn double_quoted(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
            }
            ('\\', Some('$' | '`' | '"' | '\\')) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

/// What stands between `$'` and `'`, and in the format of `printf`.
pub(crate) fn ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        rest = &rest[c.len_utf8()..];
        rest = escape(c, rest, &mut out);
    }
    out.push_str(rest);
    out
}

fn escape<'t>(c: char, rest: &'t str, out: &mut String) -> &'t str {
    let digits = |radix: u32, most: usize, text: &str| {
        text.bytes().take(most).take_while(|byte| char::from(*byte).is_digit(radix)).count()
    };
    let (radix, from, count) = match c {
        'x' => (16, 0, digits(16, 2, rest)),
        'u' => (16, 0, digits(16, 4, rest)),
        'U' => (16, 0, digits(16, 8, rest)),
        '0'..='7' => {
            // The first digit is already taken off.
            let count = digits(8, if c == '0' { 3 } else { 2 }, rest);
            let number = u32::from_str_radix(&format!("{c}{}", &rest[..count]), 8).unwrap_or(0);
            out.extend(char::from_u32(number & 0xff).filter(|c| *c != UNKNOWN));
            return &rest[count..];
        }
        'n' | 't' | 'r' | 'a' | 'b' | 'e' | 'E' | 'f' | 'v' => {
            out.push(match c {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                _ => ' ',
            });
            return rest;
        }
        '\\' | '\'' | '"' | '?' => {
            out.push(c);
            return rest;
        }
        _ => {
            out.push('\\');
            out.push(c);
            return rest;
        }
    };
    let number = u32::from_str_radix(&rest[from..count], radix).unwrap_or(0);
    out.extend(char::from_u32(number).filter(|c| *c != UNKNOWN));
    &rest[count..]
}

/// The value of what stands in `${…}`, as far as it can be known.
pub(crate) fn parameter(inner: &str, variables: &Variables) -> String {
    let unknown = UNKNOWN.to_string();
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
    let (name, operator) = inner.split_at(end);
    if name.is_empty() {
        // `$@` and `$*` are known where a shell was given its arguments, `${!x}` where `x` is; `${#x}` never.
        let value = match inner.strip_prefix('!') {
            Some(name) if !name.is_empty() => variables.behind(name),
            _ => variables.get(inner),
        };
        return value.cloned().unwrap_or(unknown);
    }
    let operator = ["[@]", "[*]"].iter().find_map(|all| operator.strip_prefix(all)).unwrap_or(operator);
    let value = variables.get(name).map(String::as_str);
    operate(operator, value, variables).unwrap_or(unknown)
}

fn operate(operator: &str, value: Option<&str>, variables: &Variables) -> Option<String> {
    let set = value.filter(|value| !value.is_empty());
    let after = |prefixes: &[&str]| prefixes.iter().find_map(|prefix| operator.strip_prefix(prefix));
    if operator.is_empty() || after(&[":?", "?"]).is_some() {
        return value.map(str::to_owned);
    }
    if let Some(default) = after(&[":-", ":=", "-", "="]) {
        return Some(set.map_or_else(|| default_text(default, variables), str::to_owned));
    }
    if let Some(other) = after(&[":+", "+"]) {
        return Some(default_text(other, variables));
    }
    let value = value.filter(|value| !value.contains(UNKNOWN))?;
    let is_glob = |pattern: &str| pattern.contains(['*', '?', '[', '$', '`']);
    if let Some(range) = operator.strip_prefix(':') {
        let mut numbers = range.split(':').map(|number| number.trim().parse::<usize>());
        let from = numbers.next()?.ok()?;
        let count = numbers.next().map_or(Some(usize::MAX), Result::ok)?;
        return Some(value.chars().skip(from).take(count).collect());
    }
    // The two patterns that everybody writes: the directory, and the name in it.
    match operator {
        "%/*" => return Some(value.rsplit_once('/').map_or(value, |(before, _)| before).to_owned()),
        "##*/" => return Some(value.rsplit('/').next().unwrap_or(value).to_owned()),
        _ => {}
    }
    if let Some(pattern) = after(&["##", "#"]).filter(|pattern| !is_glob(pattern)) {
        return Some(value.strip_prefix(pattern).unwrap_or(value).to_owned());
    }
    if let Some(pattern) = after(&["%%", "%"]).filter(|pattern| !is_glob(pattern)) {
        return Some(value.strip_suffix(pattern).unwrap_or(value).to_owned());
    }
    if let Some(rest) = after(&["//", "/"]).filter(|rest| !is_glob(rest)) {
        let (from, to) = rest.split_once('/').unwrap_or((rest, ""));
        return Some(if operator.starts_with("//") {
            value.replace(from, to)
        } else {
            value.replacen(from, to, 1)
        });
    }
    match operator {
        ",," => Some(value.to_lowercase()),
        "^^" => Some(value.to_uppercase()),
        _ => None,
    }
}

/// The word after `:-`, where it is simple enough.
fn default_text(text: &str, variables: &Variables) -> String {
    let text = text.trim_matches(['"', '\'']);
    if let Some(name) = text.strip_prefix('$') {
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        return variables.get(name).cloned().unwrap_or_else(|| UNKNOWN.to_string());
    }
    if text.contains(['$', '`']) { UNKNOWN.to_string() } else { text.replace('\\', "") }
}

/// The variable behind a `$` that the grammar has left in a word, and what follows it.
pub(crate) fn variable(text: &str) -> (&str, &str) {
    if let Some((name, rest)) = text.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        return (name, rest);
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at(end)
}
