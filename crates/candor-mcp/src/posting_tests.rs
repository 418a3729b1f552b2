use super::{Measure, scope};

fn is_too_long(bytes_max: usize, pieces: &[&str]) -> bool {
    let mut measure = Measure { bytes_max, ..Measure::default() };
    pieces.iter().any(|piece| measure.is_too_long_with(piece.as_bytes()))
}

#[test]
fn an_event_is_measured_to_the_empty_line_behind_it() {
    assert!(!is_too_long(9, &["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]));
    assert!(!is_too_long(9, &["data: 1\r\n\r\n", "data: 2\r", "\n\r", "\ndata: 3"]));
    assert!(is_too_long(9, &["data: 1\n", "data: 2\n\n"]));
    // Two bytes that end one line are no empty line.
    assert!(is_too_long(9, &["data: 1\r\n", "data: 2\r\n"]));
    assert!(is_too_long(9, &["data: ", "1234"]));
}

#[test]
fn the_scope_of_a_challenge_is_found_however_it_is_written() {
    assert_eq!(
        scope(r#"Bearer error="x", Scope="files:read files:write""#).as_deref(),
        Some("files:read files:write")
    );
    assert_eq!(scope("Bearer scope=read, error=x").as_deref(), Some("read"));
    assert_eq!(scope("Bearer scope="), None);
    assert_eq!(scope("Bearer"), None);
}
