use std::time::{Duration, Instant};

use super::{is_encrypted, load};

/// A document whose table names one object, of this many numbers, so often.
fn named_often(numbers: usize, times: usize) -> Vec<u8> {
    let mut bytes = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n".to_vec();
    let at = bytes.len();
    bytes.extend(b"2 0 obj\n[");
    bytes.extend(b"1 ".repeat(numbers));
    bytes.extend(b"]\nendobj\n");
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n0000000009 00000 n \n", times + 2).bytes());
    bytes.extend(format!("{at:010} 00000 n \n").repeat(times).bytes());
    bytes.extend(
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", times + 2).bytes(),
    );
    bytes
}

fn in_a_minute() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

#[test]
fn an_object_that_is_named_many_times_is_not_unpacked_as_often() {
    assert!(load(&named_often(10_000, 10), in_a_minute()).is_ok());
    let error = load(&named_often(10_000, 1_000), in_a_minute()).unwrap_err();
    assert_eq!(error, "it unpacks to more than can be read");
    // The next one on this thread is weighed by itself.
    assert!(load(&named_often(10_000, 10), in_a_minute()).is_ok());
}

#[test]
fn loading_ends_with_its_time() {
    let over = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
    assert_eq!(load(&named_often(10, 10), over).unwrap_err(), "it takes too long to read");
}

#[test]
fn an_encrypted_document_is_known_by_its_trailer_however_that_is_written() {
    for encrypted in ["<< /Encrypt 5 0 R >>", "<</Encrypt<<", "/#45ncrypt 5", "/E#6e#63rypt\n5"] {
        assert!(is_encrypted(encrypted.as_bytes()), "{encrypted}");
    }
    for other in ["/EncryptMetadata false", "/Encrypted", "Encrypt", "/Encryp", "/#4", "/#zzncrypt 1"] {
        assert!(!is_encrypted(other.as_bytes()), "{other}");
    }
}
