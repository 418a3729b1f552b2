//! Tells code, comments and literals apart in Rust source, well enough to search each by itself.
//!
//! A real parser would have to be compiled before the first check runs, and none of the checks needs a tree.

/// A source twice: once with everything but code blanked out, once with everything but comments. Both keep their
/// lines and columns.
#[derive(Debug)]
pub(crate) struct RustText {
    pub(crate) code: String,
    pub(crate) comments: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

impl RustText {
    pub(crate) fn split(source: &str) -> Self {
        let bytes = source.as_bytes();
        let (mut code, mut comments) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < bytes.len() {
            let (kind, end) = piece(bytes, at);
            for &byte in &bytes[at..end] {
                code.push(if kind == Kind::Code { byte } else { blank(byte) });
                comments.push(if kind == Kind::Comment { byte } else { blank(byte) });
            }
            at = end;
        }
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: text(code), comments: text(comments) }
    }
}

fn blank(byte: u8) -> u8 {
    if byte == b'\n' { byte } else { b' ' }
}

/// The piece that begins at `at`, and where it ends; always at least one byte long.
fn piece(bytes: &[u8], at: usize) -> (Kind, usize) {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        return (Kind::Comment, at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()));
    }
    if rest.starts_with(b"/*") {
        return (Kind::Comment, at + block_comment_len(rest));
    }
    if let Some(len) = raw_string_len(bytes, at) {
        return (Kind::Literal, at + len);
    }
    match rest.first() {
        Some(b'"') => (Kind::Literal, at + quoted_len(rest, b'"')),
        Some(b'\'') if is_char_literal(rest) => (Kind::Literal, at + quoted_len(rest, b'\'')),
        _ => (Kind::Code, at + 1),
    }
}

fn block_comment_len(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of `r"…"`, `r#"…"#` and so on, where one begins. The `b` or `c` before it stays code.
fn raw_string_len(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let before = at.checked_sub(1).map(|before| bytes[before]);
    let starts_word = before.is_none_or(|byte| !is_word(byte) || byte == b'b' || byte == b'c');
    if rest.first() != Some(&b'r') || !starts_word {
        return None;
    }
    let hashes = rest[1..].iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let body = hashes + 2;
    let end = rest[body..].windows(close.len()).position(|window| window == close);
    Some(end.map_or(rest.len(), |end| body + end + close.len()))
}

fn quoted_len(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// A quote opens a literal when it closes after one character; otherwise it is a lifetime's.
fn is_char_literal(rest: &[u8]) -> bool {
    match rest.get(1) {
        None => false,
        Some(b'\\') => true,
        Some(&first) => {
            let len = if first < 0x80 { 1 } else { (first.leading_ones() as usize).clamp(1, 4) };
            rest.get(1 + len) == Some(&b'\'')
        }
    }
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The words of a text, each with its line from one.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        words.map(move |word| (index + 1, word))
    })
}
