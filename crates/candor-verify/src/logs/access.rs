//! Answers of 5xx in access logs.

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// In capitals.
    pub method: String,
    /// Without what follows a question mark.
    pub path: String,
    /// With which it was answered.
    pub status: u16,
}

/// Whether a line tells that a request was answered with 5xx, 503 aside.
pub(super) fn is_failure(line: &str) -> bool {
    status_at(line).is_some()
}

/// Whether a line tells of an answer of 5xx that is among these.
pub(super) fn is_expected(line: &str, expected: &[Answered]) -> bool {
    let Some(at) = status_at(line) else { return false };
    let status = line.get(at..at + 3).unwrap_or_default();
    let words: Vec<&str> = line.split([' ', '"', '\t', '|']).filter(|word| !word.is_empty()).collect();
    let is_asked = |answered: &Answered| {
        words.windows(2).any(|pair| {
            let [method, path] = pair else { return false };
            *method == answered.method && path.split('?').next() == Some(answered.path.as_str())
        })
    };
    expected.iter().any(|answered| status.parse() == Ok(answered.status) && is_asked(answered))
}

/// Where the status of such an answer stands.
fn status_at(line: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = line.get(from..).and_then(|rest| rest.find(" 5")) {
        let at = from + found;
        if is_status(line, at + 1) && is_request(line, at) {
            return Some(at + 1);
        }
        from = at + 2;
    }
    None
}

fn is_status(line: &str, at: usize) -> bool {
    let text = line.as_bytes();
    let ends = text.get(at + 3).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b','));
    let status = text.get(at..at + 3).unwrap_or_default();
    ends && status != b"503" && matches!(status, [b'5', b'0'..=b'9', b'0'..=b'9'])
}

/// Whether what stands around the number at this place is an access log: a quoted request before it, a method and a path
/// before it and a time behind it, a column of its own, or Rails' sentence.
fn is_request(line: &str, at: usize) -> bool {
    let (before, after) = (line.get(..at).unwrap_or_default(), line.get(at + 4..).unwrap_or_default());
    if before.ends_with('"') {
        let request =
            before.strip_suffix('"').and_then(|text| text.rsplit_once('"')).map_or("", |(_, inner)| inner);
        return is_method(request) && request.contains(" HTTP/");
    }
    let after = after.trim_start();
    // Gin: `| 500 |`.
    if before.ends_with('|') && after.starts_with('|') {
        return METHODS.iter().any(|method| after.contains(method));
    }
    if before.ends_with("Completed") {
        return after.contains(" in ");
    }
    // morgan, Next.js: `GET /x 500 1.2 ms`, `GET /x 500 in 12ms`.
    let mut words = before.rsplit(' ');
    let (path, method) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let has_time = after.starts_with("in ") || after.split(' ').take(2).any(|word| word.ends_with("ms"));
    path.starts_with('/') && METHODS.contains(&method) && has_time
}

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

fn is_method(request: &str) -> bool {
    METHODS.iter().any(|method| request.strip_prefix(method).is_some_and(|rest| rest.starts_with(' ')))
}
