//! The shell's expansions that need nothing but text: quotes, parameters, braces.

use crate::call::UNKNOWN;
use crate::variables::{Items, Variables};

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

/// What an expansion becomes.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) texts: Vec<String>,
    /// Between quotes it stays one word, however many texts it has.
    pub(crate) is_one: bool,
}

impl Value {
    fn one(text: String) -> Self {
        Self { texts: vec![text], is_one: true }
    }

    fn several(texts: Vec<String>) -> Self {
        Self { texts, is_one: false }
    }

    /// As one text.
    pub(crate) fn joined(self) -> String {
        self.texts.join(" ")
    }
}

/// The value of what stands in `${…}`, as far as it can be known.
pub(crate) fn parameter(inner: &str, variables: &Variables) -> Value {
    let unknown = UNKNOWN.to_string();
    if let Some(operator) = inner.strip_prefix(['@', '*']) {
        // Known where a shell was given its arguments.
        let Some(items) = variables.items("@") else { return Value::one(unknown) };
        let texts = each(&values(items), operator, 1, variables);
        return Value { texts, is_one: inner.starts_with('*') };
    }
    if let Some(value) = subscripted(inner, variables) {
        return value;
    }
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
    let (name, operator) = inner.split_at(end);
    if name.is_empty() {
        // `${!x}` is known where `x` is; `${#x}` never.
        let value = match inner.strip_prefix('!') {
            Some(name) if !name.is_empty() => variables.behind(name),
            _ => variables.get(inner),
        };
        return Value::one(value.cloned().unwrap_or(unknown));
    }
    let value = variables.get(name).map(String::as_str);
    Value::one(operate(operator, value, variables).unwrap_or(unknown))
}

/// The value of an item of an array, or of all of them where it cannot be told which one it is.
fn subscripted(inner: &str, variables: &Variables) -> Option<Value> {
    let plain = inner.strip_prefix('!').unwrap_or(inner);
    let (name, key, operator) = subscript(plain)?;
    let is_all = matches!(key, "@" | "*");
    let single;
    let items = if let Some(items) = variables.items(name) {
        items
    } else if let Some(value) = variables.get(name) {
        single = vec![("0".to_owned(), value.clone())];
        &single
    } else {
        return Some(Value::one(operate(operator, None, variables).unwrap_or_else(|| UNKNOWN.to_string())));
    };
    if inner.starts_with('!') {
        let keys = items.iter().map(|(key, _)| key.clone()).collect();
        return is_all.then(|| Value::several(keys));
    }
    if is_all {
        let texts = each(&values(items), operator, 0, variables);
        return Some(Value { texts, is_one: key == "*" });
    }
    match item(items, &self::key(key, variables)) {
        Some(value) => operate(operator, Some(value), variables).map(Value::one),
        None => Some(Value::several(each(&values(items), operator, 0, variables))),
    }
}

/// The parts of `name[key]…`.
pub(crate) fn subscript(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_at(text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?);
    let inside = rest.strip_prefix('[').filter(|_| !name.is_empty())?;
    let mut level = 1;
    let end = inside.find(|c| {
        level += i32::from(c == '[') - i32::from(c == ']');
        level == 0
    })?;
    Some((name, &inside[..end], &inside[end + 1..]))
}

/// The key that stands between brackets. A name is a number where it is one.
pub(crate) fn key(text: &str, variables: &Variables) -> String {
    let key = default_text(text, variables);
    let is_number = |text: &String| text.parse::<i64>().is_ok();
    variables.get(&key).filter(|value| is_number(value)).cloned().unwrap_or(key)
}

/// The item with this key; nothing where it cannot be told which one it is.
fn item<'i>(items: &'i Items, key: &str) -> Option<&'i str> {
    if let Some((_, value)) = items.iter().find(|(other, _)| other == key) {
        return Some(value);
    }
    let is_doubtful = items.iter().any(|(key, _)| key.contains(UNKNOWN));
    let number = key.parse::<i64>().ok().filter(|_| !is_doubtful)?;
    let back = usize::try_from(number.unsigned_abs()).ok().filter(|_| number < 0);
    let place = back.and_then(|back| items.len().checked_sub(back));
    Some(place.and_then(|place| items.get(place)).map_or("", |(_, value)| value.as_str()))
}

fn values(items: &Items) -> Vec<&str> {
    items.iter().map(|(_, value)| value.as_str()).collect()
}

/// What an operator makes of each of these; a range chooses among them, and counts from `first`.
fn each(values: &[&str], operator: &str, first: usize, variables: &Variables) -> Vec<String> {
    let is_range =
        operator.starts_with(':') && !matches!(operator.as_bytes().get(1), Some(b'-' | b'=' | b'?' | b'+'));
    if operator.is_empty() {
        return values.iter().map(|value| (*value).to_owned()).collect();
    }
    if is_range {
        let mut numbers = operator[1..].split(':').map(|number| number.trim().parse::<usize>().ok());
        let from = numbers.next().flatten();
        let count = numbers.next().map_or(Some(usize::MAX), |count| count);
        // A range that cannot be read may be all of them.
        let (from, count) = from.zip(count).unwrap_or((first, usize::MAX));
        let chosen = values.iter().skip(from.saturating_sub(first)).take(count);
        return chosen.map(|value| (*value).to_owned()).collect();
    }
    if values.is_empty() {
        return operate(operator, None, variables).into_iter().collect();
    }
    let one = |value: &&str| operate(operator, Some(value), variables);
    values.iter().map(|value| one(value).unwrap_or_else(|| UNKNOWN.to_string())).collect()
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
        // At the beginning, or at the end.
        if let Some(from) = from.strip_prefix('#') {
            return Some(
                value.strip_prefix(from).map_or_else(|| value.to_owned(), |rest| format!("{to}{rest}")),
            );
        }
        if let Some(from) = from.strip_prefix('%') {
            return Some(
                value.strip_suffix(from).map_or_else(|| value.to_owned(), |rest| format!("{rest}{to}")),
            );
        }
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
