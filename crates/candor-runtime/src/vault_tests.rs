use std::sync::Arc;

use candor_agent::Mask;
use candor_protocol::Code;
use candor_redact::Redactor;
use serde_json::json;

use super::{VALUES_MAX, Vault, placeholder_at};

fn vault(secrets: &[&str]) -> Vault {
    let secrets: Arc<[String]> = secrets.iter().map(ToString::to_string).collect();
    Vault::new(Redactor::with_secrets(secrets.iter()), secrets)
}

#[test]
fn values_are_put_back_however_deep_the_arguments() {
    let vault = vault(&["correct-horse-battery"]);
    let hidden = vault.hide("correct-horse-battery");
    let args =
        json!({"a": [{"b": format!("x {hidden} y {hidden}")}, 1, null], "c": hidden, "d": "[REDACTED] []"});
    let revealed = vault.reveal(&args).unwrap();
    let value = "correct-horse-battery";
    assert_eq!(
        revealed,
        json!({"a": [{"b": format!("x {value} y {value}")}, 1, null], "c": value, "d": "[REDACTED] []"})
    );
}

#[test]
fn an_unknown_placeholder_is_named() {
    let vault = vault(&[]);
    let failure = vault.reveal(&json!({"a": [["[REDACTED:abcdef]"]]})).unwrap_err();
    assert_eq!(failure.code, Code::PlaceholderUnknown);
    assert_eq!(failure.fact("placeholder"), Some("[REDACTED:abcdef]"));
}

#[test]
fn a_placeholder_is_not_hidden_again() {
    let vault = vault(&["correct-horse-battery"]);
    let once = vault.hide("password = correct-horse-battery");
    assert_eq!(vault.hide(&once), once);
}

#[test]
fn beyond_the_most_values_a_secret_is_masked_for_good() {
    let vault = vault(&[]);
    let text: String = (0..VALUES_MAX + 5)
        .fold(String::new(), |text, at| text + &format!("DB_PASSWORD=Zx8Kq2Lm9Pw4-{at:05}\n"));
    let hidden = vault.hide(&text);
    assert!(!hidden.contains("Zx8Kq2Lm9Pw4"));
    assert_eq!(hidden.matches("=[REDACTED]").count(), 5, "those beyond");
    assert_eq!(hidden.matches("=[REDACTED:").count(), VALUES_MAX);
}

#[test]
fn what_a_placeholder_looks_like() {
    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(placeholder_at(text), expected);
    }
    check("[REDACTED:abcdef] and more", Some("[REDACTED:abcdef]"));
    check("[REDACTED:abcdeF]", None);
    check("[REDACTED:abcde]", None);
    check("[REDACTED:abcdeé]", None);
    check("[REDACTED:abcde", None);
    check("[REDACTED]", None);
}

#[test]
fn a_changed_configuration_brings_secrets_and_loses_none() {
    let vault = vault(&["correct-horse-battery"]);
    let first = vault.hide("correct-horse-battery");
    vault.know(&["tr0ub4dor-and-three".to_owned()].into_iter().collect());
    assert_eq!(vault.hide("correct-horse-battery"), first, "what it hid once");
    assert!(!vault.hide("tr0ub4dor-and-three").contains("tr0ub4dor"), "what it was told of");
}
