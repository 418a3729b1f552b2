//! Known values in all their forms.

use std::fmt::Write as _;

use candor_redact::{MASK, Redactor};

/// Values that look like nothing the rules know.
const VALUES: &[&str] = &[
    "tr0ub4dor",
    "p@ss/w+rd?&=%",
    "a \"quoted\" \\ one",
    "zażółć-gęślą-🔑",
    "tab\there\u{1}and<more>'",
    "line one of it\nline two of the secret\nx",
];

fn base64(bytes: &[u8], alphabet: &[u8; 64], pad: &str) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            out.push(char::from(alphabet[(bits >> (18 - 6 * at) & 63) as usize]));
        }
        out.push_str(&pad.repeat(3 - chunk.len()));
    }
    out
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn percent(value: &str, kept: &str, capitals: bool) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        match char::from(byte) {
            ' ' if kept.contains('+') => out.push('+'),
            c if c.is_ascii_alphanumeric() || (c != '+' && kept.contains(c)) => out.push(c),
            _ if capitals => write!(out, "%{byte:02X}").unwrap(),
            _ => write!(out, "%{byte:02x}").unwrap(),
        }
    }
    out
}

fn ascii_json(value: &str) -> String {
    let json = serde_json::to_string(value).unwrap();
    let mut out = String::new();
    for c in json[1..json.len() - 1].chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        }
    }
    out
}

/// Every form of `value` with a name. The encoders here are written apart from those under test.
fn forms(value: &str) -> Vec<(&'static str, String)> {
    let json = serde_json::to_string(value).unwrap();
    let json = json[1..json.len() - 1].to_owned();
    let twice = serde_json::to_string(&json).unwrap();
    let bytes = value.as_bytes();
    let hex = bytes.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    vec![
        ("plain", value.to_owned()),
        ("base64", base64(bytes, STANDARD, "=")),
        ("base64 without padding", base64(bytes, STANDARD, "")),
        ("base64url", base64(bytes, URL_SAFE, "=")),
        ("base64url without padding", base64(bytes, URL_SAFE, "")),
        ("base64 behind one byte", base64(&[b"u", bytes, b"!!"].concat(), STANDARD, "=")),
        ("base64 behind two bytes", base64(&[b"u:", bytes, b"!!"].concat(), STANDARD, "=")),
        ("base64url behind four bytes", base64(&[b"user", bytes].concat(), URL_SAFE, "")),
        ("HEX", hex.to_uppercase()),
        ("hex", hex),
        ("percent", percent(value, "-_.~", true)),
        ("percent lower", percent(value, "-_.~", false)),
        ("percent component", percent(value, "-_.!~*'()", true)),
        ("percent form", percent(value, "*-._+", true)),
        ("percent all", bytes.iter().fold(String::new(), |all, byte| format!("{all}%{byte:02X}"))),
        ("json with slashes", json.replace('/', "\\/")),
        ("json", json),
        ("json ascii", ascii_json(value)),
        ("json twice", twice[1..twice.len() - 1].to_owned()),
    ]
}

/// What is left of a form when the value in it is masked: never more than the characters at the edges of
/// base64 that other bytes had a part in.
#[track_caller]
fn assert_masked(form: &str, name: &str, masked: &str) {
    assert!(masked.contains(MASK), "{name} was missed: {form}");
    let left: usize = masked.split(MASK).map(str::len).sum();
    let allowed = if name.contains("behind") {
        12
    } else if name.contains("base64") {
        3
    } else {
        0
    };
    assert!(left <= allowed, "{name}: {form} left {masked}");
}

#[test]
fn s11_7_a_known_value_is_masked_in_every_form() {
    let redactor = Redactor::with_secrets(VALUES);
    for value in VALUES {
        for (name, form) in forms(value) {
            assert_masked(&form, name, &redactor.redact_str(&form));
            let text = format!("before {form} after");
            let masked = redactor.redact_str(&text);
            assert!(
                masked.starts_with("before ") && masked.ends_with(" after") && masked.contains(MASK),
                "{name}: {masked}"
            );
        }
    }
}

#[test]
fn s11_7_a_known_value_is_masked_wherever_two_writes_cut_it() {
    let redactor = Redactor::with_secrets(VALUES);
    for value in VALUES {
        for (name, form) in forms(value) {
            let text = format!("a {form} b\nnext\n");
            let whole = redactor.redact(text.as_bytes());
            for cut in 0..=text.len() {
                let mut stream = redactor.stream();
                let mut out = Vec::new();
                stream.push(&text.as_bytes()[..cut], &mut out);
                stream.push(&text.as_bytes()[cut..], &mut out);
                stream.finish(&mut out);
                assert_eq!(out, whole.as_ref(), "{name} cut at {cut}");
            }
        }
    }
}

#[test]
fn every_long_line_of_a_known_key_is_masked_by_itself() {
    let key =
        "-----BEGIN THING-----\nabcdefghij0123456789\nKLMNOPQRST9876543210\nshort\n-----END THING-----\n";
    let redactor = Redactor::with_secrets([key]);
    assert_eq!(redactor.redact_str("saw KLMNOPQRST9876543210!"), "saw [REDACTED]!");
    assert_eq!(redactor.redact_str("a short -----BEGIN THING-----"), "a short -----BEGIN THING-----");
    assert_eq!(redactor.redact_str(&format!("<{key}>")), "<[REDACTED]\n>");
}

#[test]
fn values_that_would_eat_text_are_not_looked_for() {
    let redactor = Redactor::with_secrets([
        "",
        "abc",
        "12345",
        "true",
        "password",
        "aaaaaaaaaa",
        "1234567",
        "localhost",
    ]);
    let text = "abc 12345 true password aaaaaaaaaa 1234567 localhost";
    assert_eq!(redactor.redact_str(text), text);
}

#[test]
fn overlapping_and_touching_values_are_masked_as_one_or_two() {
    let redactor = Redactor::with_secrets(["alpha-one", "one-beta2", "gamma-ray"]);
    assert_eq!(redactor.redact_str("<alpha-one-beta2>"), "<[REDACTED]>");
    assert_eq!(redactor.redact_str("<alpha-onegamma-ray>"), "<[REDACTED][REDACTED]>");
}

#[test]
fn a_value_right_after_an_escape_leaves_the_escape_whole() {
    let redactor = Redactor::with_secrets(["nabucco7"]);
    let masked = redactor.redact_str(r#"{"a":"x\nabucco7"}"#).into_owned();
    assert!(serde_json::from_str::<serde_json::Value>(&masked).is_ok(), "{masked}");
    assert!(!masked.contains("abucco"));
}

#[test]
fn a_very_long_value_is_masked_all_through() {
    let value: String = (0..20_000_u32)
        .map(|at| char::from_digit(at.wrapping_mul(2_654_435_761) >> 27, 36).unwrap())
        .collect();
    let redactor = Redactor::with_secrets([&value]);
    let masked = redactor.redact_str(&value).into_owned();
    assert_eq!(masked.replace(MASK, ""), "", "{masked}");
}

#[test]
fn debug_shows_no_secret() {
    let redactor = Redactor::with_secrets(["tr0ub4dor"]);
    let mut stream = redactor.stream();
    stream.push(b"tr0ub4dor", &mut Vec::new());
    let shown = format!("{redactor:?} {stream:?}");
    assert!(!shown.contains("tr0ub"), "{shown}");
}

#[test]
fn findings_are_places_in_the_original_text() {
    let redactor = Redactor::with_secrets(["tr0ub4dor"]);
    let text = "tr0ub4dor, password=tr0ub4dor9 and password=other77 end";
    let found = redactor.find(text.as_bytes());
    let shown: Vec<(&str, &str)> = found.iter().map(|f| (&text[f.range.clone()], f.rule)).collect();
    assert_eq!(shown[0], ("tr0ub4dor", "known-value"));
    assert_eq!(shown.last().unwrap(), &("other77", "key-name"));
    assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
}
