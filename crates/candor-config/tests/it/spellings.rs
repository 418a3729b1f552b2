//! The spellings of the seeds.

use candor_config::{HomePath, Secret, SecretSource};

use crate::case::Case;

#[test]
fn a_model_as_a_table() {
    let config = Case::yaml("model:\n  provider: openai\n  name: gpt-5\n").load().config;
    assert_eq!((config.provider.as_deref(), config.model.as_deref()), (Some("openai"), Some("gpt-5")));
}

#[test]
fn a_system_prompt_as_text_table_or_file() {
    let text = Case::toml("system_prompt = \"You are helpful.\"\n").load().config.system_prompt;
    assert_eq!(text.identity.as_deref(), Some("You are helpful."));
    let table = Case::yaml("system_prompt:\n  identity_file: ~/id.md\n  custom_instructions_file: /c.md\n");
    let prompt = table.load().config.system_prompt;
    assert_eq!(prompt.identity_file, HomePath::At(table.home.user().join("id.md")));
    assert_eq!(prompt.custom_instructions_file, HomePath::At("/c.md".into()));
    let file = Case::toml("system_prompt_file = \"/p.md\"\n").load().config.system_prompt;
    assert_eq!(file.identity_file, HomePath::At("/p.md".into()));
    let none = Case::toml("system_prompt = \"\"\n").load().config.system_prompt;
    assert_eq!(none.identity.as_deref(), Some(""), "empty is not the same as left out");
}

#[test]
fn telegram_under_channels_and_with_its_other_names() {
    let yaml =
        "channels:\n  telegram:\n    enabled: true\n    token: 'abcdefgh'\n    allowed_users: ['17', 18]\n";
    let telegram = Case::yaml(yaml).load().config.telegram;
    assert!(telegram.enabled);
    assert_eq!(telegram.bot_token, Some(SecretSource::Inline(Secret::new("abcdefgh"))));
    assert_eq!(telegram.allow_from.iter().map(|user| user.0).collect::<Vec<_>>(), [17, 18]);
    let twice =
        Case::yaml("telegram:\n  enabled: false\nchannels:\n  telegram:\n    enabled: true\n").refused();
    assert!(twice.contains("is the same setting as \"telegram\""), "{twice}");
}

#[test]
fn logging_of_the_other_seeds() {
    let case =
        Case::toml("[logging]\ndirectory = \"/var/log/candor/\"\nmax_files = 7\nrotation = \"daily\"\n");
    let logging = case.load().config.logging;
    assert_eq!(logging.file, HomePath::At("/var/log/candor/candor.log".into()));
    assert_eq!(logging.rotation.max_days.get(), 7);
    assert_eq!(case.warnings(), "");
    let text = Case::toml("[logging]\nrotation = \"hourly\"\n").warnings();
    assert!(
        text.contains("logging.rotation: the log is rotated daily and by size; \"hourly\" has no effect"),
        "{text}"
    );
}

#[test]
fn host_and_port() {
    let listen = |toml: &str| Case::toml(toml).load().config.server.listen.0.to_string();
    assert_eq!(listen("[server]\nport = 8080\n"), "127.0.0.1:8080");
    assert_eq!(listen("[server]\nhost = \"0.0.0.0\"\nport = 1\n"), "0.0.0.0:1");
    assert_eq!(listen("[server]\nhost = \"::1\"\n"), "[::1]:7777");
    assert_eq!(listen("[server]\nlisten = \"localhost:9\"\n"), "127.0.0.1:9");
}

#[test]
fn keys_that_were_not_adopted_are_unknown() {
    let text = Case::yaml("system_prompt:\n  system_file: a\n  soul_file: b\n  strict_prompt_files: true\n")
        .warnings();
    assert_eq!(text.lines().filter(|line| line.contains("unknown key, ignored")).count(), 3, "{text}");
}
