//! Wrong values: where they are, and what would be right.

use candor_config::Error;

use crate::case::Case;

#[track_caller]
fn check(toml: &str, expect: &str) {
    assert_eq!(Case::toml(toml).refused().trim(), expect.trim());
}

#[test]
fn a_wrong_word_is_shown_in_its_line() {
    check(
        "provider = \"openai\"\n[logging]\nlevel = \"loud\"\n",
        "config.toml:3:9: logging.level: expected one of error, warn, info or debug, found \"loud\"\n  \
         3 | level = \"loud\"\n    |         ^^^^^^",
    );
}

#[test]
fn the_column_counts_characters_and_survives_tabs() {
    check(
        "[logging]\n\tlevel\t= \"löud\" # ü\n",
        "config.toml:2:10: logging.level: expected one of error, warn, info or debug, found \"löud\"\n  \
         2 |  level = \"löud\" # ü\n    |          ^^^^^^",
    );
}

#[test]
fn s17_3_a_bad_port_is_explained() {
    for port in ["70000", "0", "-1", "\"http\""] {
        let text = Case::toml(&format!("[server]\nport = {port}\n")).refused();
        assert!(
            text.starts_with("config.toml:2:8: server.port: expected a port from 1 to 65535, found "),
            "{text}"
        );
    }
    let text = Case::toml("[server]\nlisten = \"127.0.0.1:99999\"\n").refused();
    assert!(text.contains("expected an address and a port from 1 to 65535"), "{text}");
}

#[test]
fn s17_4_a_model_table_without_a_provider_is_explained() {
    let text = Case::toml("model = { name = \"gpt-5\" }\n").refused();
    assert!(text.starts_with("config.toml:1:1: model.provider: missing"), "{text}");
    assert!(text.contains("model = { provider = \"anthropic\""), "{text}");
}

#[test]
fn all_problems_come_at_once_in_the_order_of_the_file() {
    let text = Case::toml(
        "provider = 5\nmax_cost = -1\n[retry]\nmax_retries = 1000\nbase_delay_ms = \"soon\"\n[tools]\ntimeout = true\n",
    )
    .refused();
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("config.toml")).collect();
    assert_eq!(
        heads,
        [
            "config.toml:1:12: provider: expected text in quotes, found 5",
            "config.toml:2:12: max_cost: expected a number, not negative, found -1",
            "config.toml:4:15: retry.max_retries: expected a whole number from 0 to 100, found 1000",
            "config.toml:5:17: retry.base_delay_ms: expected a length of time such as \"30s\" or \"5m\", or a whole \
             number of milliseconds, at least 100, found \"soon\"",
            "config.toml:7:11: tools.timeout: expected a length of time such as \"30s\" or \"5m\", or a whole number of \
             seconds, at least 5, found true",
        ]
    );
}

#[test]
fn yaml_places_are_as_exact() {
    let text = Case::yaml("logging:\n  level: loud\ntools:\n  max_iterations: 0\n").refused();
    assert!(text.contains("config.yaml:2:10: logging.level: expected one of"), "{text}");
    assert!(text.contains("  2 |   level: loud\n    |          ^^^^"), "{text}");
    assert!(
        text.contains("config.yaml:4:19: tools.max_iterations: expected a whole number from 1"),
        "{text}"
    );
}

#[test]
fn s17_6_a_syntax_error_has_its_line() {
    let text = Case::yaml("provider: openai\nlogging: [1, 2\n").refused();
    assert!(text.starts_with("config.yaml:"), "{text}");
    assert!(text.contains("this is not valid YAML"), "{text}");
    let text = Case::toml("provider = \"openai\"\nmodel = \n").refused();
    assert!(text.starts_with("config.toml:2:"), "{text}");
    assert!(text.contains("this is not valid TOML"), "{text}");
    assert!(text.contains("2 | model ="), "{text}");
}

#[test]
fn s12_2_a_wrong_config_does_not_load() {
    let error = Case::toml("[logging]\nlevel = 3\n").try_load().expect_err("refused");
    assert!(matches!(error, Error::Invalid { problems, .. } if problems.len() == 1));
}

#[test]
fn s17_5_an_unknown_key_is_a_warning_with_the_nearest() {
    let case = Case::toml("modle = \"x\"\n[logging]\nlevle = \"info\"\nzzz = 1\n");
    let text = case.warnings();
    assert!(text.contains("config.toml:1:1: modle: unknown key, ignored; did you mean \"model\"?"), "{text}");
    assert!(
        text.contains("config.toml:3:1: logging.levle: unknown key, ignored; did you mean \"level\"?"),
        "{text}"
    );
    assert!(
        text.contains("logging.zzz: unknown key, ignored; known here: level, file, stdout, rotation"),
        "{text}"
    );
    assert_eq!(case.load().config.model, None);
}

#[test]
fn an_unset_variable_is_a_problem_in_its_line() {
    let text = Case::toml("model = \"${NO_SUCH_VARIABLE}\"\n").refused();
    assert!(text.starts_with("config.toml:1:9: model: the variable NO_SUCH_VARIABLE is not set"), "{text}");
}

#[test]
fn an_unknown_provider_names_the_nearest() {
    let text = Case::toml("provider = \"antropic\"\n").refused();
    assert!(text.contains("did you mean \"anthropic\"?"), "{text}");
    Case::toml("provider = \"mine\"\n[providers.mine]\nbase_url = \"http://127.0.0.1:1/v1\"\n").load();
}

#[test]
fn a_provider_of_ones_own_needs_an_address() {
    let text = Case::toml("[providers.mine]\nmodel = \"x\"\n").refused();
    assert!(text.contains("providers.mine: a provider that is no preset needs a base_url"), "{text}");
    let text = Case::toml("[providers.mine]\nbase_url = \"127.0.0.1\"\n").refused();
    assert!(text.contains("config.toml:2:12: providers.mine.base_url: expected an address"), "{text}");
    Case::toml(
        "[providers.mine]\ndialect = \"scripted\"\nscript = \"s.json\"\n[providers.openai]\nmodel = \"x\"\n",
    )
    .load();
}

#[test]
fn telegram_needs_what_its_mode_needs() {
    let text =
        Case::toml("[telegram]\nenabled = true\nmode = \"webhook\"\nwebhook_secret = \"short\"\n").refused();
    assert!(text.contains("telegram.enabled: the bot is on but has no bot_token"), "{text}");
    assert!(text.contains("telegram.mode: webhook mode needs a webhook_url"), "{text}");
    assert!(text.contains("telegram.webhook_secret: too short"), "{text}");
    let text = Case::toml("[telegram]\nallow_from = [\"@someone\"]\n").refused();
    assert!(text.contains("expected the numeric id of a user"), "{text}");
}

#[test]
fn what_is_not_built_yet_is_said_to_whoever_counts_on_it() {
    let text = Case::toml(
        "[security]\nallowed_users = [\"ann\"]\n[telegram]\nenabled = true\nbot_token_env = \"T\"\n",
    )
    .warnings();
    assert!(text.contains("telegram.enabled: there is no bot yet"), "{text}");
    assert!(text.contains("security.allowed_users: users are not told apart yet"), "{text}");
    let text = Case::toml("[security]\nallowed_users = []\n[telegram]\nenabled = false\n").warnings();
    assert_eq!(text, "");
}

#[test]
fn a_pattern_that_is_none_is_refused() {
    let text = Case::toml("[security]\ndeny_commands = [\"git push *\", \"/(/\"]\n").refused();
    assert!(text.contains("security.deny_commands: \"/(/\" is not a valid regular expression"), "{text}");
    let text = Case::toml("[security]\nblocked_commands = [\"^rm .*\", \"(\"]\n").refused();
    assert!(
        text.contains("config.toml:2:20: security.blocked_commands: \"(\" is not a valid regular expression"),
        "{text}"
    );
    let text = Case::toml("[session]\ndatabase_url = \"mysql://x\"\n").refused();
    assert!(
        text.contains("session.database_url: expected an address that begins with postgres:// or sqlite:"),
        "{text}"
    );
}

#[test]
fn waits_that_contradict_each_other_are_refused() {
    let text = Case::toml("[retry]\nbase_delay = \"1m\"\nmax_delay = \"2s\"\n").refused();
    assert!(
        text.contains("config.toml:3:13: retry.max_delay: the longest wait is shorter than the first"),
        "{text}"
    );
}

#[test]
fn a_key_written_twice_is_refused_in_both_formats() {
    let text = Case::toml("model = \"a\"\nmodel = \"b\"\n").refused();
    assert!(text.contains("config.toml:2:1"), "{text}");
    let text = Case::yaml("model: a\nmodel: b\n").refused();
    assert!(
        text.contains("config.yaml:2:1: the key \"model\" stands here a second time; the first is on line 1"),
        "{text}"
    );
    let text = Case::toml("[retry]\nbase_delay = \"1s\"\nbase_delay_ms = 5\n").refused();
    assert!(text.contains("retry.base_delay: this is the same setting as \"base_delay_ms\""), "{text}");
}

#[test]
fn every_kind_of_line_end_is_counted_and_shown() {
    for text in ["model: x\r\nprofile: y\r\n", "model: x\rprofile: y\r", "model: x\nprofile: y\n"] {
        let text = Case::yaml(text).refused();
        assert!(text.contains("config.yaml:2:10: profile:") && text.contains("  2 | profile: y\n"), "{text}");
    }
    let text = Case::toml("model = \"x\"\r\nprofile = \"y\"\r\n").refused();
    assert!(
        text.contains("config.toml:2:11: profile:") && text.contains("  2 | profile = \"y\"\n"),
        "{text}"
    );
}

#[test]
fn a_problem_in_an_inherited_key_is_shown_where_it_stands() {
    let text = Case::yaml("providers:\n  a: &a {base_url: 5}\n  b:\n    <<: *a\n    model: x\n").refused();
    assert!(text.contains("config.yaml:2:20: providers.a.base_url"), "{text}");
    assert!(text.contains("config.yaml:2:20: providers.b.base_url"), "{text}");
}

#[test]
fn a_long_line_is_shown_in_part() {
    let text = Case::toml(&format!("[logging]\nlevel = \"{}\"\n", "x".repeat(5000))).refused();
    let longest = text.lines().skip(1).map(|line| line.chars().count()).max();
    assert!(longest < Some(200), "{longest:?}");
}

#[test]
fn a_wrong_flag_or_variable_is_named() {
    let case = Case::new().env("CANDOR_LOGGING__LEVEL", "loud").flag("--permission", "permission", "root");
    let text = case.refused();
    assert!(text.contains("$CANDOR_LOGGING__LEVEL: logging.level: expected one of"), "{text}");
    assert!(
        text.contains("--permission: permission: expected one of read-only, ask, workspace or full"),
        "{text}"
    );
}
