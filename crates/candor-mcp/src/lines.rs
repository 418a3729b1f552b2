//! Where in a JSON text a key stands: the parser that reads it keeps no places.

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The line, from 1.
    pub(crate) line: usize,
}

/// Where the last key of this path stands. The text has been parsed, so that it is known to be JSON.
pub(crate) fn place_of(text: &str, path: &[&str]) -> Option<Place> {
    let bytes = text.as_bytes();
    // The keys on the way to where we are; in a list there is none.
    let mut way: Vec<Option<String>> = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => line += 1,
            b'{' | b'[' => way.push(None),
            b'}' | b']' => _ = way.pop(),
            b'"' => {
                let end = end_of_text(bytes, at);
                if is_key(bytes, end)
                    && let Some(key) = way.last_mut()
                {
                    *key = serde_json::from_str(text.get(at..end)?).ok();
                    let is_wanted = |(key, wanted): (&Option<String>, &&str)| key.as_deref() == Some(wanted);
                    if way.len() == path.len() && way.iter().zip(path).all(is_wanted) {
                        return Some(Place { line });
                    }
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Behind the quote that ends a text. A line cannot end inside.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn is_key(bytes: &[u8], end: usize) -> bool {
    bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}
