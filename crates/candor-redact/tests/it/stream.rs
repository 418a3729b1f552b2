//! Data in pieces gives the same output as data in one.

use std::fmt::Write as _;

use candor_redact::{MASK, Redactor};

use crate::made::{Random, secret};

fn in_pieces(redactor: &Redactor, text: &[u8], mut next_len: impl FnMut() -> usize) -> Vec<u8> {
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = text.len().min(at + next_len().max(1));
        stream.push(&text[at..end], &mut out);
        at = end;
    }
    stream.finish(&mut out);
    out
}

fn sample() -> String {
    [
        "plain line",
        "{\"password\":\"hunter2\",\"n\":1}",
        "token {A0}ghp_{A36} here",
        "-----BEGIN RSA PRIVATE KEY-----\n{b64}\n{b64}\n{b12}\n-----END RSA PRIVATE KEY-----\nafter",
        "-----BEGIN PRIVATE KEY-----\n{b64}\n{b64}\n\ncut off above",
        "-----BEGIN PRIVATE KEY-----",
        "Private-Lines: 3\n{b64}\n{b30}\nPrivate-MAC: {h40}",
        "k = \"-----BEGIN PRIVATE KEY-----\\n\" +\n  \"{b64}\\n\" +\n  \"-----END PRIVATE KEY-----\\n\"",
        "https://api.telegram.org/bot{d10}:AA{w33}/getMe\r",
        "postgres://u:{A12}@h/db",
        "known tr0ub4dor9 and first line of\nsecond line of\nthird line",
        "first line of",
        "first line of\nsecond line of\nbut not the third",
        "Authorization: Bearer eyJ{w30}.eyJ{w60}.{w43}",
        "",
        "password: \"unclosed",
        "last without newline AKIA{U16}",
    ]
    .map(secret)
    .join("\n")
}

fn redactor() -> Redactor {
    Redactor::with_secrets(["tr0ub4dor9", "first line of\nsecond line of\nthird line"])
}

#[test]
fn one_byte_at_a_time_gives_the_same_as_all_at_once() {
    let (redactor, text) = (redactor(), sample());
    let whole = redactor.redact(text.as_bytes());
    let pieces = in_pieces(&redactor, text.as_bytes(), || 1);
    assert_eq!(String::from_utf8_lossy(&pieces), String::from_utf8_lossy(&whole));
    assert!(!String::from_utf8_lossy(&pieces).contains("tr0ub4dor9"));
}

#[test]
fn any_cut_gives_the_same_as_all_at_once() {
    let (redactor, text) = (redactor(), sample());
    let whole = redactor.redact(text.as_bytes());
    for cut in 0..text.len() {
        let mut first = true;
        let pieces =
            in_pieces(
                &redactor,
                text.as_bytes(),
                || if std::mem::take(&mut first) { cut } else { text.len() },
            );
        assert_eq!(String::from_utf8_lossy(&pieces), String::from_utf8_lossy(&whole), "cut at {cut}");
    }
    let mut random = Random(42);
    for _ in 0..300 {
        let pieces = in_pieces(&redactor, text.as_bytes(), || random.below(90));
        assert_eq!(String::from_utf8_lossy(&pieces), String::from_utf8_lossy(&whole));
    }
}

#[test]
fn a_complete_line_leaves_at_once() {
    let mut stream = Redactor::new().stream();
    let mut out = Vec::new();
    stream.push(b"one\ntwo password=hunter2\nthr", &mut out);
    assert_eq!(out, b"one\ntwo password=[REDACTED]\n");
}

#[test]
fn a_line_past_the_cap_leaves_in_parts_and_leaks_nothing() {
    let redactor = Redactor::with_secrets(["tr0ub4dor9"]);
    let mut random = Random(7);
    let mut text = String::from("{\"data\":\"");
    let mut secrets = Vec::new();
    for number in 0..600 {
        for _ in 0..random.below(200) {
            text.push_str("lorem ");
        }
        let token = secret("ghp_{A36}") + &number.to_string();
        let value = format!("Hunter{number}xyz");
        write!(text, " {token} tr0ub4dor9 {{\\\"password\\\":\\\"{value}\\\"}} ").unwrap();
        secrets.extend([token, value]);
    }
    text.push_str("\"}\n");
    assert!(text.len() > 300_000);
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    let mut held_bytes_max = 0;
    for (number, chunk) in text.as_bytes().chunks(1000).enumerate() {
        stream.push(chunk, &mut out);
        held_bytes_max = held_bytes_max.max((number + 1) * 1000 - out.len().min((number + 1) * 1000));
    }
    stream.finish(&mut out);
    let out = String::from_utf8(out).unwrap();
    for secret in &secrets {
        assert!(!out.contains(secret.as_str()), "{secret}");
    }
    assert!(!out.contains("tr0ub4dor9"));
    assert_eq!(out, redactor.redact_str(&text));
    assert!(held_bytes_max < 200_000, "{held_bytes_max}");
}

#[test]
fn a_value_longer_than_the_cap_is_masked_to_its_end() {
    let redactor = Redactor::new();
    for (open, close) in [
        ("{\"password\":\"", "\",\"a\":1}\n"),
        ("{\"x\":\"{\\\"token\\\":\\\"", "\\\"}\"}\n"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJ", " end\n"),
    ] {
        let body = "AbC9".repeat(60_000);
        let text = format!("{open}{body}{close}");
        let pieces = in_pieces(&redactor, text.as_bytes(), || 700);
        let pieces = String::from_utf8(pieces).unwrap();
        assert!(pieces.contains(MASK) && pieces.len() < 100, "{} bytes left", pieces.len());
        assert_eq!(pieces, redactor.redact_str(&text));
    }
}

#[test]
fn one_big_chunk_without_a_newline_is_taken_in_steps() {
    let text = format!("{} password=hunter2 {}", "a b ".repeat(200_000), "c d ".repeat(200_000));
    let pieces = in_pieces(&Redactor::new(), text.as_bytes(), || usize::MAX / 2);
    assert_eq!(String::from_utf8(pieces).unwrap(), text.replace("hunter2", MASK));
}

/// Where the first part of a line that arrives in one piece ends: a step past the cap, less what is held back.
const FIRST_CUT: usize = 64 * 1024 + 16 * 1024 - 4 * 1024;

#[test]
fn a_cut_inside_a_secrets_name_leaks_nothing() {
    let redactor = Redactor::new();
    let pw = "hunter2horseX9";
    let key = secret("{b86}==");
    let aws = secret("{b40}");
    let shapes = [
        (format!("\"password\":\"{pw}\""), pw),
        (format!("password={pw}"), pw),
        (format!("Authorization: Bearer {pw}"), pw),
        (format!("postgres://bob:{pw}@h/db"), pw),
        (format!("aws_secret_access_key = {aws}"), aws.as_str()),
        (format!("Cookie: sid={pw}; a=b"), pw),
        (format!("AccountKey={key}"), key.as_str()),
        (format!("curl -u bob:{pw}"), pw),
    ];
    let filler = "x ".repeat(40_000);
    for (shape, value) in &shapes {
        // Every place of the cut: before the shape, in its name, in its value and behind it.
        for offset in -24..=i32::try_from(shape.len()).unwrap().max(8) {
            let start = FIRST_CUT.checked_add_signed(-isize::try_from(offset).unwrap()).unwrap();
            let text = format!("{} {shape}{}", &filler[..start - 1], " y".repeat(20_000));
            let out = String::from_utf8(in_pieces(&redactor, text.as_bytes(), || usize::MAX / 2)).unwrap();
            assert!(!out.contains(value), "{shape} at {offset}");
            assert_eq!(out, redactor.redact_str(&text), "{shape} at {offset}");
        }
    }
}
