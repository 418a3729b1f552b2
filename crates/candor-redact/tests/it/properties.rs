//! Properties that hold for any input.

use candor_redact::{MASK, Redactor};
use proptest::prelude::*;
use serde_json::{Map, Value};

const KNOWN: [&str; 3] = ["tr0ub4dor9", "hunter two", "x\"y\\z/w+1"];

/// Pieces that checks care about, so that random text reaches them.
const PIECES: &[&str] = &[
    "password",
    "token",
    "\"",
    "'",
    "\\",
    "\\\"",
    "\\n",
    ":",
    "=",
    " ",
    "\n",
    ",",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "&",
    "?",
    "apiKey",
    "sk-",
    "ghp_",
    "eyJ",
    ".",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "://",
    "user",
    "@",
    "Authorization",
    "Bearer ",
    "Basic ",
    "Cookie",
    "sid",
    ";",
    "%3D",
    "\\u0026",
    "tr0ub4dor9",
    "hunter2",
    "1234567",
    "AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789",
    "[REDACTED]",
    "--",
    "value",
    "name",
    "aws_secret",
    "$",
    "é",
    "🔑",
    "Private-Lines: 3",
    "\r",
    "\t",
    "null",
    "x",
    "secret_key",
    "AKIA",
    "ABCDEFGH12345678",
    "-u ",
    "\u{1b}[31m",
    "`",
    "|",
    "+",
    "tokens",
    "[\"",
    "\", \"",
    "mysql ",
    " -p",
    " -a ",
    " -u",
    "docker ",
    "docker login ",
    "machine ",
    "login ",
    "cookie=",
    "==",
    "${",
    ":-",
    "pw",
    "PWD",
    "/home/me",
    "%20",
    "api key",
    "my-secret",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "password",
        "token",
        "apiKey",
        "authorization",
        "cookie",
        "credentials",
        "n",
        "text",
        "inputTokens",
        "secret_key",
    ])
    .prop_map(str::to_owned)
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f32>().prop_map(|number| Value::from(f64::from(number))),
        text().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner.clone()), 0..4)
                .prop_map(|pairs| Value::from(pairs.into_iter().collect::<Map<_, _>>())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_redacted_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let redactor = Redactor::with_secrets(KNOWN);
        let once = redactor.redact(&bytes).into_owned();
        let again = redactor.redact(&once);
        prop_assert_eq!(again.as_ref(), &once[..]);
    }

    #[test]
    fn redacting_twice_changes_nothing_more(text in text()) {
        // A key block in the middle of another value ends that with its blanks; its mask has none.
        let text = text.replace("-----BEGIN", "\n-----BEGIN");
        let redactor = Redactor::with_secrets(KNOWN);
        let once = redactor.redact_str(&text).into_owned();
        let again = redactor.redact_str(&once);
        prop_assert_eq!(again.as_ref(), once.as_str(), "from {:?}", text);
    }

    #[test]
    fn json_stays_json(value in json()) {
        let line = value.to_string();
        let masked = Redactor::with_secrets(["tr0ub4dor9", "hunter two"]).redact_str(&line).into_owned();
        prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{line} -> {masked}");
    }

    #[test]
    fn a_stream_gives_what_the_whole_gives(
        lines in prop::collection::vec(text(), 1..5),
        lens in prop::collection::vec(1_usize..20, 1..40),
    ) {
        let redactor = Redactor::with_secrets(["tr0ub4dor9", "hunter2\ntoken"]);
        let text = lines.join("\n");
        let mut stream = redactor.stream();
        let mut out = Vec::new();
        let mut rest = text.as_bytes();
        for len in lens.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, next) = rest.split_at(rest.len().min(*len));
            stream.push(chunk, &mut out);
            rest = next;
        }
        stream.finish(&mut out);
        let whole = redactor.redact_str(&text);
        prop_assert_eq!(String::from_utf8_lossy(&out), whole, "from {:?}", text);
    }

    #[test]
    fn findings_are_in_order_and_masking_them_is_redacting(text in text()) {
        let redactor = Redactor::with_secrets(KNOWN);
        let found = redactor.find(text.as_bytes());
        prop_assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        prop_assert!(found.iter().all(|finding| finding.range.end <= text.len() && !finding.range.is_empty()));
        let masked = redactor.redact_str(&text);
        prop_assert_eq!(found.is_empty(), masked == text, "{:?} {:?}", text, found);
        prop_assert!(masked.matches(MASK).count() >= found.len().min(1));
    }

    #[test]
    fn a_known_value_never_stays(before in text(), after in text()) {
        let redactor = Redactor::with_secrets(["tr0ub4dor9"]);
        let masked = redactor.redact_str(&format!("{before}tr0ub4dor9{after}")).into_owned();
        prop_assert!(!masked.contains("tr0ub4dor9"), "{masked}");
    }
}
