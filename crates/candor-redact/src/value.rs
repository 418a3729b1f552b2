//! Which values are kept although they stand under a secret's name: what is empty, what stands for a value,
//! what is code and what is a sentence.

use crate::{
    MASK,
    check::has_texture,
    names::{self, Kind},
    rule::Texture,
    set::{Set, WORD},
};

/// How a bare value is tied to its name; the looser the tie, the more the value itself must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tie {
    /// `name=value`, nothing between.
    Tight,
    /// `name: value` where the name opens the line and the value ends it, and `name:value`.
    Line,
    /// Anything else: `name = value`, `name: value` inside a line, `--name value`.
    Loose,
}

/// Words that are never secrets: literals, types, stand-ins. `changeme` is one on purpose: it tells the
/// reader that something must be set.
const WORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "nil",
    "none",
    "undefined",
    "yes",
    "no",
    "on",
    "off",
    "string",
    "str",
    "bytes",
    "number",
    "integer",
    "int",
    "boolean",
    "bool",
    "object",
    "array",
    "any",
    "unknown",
    "void",
    "text",
    "redacted",
    "hidden",
    "masked",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "example",
    "dummy",
    "todo",
    "tbd",
    "n/a",
    "na",
    "required",
    "optional",
    "include",
    "omit",
    "same-origin",
    "self",
    "this",
    "default",
    "empty",
    "missing",
    "unset",
    "invalid",
    "expired",
    "revoked",
    "varchar",
    "secretstr",
    "optional",
    "const",
    "static",
    "let",
    "var",
    "new",
    "await",
    "async",
    "return",
    "function",
    "lambda",
    "basic",
    "bearer",
    // Mechanisms, which settings for mail name under `auth`.
    "cram-md5",
    "digest-md5",
    "scram-sha-1",
    "scram-sha-256",
    "scram-sha-256-plus",
    "scram-sha-512",
    "xoauth2",
];

/// A stand-in says whose value goes there.
const YOURS: &[&str] = &["your", "my-", "my_", "insert", "replace", "enter-", "enter_"];
const YOURS_WHAT: &[&str] = &["key", "token", "secret", "password", "here", "credential", "value"];

/// A value that says where the secret is kept is not the secret.
const REFERENCES: &[&str] = &[
    "op://",
    "vault:",
    "env:",
    "file:",
    "file://",
    "ssm:",
    "arn:aws:secretsmanager",
    "arn:aws:ssm",
    "process.env",
    "import.meta.env",
    "os.environ",
    "os.getenv",
    "env.",
    "secrets.",
    "keyring:",
    "keychain:",
    "projects/",
    "data:",
    "var.",
    "local.",
    "module.",
    "env(",
    "getenv",
    "config.",
    "settings.",
    "self.",
    "this.",
    "req.",
    "request.",
    "props.",
    "params.",
    "ctx.",
    "std::",
    "crate::",
];

/// Openings of templates and expansions.
const TEMPLATES: &[&str] = &["${", "$(", "{{", "<%", "%(", "#{", "@{", "[[", "{%", "%{", "$[", "\\(", "\\${"];

/// Words that only sentences have.
const FUNCTION_WORDS: &[&str] = &[
    "the", "a", "an", "is", "are", "to", "of", "for", "your", "you", "must", "and", "or", "in", "with",
    "please", "enter", "not", "this", "be", "was", "used", "at", "by",
];

/// Bytes that stand-ins are drawn with.
static DRAWN: Set = Set::of("*xX.#?_-");
static NAME_PATH: Set = Set::of("a-zA-Z0-9_.");
static PATH: Set = Set::of("a-zA-Z0-9._/~-");
static SYMBOL: Set = Set::of("!@#$%^*?~+=/");

/// Whether a value in quotes stays readable.
pub(crate) fn keeps_quoted(value: &[u8], kind: Kind) -> bool {
    let value = value.trim_ascii();
    is_stand_in(value)
        || is_secret_name(value)
        || (kind != Kind::Phrase && is_sentence(value))
        || (kind == Kind::Opaque && !is_opaque(value))
}

/// Whether a value without quotes stays readable. `next` is the byte that ended it.
pub(crate) fn keeps_bare(value: &[u8], next: Option<u8>, kind: Kind, tie: Tie) -> bool {
    is_stand_in(value)
        || matches!(next, Some(b'(' | b'[' | b'{' | b'<'))
        || is_code(value)
        || names_another(value)
        || !looks_like_value(value, next, kind, tie)
}

fn looks_like_value(value: &[u8], next: Option<u8>, kind: Kind, tie: Tie) -> bool {
    /// What a password of its own line has at least.
    const PASSWORD_BYTES_MIN: usize = 4;
    /// What a value inside a line has at least.
    const LOOSE_BYTES_MIN: usize = 8;
    /// A word of letters this long with both cases is no word.
    const LETTERS_BYTES_MIN: usize = 20;
    if kind == Kind::Opaque {
        return is_opaque(value);
    }
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let symbols = value.iter().any(|&byte| SYMBOL.has(byte));
    let long_letters =
        value.len() >= LETTERS_BYTES_MIN && has_texture(value, Texture::Varied) && mixes_cases(value);
    if digits == value.len() {
        let enough = if kind == Kind::Password { PASSWORD_BYTES_MIN } else { 6 };
        return value.len() >= enough;
    }
    let ends_at_blank = next.is_none_or(|byte| byte.is_ascii_whitespace());
    if digits == 0 && !symbols && !(long_letters && ends_at_blank) {
        let ends_word = !matches!(next, Some(b')' | b',' | b'.' | b':' | b']' | b'}'));
        return match tie {
            Tie::Tight => ends_word && value.len() >= 3,
            Tie::Line => kind == Kind::Password && value.len() >= PASSWORD_BYTES_MIN && next.is_none(),
            Tie::Loose => false,
        };
    }
    match tie {
        Tie::Tight => value.len() >= 3,
        Tie::Line => value.len() >= PASSWORD_BYTES_MIN,
        Tie::Loose => value.len() >= LOOSE_BYTES_MIN,
    }
}

fn mixes_cases(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase)
}

/// Whether a value can only have been made by a machine or chosen as a password.
pub(crate) fn is_opaque(value: &[u8]) -> bool {
    const OPAQUE_BYTES_MIN: usize = 8;
    value.len() >= OPAQUE_BYTES_MIN
        && !value.contains(&b' ')
        && has_texture(value, Texture::Mixed)
        && !value.starts_with(b"/")
        && !value.starts_with(b"http")
}

/// Whether a value stands for another one: empty, a literal, a template, a reference, a drawn mask.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    // One byte is a shortcut (`accesskey="n"`), not a secret.
    value.len() <= 1
        || value.starts_with(MASK.as_bytes())
        || value.iter().all(|&byte| DRAWN.has(byte) || byte >= 0x80)
        || starts_with_any(value, TEMPLATES)
        || starts_with_any(value, REFERENCES)
        || is_word(value)
        || is_variable(value)
        || is_bracketed(value)
        || is_yours(value)
}

fn is_word(value: &[u8]) -> bool {
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

fn starts_with_any(value: &[u8], list: &[&str]) -> bool {
    list.iter()
        .any(|start| value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes())))
}

/// `$TOKEN`, `$token`, `$token->`, `%TOKEN%`, `%s`, `@token`: a variable's name without digits, so that `$ecr3t` is none.
fn is_variable(value: &[u8]) -> bool {
    let [b'$' | b'@' | b'%', name @ ..] = value else { return false };
    let name = name.strip_suffix(b"%").or_else(|| name.strip_suffix(b"-")).unwrap_or(name);
    let capitals =
        name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let letters = name.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    capitals || letters || (name.len() <= 1)
}

/// `<token>`, `{token}`, `[token]`, `(hidden)`: brackets around one word.
fn is_bracketed(value: &[u8]) -> bool {
    let ([b'<', inner @ .., b'>']
    | [b'{', inner @ .., b'}']
    | [b'[', inner @ .., b']']
    | [b'(', inner @ .., b')']) = value
    else {
        return false;
    };
    inner.iter().all(|&byte| WORD.has(byte) || matches!(byte, b' ' | b'-' | b'.' | b'/' | b':' | b'|'))
}

/// `my-jwt-secret`: a stand-in in an example, a value in an environment file.
pub(crate) fn is_mine(value: &[u8]) -> bool {
    starts_with_any(value, &["my-", "my_"]) && is_yours(value)
}

/// Whether a value is an absolute path.
pub(crate) fn is_absolute_path(value: &[u8]) -> bool {
    let drive = matches!(value, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    drive || (value.starts_with(b"/") && value.iter().all(|&byte| PATH.has(byte) || byte == b' '))
}

fn is_yours(value: &[u8]) -> bool {
    const STAND_IN_BYTES_MAX: usize = 48;
    if value.len() > STAND_IN_BYTES_MAX || value.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let says =
        |list: &[&str]| list.iter().any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some());
    says(YOURS) && says(YOURS_WHAT)
}

/// `GITHUB_TOKEN` as a value is the name of a variable.
fn is_secret_name(value: &[u8]) -> bool {
    let capitals = value.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9'));
    capitals && value.contains(&b'_') && names::kind(value).is_some()
}

/// `password = db_password` in a program: the value is a name. One with a digit in it is a name only in capitals, as
/// `hunter2secret` is a password that somebody chose.
fn names_another(value: &[u8]) -> bool {
    let plain = !value.iter().any(u8::is_ascii_digit);
    (plain || is_secret_name(value)) && names::kind(value).is_some()
}

/// `self.token`, `&str`, `/run/secrets/x`, `Option::None`: what a program or a manifest says instead of a value.
fn is_code(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or_default();
    if matches!(
        first,
        b'&' | b'*' | b'|' | b'>' | b'(' | b'[' | b'{' | b'<' | b'=' | b',' | b';' | b')' | b'`'
    ) {
        return true;
    }
    if memchr::memmem::find(value, b"::").is_some() || memchr::memmem::find(value, b"->").is_some() {
        return true;
    }
    let digits = value.iter().any(u8::is_ascii_digit);
    let dotted = !digits && value.contains(&b'.') && value.iter().all(|&byte| NAME_PATH.has(byte));
    let path = matches!(first, b'/' | b'.' | b'~')
        && value.iter().all(|&byte| PATH.has(byte))
        && !has_texture(value, Texture::Dense);
    dotted || path || value.starts_with(b"http://") || value.starts_with(b"https://")
}

/// At least three words of letters, one of which only sentences have.
fn is_sentence(value: &[u8]) -> bool {
    const SENTENCE_BYTES_MAX: usize = 400;
    if value.len() > SENTENCE_BYTES_MAX || value.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let words = || value.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    let function_word =
        |word: &[u8]| FUNCTION_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
    words().count() >= 3 && words().any(function_word)
}
