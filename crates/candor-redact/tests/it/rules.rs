//! Every rule finds what it is for, wherever it stands.

use std::collections::BTreeSet;

use candor_redact::{MASK, Redactor, rules};

use crate::{examples::EXAMPLES, made::secret};

/// The example filled in, as (text before, secret, text after).
fn parts(template: &str) -> (String, String, String) {
    let filled = secret(template);
    let Some((before, rest)) = filled.split_once('«') else {
        return (String::new(), filled, String::new());
    };
    let (secret, after) = rest.split_once('»').unwrap();
    (before.to_owned(), secret.to_owned(), after.to_owned())
}

#[test]
fn s14_10_every_rule_finds_its_examples_and_masks_them_whole() {
    let redactor = Redactor::new();
    let mut failures = Vec::new();
    for (rule, template) in EXAMPLES {
        let (before, secret, after) = parts(template);
        let text = format!("{before}{secret}{after}");
        let masked = redactor.redact_str(&text);
        let expected = format!("{before}{MASK}{after}");
        let found = redactor.find(text.as_bytes());
        if masked != expected || found.iter().all(|finding| finding.rule != *rule) {
            failures.push(format!("{rule}: {text}\n   -> {masked}\n   {found:?}"));
        }
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_rule_has_an_example_and_a_name_of_its_own() {
    let covered: BTreeSet<&str> = EXAMPLES.iter().map(|(rule, _)| *rule).collect();
    let known: Vec<&str> = rules().map(|rule| rule.name).collect();
    let bare: Vec<&&str> = known.iter().filter(|name| !covered.contains(*name)).collect();
    assert!(bare.is_empty(), "rules without an example: {bare:?}");
    let stray: Vec<&&str> = covered.iter().filter(|name| !known.contains(name)).collect();
    assert!(stray.is_empty(), "examples without a rule: {stray:?}");
    assert_eq!(known.iter().collect::<BTreeSet<_>>().len(), known.len(), "two rules share a name");
    assert!(known.len() >= 80, "only {} kinds", known.len());
    assert!(rules().all(|rule| !rule.about.is_empty()));
}

/// Contexts that a secret turns up in. None of them may hide it or lose anything else.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("a word ", " another"),
    ("(", ")"),
    ("\"", "\""),
    ("'", "',"),
    ("see: ", "."),
    ("{\"stdout\":\"ok\\n", "\\ndone\"}"),
    ("{\"stdout\":\"{\\\"v\\\":\\\"", "\\\"}\"}"),
    ("\u{1b}[31m", "\u{1b}[0m"),
    ("a\tb\t", "\tc"),
    ("<b>", "</b>"),
    ("x=", "&y=1"),
    ("q%3D", "%26z"),
    ("[", "]"),
    ("echo ", " | cat"),
    ("first line\n", "\nlast line"),
    ("\u{201c}", "\u{201d}"),
];

#[test]
fn s11_7_a_marked_token_is_found_in_every_context() {
    let redactor = Redactor::new();
    let mut failures = Vec::new();
    for (rule, template) in EXAMPLES.iter().filter(|(_, template)| !template.contains(['«', '\n', '\\', ' ']))
    {
        let token = secret(template);
        for (before, after) in AROUND {
            let text = format!("{before}{token}{after}");
            let masked = redactor.redact_str(&text);
            // A token with percent codes in it may take those behind it along.
            let percent = token.contains('%');
            let expected = [format!("{before}{MASK}{after}"), format!("{before}{MASK}")];
            if masked != expected[0] && !(percent && after.starts_with('%') && masked == expected[1]) {
                failures.push(format!("{rule}: {text}\n   -> {masked}"));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failed:\n{}",
        failures.len(),
        failures[..failures.len().min(40)].join("\n")
    );
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(Redactor::new().redact_str(text), expected, "{text}");
}

#[test]
fn a_jwt_in_a_line_of_a_log_is_masked() {
    let token = secret("eyJ{w30}.eyJ{w60}.{w43}");
    check(
        &format!(r#"{{"level":"debug","event":"tool_output","text":"jwt is {token}\n"}}"#),
        r#"{"level":"debug","event":"tool_output","text":"jwt is [REDACTED]\n"}"#,
    );
    check(&secret("cut off eyJ{w30}.eyJ{w60}."), "cut off [REDACTED].");
    check("eyJ is how a header starts", "eyJ is how a header starts");
}

#[test]
fn a_telegram_token_in_a_url_of_an_http_error_is_masked() {
    let token = secret("{d10}:AA{w33}");
    for path in ["bot", "file/bot"] {
        check(
            &format!(
                "error sending request for url (https://api.telegram.org/{path}{token}/getMe): timed out"
            ),
            &format!(
                "error sending request for url (https://api.telegram.org/{path}[REDACTED]/getMe): timed out"
            ),
        );
    }
}

#[test]
fn a_cut_off_key_block_is_masked_to_where_it_stops_looking_like_one() {
    check(
        &secret("log: -----BEGIN PRIVATE KEY-----\n{b64}\n{b64}\n\nThen it went on."),
        "log: [REDACTED]\n\nThen it went on.",
    );
    check(&secret("-----BEGIN PRIVATE KEY-----\n{b64}\n{b20}"), "[REDACTED]");
    check("write -----BEGIN PRIVATE KEY----- first", "write [REDACTED] first");
    let public = secret("-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n-----END CERTIFICATE-----");
    check(&public, &public);
}

#[test]
fn a_key_block_inside_source_code_and_json_is_masked_as_one() {
    check(
        &secret(
            "k = \"-----BEGIN PRIVATE KEY-----\\n\" +\n    \"{b64}\\n\" +\n    \"-----END PRIVATE KEY-----\\n\";",
        ),
        "k = \"[REDACTED]\\n\";",
    );
    check(
        &secret(
            r#"{"type":"service_account","key":"-----BEGIN PRIVATE KEY-----\n{b64}\n{b24}\n-----END PRIVATE KEY-----\n","n":1}"#,
        ),
        r#"{"type":"service_account","key":"[REDACTED]\n","n":1}"#,
    );
}

#[test]
fn a_url_loses_only_its_password() {
    check("postgres://app:hunter2@db:5432/x?y=1", "postgres://app:[REDACTED]@db:5432/x?y=1");
    check(
        "git clone https://bob:p%40ss@example.com/r.git",
        "git clone https://bob:[REDACTED]@example.com/r.git",
    );
    check("amqp://u:p@ss@mq/%2f", "amqp://u:[REDACTED]@mq/%2f");
    let token = secret("ghp_{A36}");
    check(&format!("https://{token}:x-oauth@github.com/a"), "https://[REDACTED]:[REDACTED]@github.com/a");
    for kept in [
        "http://localhost:8080/@scope/pkg",
        "https://example.com/a?mail=me@example.com",
        "ssh://git@github.com/a/b.git",
        "postgres://app:${DB_PASSWORD}@db/x",
        "postgres://app:[REDACTED]@db/x",
        "https://user@example.com:8443/",
        "http://[::1]:8080/x",
    ] {
        check(kept, kept);
    }
}
