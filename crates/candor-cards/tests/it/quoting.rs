//! A quoted value is one word of the shell with the same characters.

use candor_cards::quote;
use proptest::prelude::*;

use crate::shell::{Token, tokens};

#[track_caller]
fn check(value: &str, quoted: &str) {
    assert_eq!(quote(value), quoted);
    assert_eq!(tokens(quoted), [Token::Word(value.to_owned())]);
}

#[test]
fn an_ordinary_path_is_left_alone() {
    check("/home/me/.candor/config.toml", "/home/me/.candor/config.toml");
    check("claude-sonnet-4-5", "claude-sonnet-4-5");
}

#[test]
fn nothing_is_an_empty_word() {
    check("", "''");
}

#[test]
fn spaces_quotes_and_newlines_are_quoted() {
    check("/my files/a", "'/my files/a'");
    check("it's", r"'it'\''s'");
    check("'", r"''\'''");
    check("a\"b", "'a\"b'");
    check("a\nb", "'a\nb'");
    check("a\\", r"'a\'");
}

#[test]
fn whatever_a_shell_would_expand_is_quoted() {
    for value in [
        "$HOME", "`id`", "*", "?", "[a]", "~", "~root/x", "a;b", "a|b", "a&b", "a>b", "#a", "!a", "a=b",
        "{a,b}",
    ] {
        check(value, &format!("'{value}'"));
    }
}

#[test]
fn a_leading_dash_is_quoted() {
    check("-rf", "'-rf'");
}

#[test]
fn letters_beyond_ascii_are_quoted_and_kept() {
    check("/tmp/Ünïcode", "'/tmp/Ünïcode'");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_value_comes_back_as_one_word(value in any::<String>()) {
        prop_assert_eq!(tokens(&quote(&value)), [Token::Word(value)]);
    }

    #[test]
    fn any_value_made_of_what_shells_act_on_comes_back_as_one_word(value in r#"[-'"\\$`;&|<>(){}*?\[\]#~=!% \t\na/.]{0,24}"#) {
        prop_assert_eq!(tokens(&quote(&value)), [Token::Word(value)]);
    }

    #[test]
    fn a_value_between_words_leaves_them_apart(value in any::<String>()) {
        let line = format!("ls {} after", quote(&value));
        let word = |text: &str| Token::Word(text.to_owned());
        prop_assert_eq!(tokens(&line), [word("ls"), word(&value), word("after")]);
    }
}

/// A recipe's own quotes around a fact would end where the fact's quotes begin.
#[test]
fn a_fact_between_quotes_is_plain_or_its_step_is_left_out() {
    use candor_cards::{Command, Failed, Given, How, RuleBase, explain, load};
    let recipe = "
ecosystem: x
rules:
  - code: X_Y
    class: Runtime
    title: t
    match: 'broken (?P<name>.+)$'
    cause: c
    steps:
      - { run: \"sed -i 's/{name}/y/' f\" }
      - { run: 'rm \"$(dirname {name})\"' }
      - { run: 'echo \"{name}\"' }
      - { do: last }
    examples: [{ from: docs, command: x, exit: 1, output: broken a }]
";
    let rules = RuleBase::only([load(recipe).unwrap()]);
    let command = Command::line("x");
    let steps = |output: &str| {
        let failed = Failed { command: &command, how: How::Exited(1), stdout: "", stderr: output };
        explain(&failed, &rules, &Given::default())
            .card
            .steps
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        steps("broken a-b"),
        ["Run: sed -i 's/a-b/y/' f", "Run: rm \"$(dirname a-b)\"", "Run: echo \"a-b\"", "last"]
    );
    assert_eq!(steps("broken a';id;'"), ["Run: rm \"$(dirname 'a'\\'';id;'\\''')\"", "last"]);
}
