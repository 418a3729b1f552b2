//! Values that are assigned to a secret's name, in JSON (at any depth of escaping), headers, env files, YAML,
//! TOML, query strings, XML, SQL, source code and command lines.

use crate::{
    KEY_NAME,
    check::{ends_escape, skip_blanks},
    found::{Cover, Found, Tail},
    header,
    names::{self, Kind, NAME_BYTES_MAX},
    quote::{Quote, backslashes_from, ends_json_string},
    rule::Hit,
    set::{BLANK, DIGIT, Set, URL64, WORD},
    value::{self, Tie},
};

/// Blanks around an assignment sign; more is a table, not an assignment.
const BLANKS_MAX: usize = 24;
/// A type between a name and its value: `password: &'static str = "…"`.
const TYPE_BYTES_MAX: usize = 40;

static TYPE: Set = Set::of("a-zA-Z0-9_<>&':. ");
static NUMBER: Set = Set::of("0-9.eE+-");

/// A name of a secret that stands in a line.
pub(crate) struct Name<'a> {
    pub(crate) line: &'a [u8],
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
    opens_text: bool,
}

/// What ties a name to its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Colon,
    Equals,
    /// `==` and `!=`.
    Compares,
    /// The argument after a flag, or the string after an SQL keyword.
    Blank,
    /// `<name>value</name>`.
    Tag,
    /// `=` or `:` as a percent code, so that another one ends the value.
    Encoded,
}

/// Where a value begins, and what came before it.
struct Place {
    at: usize,
    sign: Sign,
    /// Whether blanks stand between the name and the value.
    spaced: bool,
    /// The quote that closed the name.
    key_quote: Option<Quote>,
}

/// Masks what is assigned to the identifier around `hit`, if that names a secret.
pub(crate) fn check(line: &[u8], hit: Hit, out: &mut Vec<Found>) {
    // A stem may hold the sign behind the name.
    let sign_bytes =
        usize::from(hit.end.checked_sub(1).and_then(|at| line.get(at)).is_some_and(|&b| !URL64.has(b)));
    let stem_end = hit.end - sign_bytes;
    let window = line.get(..line.len().min(stem_end + NAME_BYTES_MAX)).unwrap_or_default();
    let end = URL64.run_end(window, stem_end);
    if line.get(end).is_none_or(|&next| !may_follow_name(next)) {
        return;
    }
    let start = name_start(line, hit.start);
    let bare = line.get(start..end).unwrap_or_default();
    let dashes = bare.iter().take_while(|&&byte| byte == b'-').count();
    let bare = bare.get(dashes..).unwrap_or_default();
    let named = names::kind(bare);
    let Some(kind) = named.or_else(|| names::items_kind(bare)) else { return };
    let name = Name { line, start: start + dashes, end, kind, opens_text: hit.opens_line };
    if let Some(place) = place(&name, dashes)
        && (named.is_some() || line.get(place.at) == Some(&b'['))
    {
        mask(&name, &place, out);
    }
}

fn may_follow_name(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'\'' | b'`' | b'\\' | b':' | b'=' | b' ' | b'\t' | b'>' | b']' | b'%' | b'?' | b'!'
    )
}

fn name_start(line: &[u8], to: usize) -> usize {
    let start = URL64.run_start(line, to, NAME_BYTES_MAX);
    // `\npassword`, `%26token`, `\u0026token`: the escape's own letters are not part of the name.
    match (start.checked_sub(1).and_then(|before| line.get(before)), line.get(start)) {
        (Some(b'\\'), Some(b'u')) if ends_escape(line, start + 5) => start + 5,
        (Some(b'\\'), Some(_)) if ends_escape(line, start + 1) => start + 1,
        (Some(b'%'), Some(_)) if ends_escape(line, start + 2) => start + 2,
        _ => start,
    }
    .min(to)
}

/// Finds where the value begins.
fn place(name: &Name<'_>, dashes: usize) -> Option<Place> {
    let line = name.line;
    let (key_quote, mut at) = match Quote::open(line, name.end) {
        Some((quote, after)) => (Some(quote), after),
        None => (None, name.end),
    };
    at += usize::from(line.get(at) == Some(&b']'));
    let after_blanks = skip_blanks(line, at, BLANKS_MAX);
    if let Some((sign, after_sign)) = sign(name, after_blanks) {
        let value_at = skip_blanks(line, after_sign, BLANKS_MAX);
        let spaced = value_at > after_sign || after_blanks > at;
        // `Authorization: Digest username="…"` has a scheme where a type would stand.
        let may_be_typed = sign == Sign::Colon && name.kind != Kind::Authorization;
        let value_at = if may_be_typed { skip_type(line, value_at) } else { value_at };
        return Some(Place { at: value_at, sign, spaced, key_quote });
    }
    let flag = dashes > 0;
    if let Some(quote) = key_quote {
        let next = paired_value(line, at).or_else(|| next_argument(line, at, quote).filter(|_| flag));
        return next.map(|at| Place { at, sign: Sign::Colon, spaced: false, key_quote });
    }
    let sql = name.kind == Kind::Password && line.get(after_blanks) == Some(&b'\'');
    let blank = after_blanks > at && (sql || flag);
    blank.then_some(Place { at: after_blanks, sign: Sign::Blank, spaced: true, key_quote })
}

/// The assignment sign at `at`, and where it ends.
fn sign(name: &Name<'_>, at: usize) -> Option<(Sign, usize)> {
    let rest = name.line.get(at..).unwrap_or_default();
    if at == name.end && is_expansion(name, rest) {
        return None;
    }
    let signs: &[(&[u8], Sign)] = &[
        (b"===", Sign::Compares),
        (b"!==", Sign::Compares),
        (b"==", Sign::Compares),
        (b"!=", Sign::Compares),
        (b":=", Sign::Equals),
        (b"?=", Sign::Equals),
        (b"=>", Sign::Colon),
        (b"=", Sign::Equals),
        (b"::", Sign::Blank),
        (b":", Sign::Colon),
        (b"%3D", Sign::Encoded),
        (b"%3d", Sign::Encoded),
        (b"%3A", Sign::Encoded),
        (b"%3a", Sign::Encoded),
        (b"\\u003d", Sign::Equals),
    ];
    let found = signs.iter().find(|(text, _)| rest.starts_with(text));
    if let Some(&(text, sign)) = found {
        return (sign != Sign::Blank).then_some((sign, at + text.len()));
    }
    let tag = rest.first() == Some(&b'>') && at == name.end && opens_tag(name);
    tag.then_some((Sign::Tag, at + 1))
}

/// `${TOKEN:?why}`, `${TOKEN:-default}`: the words behind the sign are the shell's or a message. What stands in
/// for a password by default is one.
fn is_expansion(name: &Name<'_>, rest: &[u8]) -> bool {
    let opens = name.line.get(..name.start).is_some_and(|before| before.ends_with(b"${"));
    let message = matches!(rest, [b':', b'?' | b'+', ..]);
    let default = matches!(rest, [b':', b'-' | b'=', ..]) && name.kind != Kind::Password;
    opens && (message || default)
}

fn opens_tag(name: &Name<'_>) -> bool {
    static PREFIX: Set = Set::of("a-zA-Z0-9:.");
    let start = PREFIX.run_start(name.line, name.start, NAME_BYTES_MAX);
    start.checked_sub(1).and_then(|before| name.line.get(before)) == Some(&b'<')
}

/// `name: Type = "…"`: the place behind the type, when a string follows it.
fn skip_type(line: &[u8], at: usize) -> usize {
    let window = line.get(..line.len().min(at + TYPE_BYTES_MAX)).unwrap_or_default();
    let end = TYPE.run_end(window, at.min(window.len()));
    if end == at || line.get(end) != Some(&b'=') {
        return at;
    }
    let value_at = skip_blanks(line, end + 1, BLANKS_MAX);
    if Quote::open(line, value_at).is_some() { value_at } else { at }
}

/// The value's place in `{"name": "DB_PASSWORD", "value": "…"}` and `<add key="ApiKey" value="…"/>`.
fn paired_value(line: &[u8], at: usize) -> Option<usize> {
    let next = next_item(line, at);
    let opening = Quote::open(line, next);
    let word_at = opening.map_or(next, |(_, after)| after);
    let word_end = word_at + 5;
    let closing = Quote::open(line, word_end);
    // `["password", "value: …"]` is another string, not a name.
    if !line.get(word_at..word_end)?.eq_ignore_ascii_case(b"value") || opening.is_some() != closing.is_some()
    {
        return None;
    }
    let sign_at = closing.map_or(word_end, |(_, after)| after);
    let sign_at = skip_blanks(line, sign_at, BLANKS_MAX);
    matches!(line.get(sign_at), Some(b':' | b'=')).then(|| skip_blanks(line, sign_at + 1, BLANKS_MAX))
}

/// The next argument's place in `["--password", "…"]`.
fn next_argument(line: &[u8], at: usize, key_quote: Quote) -> Option<usize> {
    let next = next_item(line, at);
    Quote::open(line, next).filter(|(quote, _)| *quote == key_quote).map(|_| next)
}

fn next_item(line: &[u8], at: usize) -> usize {
    let comma = skip_blanks(line, at, BLANKS_MAX);
    skip_blanks(line, comma + usize::from(line.get(comma) == Some(&b',')), BLANKS_MAX)
}

fn mask(name: &Name<'_>, place: &Place, out: &mut Vec<Found>) {
    if place.sign == Sign::Tag {
        mask_tag(name, place.at, out);
        return;
    }
    if let Some((quote, value_at)) = Quote::open(name.line, place.at) {
        // `{"hint":"the token:","n":1}`: this quote closes the string that the name stands in.
        let closes = match place.key_quote {
            Some(key_quote) if key_quote.is_double() => {
                quote.is_double() && quote.escapes() < key_quote.escapes()
            }
            _ => ends_json_string(name.line, value_at),
        };
        let compared = place.sign == Sign::Compares && is_plain_word(name, quote, value_at);
        if !closes && !compared {
            mask_quoted(name, quote, value_at, out);
        }
        return;
    }
    if name.line.get(place.at) == Some(&b'[') && matches!(place.sign, Sign::Colon | Sign::Equals) {
        mask_list(name, place.at + 1, out);
        return;
    }
    match name.kind {
        Kind::Authorization if place.key_quote.is_none() => {
            header::authorization(name, place.at, name.line.len(), out);
        }
        Kind::Cookie => header::cookies(name, place.at, name.line.len(), out),
        _ => mask_bare(name, place, out),
    }
}

/// `token == 'def'`: a parser compares its token with a word, and few programs a secret.
fn is_plain_word(name: &Name<'_>, quote: Quote, value_at: usize) -> bool {
    static LETTER: Set = Set::of("a-zA-Z_");
    const WORD_BYTES_MAX: usize = 20;
    let window = name.line.get(..name.line.len().min(value_at + WORD_BYTES_MAX)).unwrap_or_default();
    let end = LETTER.run_end(window, value_at);
    name.kind == Kind::Token && Quote::open(name.line, end).is_some_and(|(closing, _)| closing == quote)
}

/// `["…", "…"]`: every string is a value.
fn mask_list(name: &Name<'_>, from: usize, out: &mut Vec<Found>) {
    /// Longer lists are data; the limit also bounds how often a line of lists is read.
    const ITEMS_MAX: usize = 64;
    let mut at = from;
    for _ in 0..ITEMS_MAX {
        at = skip_blanks(name.line, at, BLANKS_MAX);
        let Some((quote, value_at)) = Quote::open(name.line, at) else { return };
        // `["the pw:[", 1]`: this quote closes the string that the name stands in.
        if ends_json_string(name.line, value_at) {
            return;
        }
        let end = mask_quoted(name, quote, value_at, out);
        match Quote::open(name.line, end) {
            Some((closing, after)) if closing == quote => at = skip_blanks(name.line, after, BLANKS_MAX),
            _ => return,
        }
        if name.line.get(at) != Some(&b',') {
            return;
        }
        at += 1;
    }
}

/// Masks the value behind a quote and tells where it ends.
fn mask_quoted(name: &Name<'_>, quote: Quote, value_at: usize, out: &mut Vec<Found>) -> usize {
    let close = quote.close(name.line, value_at);
    let end = if close.closed { close.value_end } else { unclosed_end(name.line, value_at) };
    let value = name.line.get(value_at..end).unwrap_or_default();
    match name.kind {
        Kind::Authorization => header::authorization(name, value_at, end, out),
        Kind::Cookie => header::cookies(name, value_at, end, out),
        kind if !value::keeps_quoted(value, kind) && !is_directory(name, value) => {
            let tail = if close.closed { Tail::Closed } else { Tail::Quote(quote) };
            out.push(Found::bare(KEY_NAME, value_at..end).tail(tail));
        }
        _ => {}
    }
    end
}

/// `PWD=/home/me`: the shell's working directory, not a password.
fn is_directory(name: &Name<'_>, value: &[u8]) -> bool {
    let name = name.line.get(name.start..name.end).unwrap_or_default();
    names::is_working_directory(name) && value::is_absolute_path(value)
}

/// A quote that nothing closes: the line was cut, so all that is left of it is the value.
fn unclosed_end(line: &[u8], from: usize) -> usize {
    let end = line.len() - usize::from(line.ends_with(b"\r"));
    end.max(from)
}

fn mask_tag(name: &Name<'_>, at: usize, out: &mut Vec<Found>) {
    static STOP: Set = Set::of("<>\"\\");
    let end = STOP.find(name.line, at);
    let value = name.line.get(at..end).unwrap_or_default();
    if name.line.get(end) == Some(&b'<') && !value::keeps_quoted(value, name.kind) {
        out.push(Found::bare(KEY_NAME, at..end));
    }
}

fn mask_bare(name: &Name<'_>, place: &Place, out: &mut Vec<Found>) {
    let line = name.line;
    if let Some(found) = json_number(name, place) {
        out.push(found);
        return;
    }
    let stops: &Set = match place.sign {
        Sign::Encoded => &ENCODED_STOP,
        _ if is_env(name, place) => &ENV_STOP,
        _ => &BARE_STOP,
    };
    let end = stops.find(line, place.at);
    let end = end - trailing_stops(line, place.at, end);
    let value = line.get(place.at..end).unwrap_or_default();
    let next = line.get(end).copied().filter(|&byte| byte != b'\r');
    let typed = place.sign == Sign::Colon
        && value.iter().all(|&byte| WORD.has(byte))
        && line.get(skip_blanks(line, end, BLANKS_MAX)) == Some(&b'=');
    // `const TOKEN: Kind = …` names a type, and `--token --verbose` another flag.
    let other = typed || is_directory(name, value) || (place.sign == Sign::Blank && value.starts_with(b"--"));
    let mine = is_env(name, place) && value::is_mine(value);
    if !other && (mine || !value::keeps_bare(value, next, name.kind, tie(name, place, end))) {
        let cover = json_cover(name, place);
        out.push(Found { cover, ..Found::bare(KEY_NAME, place.at..end).tail(Tail::Run(&BARE_TAIL)) });
    }
}

/// What ends a bare value, and what more may stand in the value of an environment file.
static BARE_STOP: Set = Set::of(" \t\r\n\"'`\\<>,;&()[]{}|");
static ENCODED_STOP: Set = Set::of(" \t\r\n\"'`\\<>,;&()[]{}|%");
static ENV_STOP: Set = Set::of(" \t\r\n\"'`\\;<>");
/// How a bare value goes on past the end of the bytes at hand.
static BARE_TAIL: Set = Set::of("a-zA-Z0-9_.~+/=-");

/// A full stop or a comma at the end belongs to the sentence.
fn trailing_stops(line: &[u8], from: usize, to: usize) -> usize {
    let value = line.get(from..to).unwrap_or_default();
    value.iter().rev().take_while(|&&byte| matches!(byte, b'.' | b',' | b':')).count()
}

/// Whether this is a line of an environment file: `NAME=value`, with nothing of a query string around it.
fn is_env(name: &Name<'_>, place: &Place) -> bool {
    let capitals = name.line.get(name.start..name.end).unwrap_or_default();
    let capitals = capitals.iter().all(|byte| !byte.is_ascii_lowercase());
    let before = name.start.checked_sub(1).and_then(|at| name.line.get(at));
    capitals && place.sign == Sign::Equals && !place.spaced && !matches!(before, Some(b'?' | b'&' | b'('))
}

fn tie(name: &Name<'_>, place: &Place, end: usize) -> Tie {
    match (place.spaced, place.sign) {
        (false, Sign::Colon) => return Tie::Line,
        (false, Sign::Compares) if name.kind != Kind::Password => return Tie::Loose,
        (false, _) => return Tie::Tight,
        (true, _) => {}
    }
    let ends_line = BLANK.run_end(name.line, end) >= name.line.len() || name.line.get(end) == Some(&b'\r');
    if place.sign == Sign::Colon && ends_line && opens_line(name) { Tie::Line } else { Tie::Loose }
}

/// Whether only indentation, a list dash or an escaped newline stands before the name.
fn opens_line(name: &Name<'_>) -> bool {
    static INDENT: Set = Set::of(" \t\"'-");
    let start = INDENT.run_start(name.line, name.start, NAME_BYTES_MAX);
    (start == 0 && name.opens_text)
        || start.checked_sub(1).and_then(|before| name.line.get(before)) == Some(&b'\n')
        || ends_escape(name.line, start)
}

/// A number under a secret's name in JSON, however short.
fn json_number(name: &Name<'_>, place: &Place) -> Option<Found> {
    place.key_quote.filter(|_| place.sign == Sign::Colon && name.kind != Kind::Opaque)?;
    let end = NUMBER.run_end(name.line, place.at);
    let first = name.line.get(place.at).copied()?;
    let digit =
        DIGIT.has(first) || (first == b'-' && name.line.get(place.at + 1).is_some_and(|&d| DIGIT.has(d)));
    let after = skip_blanks(name.line, end, BLANKS_MAX);
    let ends = matches!(name.line.get(after), None | Some(b',' | b'}' | b']' | b'\r' | b'\\'));
    let cover = json_cover(name, place);
    (digit && ends).then(|| Found { cover, ..Found::bare(KEY_NAME, place.at..end) })
}

/// What is bare under a quoted name becomes a string, so that JSON stays JSON.
fn json_cover(name: &Name<'_>, place: &Place) -> Cover {
    match place.key_quote {
        Some(quote) if place.sign == Sign::Colon && quote.is_double() => {
            Cover::Quoted { escapes: backslashes_from(name.line, name.end).min(quote.escapes()) }
        }
        _ => Cover::Bare,
    }
}
