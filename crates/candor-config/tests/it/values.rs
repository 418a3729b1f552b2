//! Values of every kind, in both formats.

use std::time::Duration;

use candor_config::settings::{Permission, Profile};
use candor_config::{Config, HomePath};
use candor_protocol::Level;

use crate::case::Case;

#[test]
fn s17_1_a_valid_file_gives_a_typed_config() {
    let config = Case::toml(
        r#"
        provider = "openai"
        model = "gpt-5"
        permission = "ask"
        [logging]
        level = "debug"
        [retry]
        max_retries = 7
        retryable_statuses = [429, 503]
        "#,
    )
    .load()
    .config;
    assert_eq!(config.provider.as_deref(), Some("openai"));
    assert_eq!(config.model.as_deref(), Some("gpt-5"));
    assert_eq!(config.permission, Permission::Ask);
    assert_eq!(config.logging.level, Level::Debug);
    assert_eq!(config.retry.max_retries.get(), 7);
    assert_eq!(
        config.retry.retryable_statuses.iter().map(|status| status.get()).collect::<Vec<_>>(),
        [429, 503]
    );
}

#[test]
fn both_formats_say_the_same() {
    let toml = Case::toml(
        "provider = \"local\"\nmax_cost = 1.5\n[providers.local]\nbase_url = \"http://127.0.0.1:1\"\n\
         dialect = \"ollama\"\n[tools]\ntimeout = \"2m\"\n[security]\nblocked_commands = [\"a\", \"b\"]\n",
    );
    let yaml = Case::yaml(
        "provider: local\nmax_cost: 1.5\nproviders:\n  local: {base_url: 'http://127.0.0.1:1', dialect: ollama}\n\
         tools:\n  timeout: 2m\nsecurity:\n  blocked_commands:\n    - a\n    - b\n",
    );
    assert_eq!(toml.load().config, yaml.load().config);
    assert_ne!(toml.load().config, Config::default());
}

#[test]
fn s17_2_what_is_left_out_has_its_default() {
    let config = Case::toml("[logging]\nlevel = \"warn\"\n").load().config;
    assert_eq!(config.logging.file, HomePath::Usual("logs/candor.log"));
    assert_eq!(config.logging.rotation.max_days.get(), 30);
    assert_eq!(config.logging.rotation.max_size_mb.get(), 100_000_000);
}

#[test]
fn the_defaults_are_those_of_the_contract() {
    let config = Config::default();
    assert_eq!(config.retry.max_retries.get(), 3);
    assert_eq!(config.retry.base_delay_ms.get(), Duration::from_millis(1000));
    assert_eq!(config.retry.max_delay_ms.get(), Duration::from_millis(30_000));
    let statuses: Vec<_> = config.retry.retryable_statuses.iter().map(|status| status.get()).collect();
    assert_eq!(statuses, [429, 500, 502, 503, 529]);
    assert_eq!((config.session.max_sessions.get(), config.session.retention_days.get()), (0, 0));
    assert!(config.session.auto_cleanup);
    assert!(config.session.database_url.is_none());
    assert_eq!(config.server.listen.0.to_string(), "127.0.0.1:7777");
    assert_eq!(config.tools.output_limit.get(), 200_000);
    assert_eq!(config.tools.timeout.get(), Duration::from_secs(120));
    assert_eq!(config.tools.max_iterations.get(), 50);
    assert!(config.compaction.enabled);
    assert_eq!(config.compaction.reserve_tokens.get(), 16_384);
    assert_eq!(config.compaction.keep_recent_tokens.get(), 20_000);
    assert_eq!(config.profile, Profile::Fast);
    assert_eq!(config.permission, Permission::Workspace);
    assert_eq!(config.logging.level, Level::Info);
    assert!(config.logging.stdout);
    assert!(!config.telegram.enabled);
    assert!(config.system_prompt.identity.is_none());
    assert!(config.provider.is_none() && config.model.is_none() && config.api_key.is_none());
}

#[test]
fn s12_1_and_s17_7_no_file_means_defaults() {
    let case = Case::new();
    let loaded = case.load();
    assert_eq!(loaded.config, Config::default());
    assert!(loaded.files.is_empty() && loaded.warnings.is_empty());
    assert!(!case.home.path().exists(), "loading makes nothing");
}

#[test]
fn an_empty_file_means_defaults_in_both_formats() {
    for case in [Case::toml(""), Case::yaml(""), Case::yaml("# only a comment\n"), Case::yaml("---\n")] {
        assert_eq!(case.load().config, Config::default());
    }
}

#[track_caller]
fn check_timeout(written: &str, expect: Duration) {
    let config = Case::toml(&format!("[tools]\ntimeout = {written}\n")).load().config;
    assert_eq!(config.tools.timeout.get(), expect, "{written}");
}

#[test]
fn durations_with_and_without_a_unit() {
    check_timeout("30", Duration::from_secs(30));
    check_timeout("\"30s\"", Duration::from_secs(30));
    check_timeout("\"1h30m\"", Duration::from_secs(5400));
    check_timeout("\"1.5m\"", Duration::from_secs(90));
    check_timeout("\"10000ms\"", Duration::from_secs(10));
    check_timeout("\"2 days\"", Duration::from_secs(172_800));
}

#[track_caller]
fn check_size(written: &str, expect: u64) {
    let config = Case::toml(&format!("[logging.rotation]\n{written}\n")).load().config;
    assert_eq!(config.logging.rotation.max_size_mb.get(), expect, "{written}");
}

#[test]
fn sizes_with_and_without_a_unit() {
    check_size("max_size_mb = 7", 7_000_000);
    check_size("max_size = \"7MB\"", 7_000_000);
    check_size("max_size_mb = \"1.5GB\"", 1_500_000_000);
    check_size("max_size = \"64KiB\"", 65_536);
    check_size("max_size = \"512\"", 512);
    check_size("max_size = 3", 3_000_000);
}

#[test]
fn a_key_that_ends_in_its_unit_is_also_read_without_it() {
    let config = Case::toml("[retry]\nbase_delay = \"2s\"\nmax_delay_ms = 5000\n").load().config;
    assert_eq!(config.retry.base_delay_ms.get(), Duration::from_secs(2));
    assert_eq!(config.retry.max_delay_ms.get(), Duration::from_secs(5));
}

#[test]
fn variables_are_expanded() {
    let text =
        "model = \"${NAME}-x\"\nprovider = \"${MISSING:-openai}\"\nsystem_prompt = \"$${NAME} {{x}} ${ }\"\n";
    let config = Case::toml(text).env("NAME", "gpt").load().config;
    assert_eq!(config.model.as_deref(), Some("gpt-x"));
    assert_eq!(config.provider.as_deref(), Some("openai"));
    assert_eq!(config.system_prompt.identity.as_deref(), Some("${NAME} {{x}} ${ }"));
}

#[test]
fn tilde_and_relative_paths_are_resolved() {
    let case = Case::toml("[logging]\nfile = \"~/x.log\"\n[mcp]\nconfig_path = \"servers.json\"\n");
    let config = case.load().config;
    assert_eq!(config.logging.file, HomePath::At(case.home.user().join("x.log")));
    assert_eq!(config.mcp.config_path, HomePath::At(case.home.path().join("servers.json")));
    let case = Case::new().env("CANDOR_LOGGING__FILE", "here.log");
    assert_eq!(case.load().config.logging.file, HomePath::At(case.home.workspace().join("here.log")));
}

#[test]
fn yaml_anchors_merges_and_core_schema() {
    let yaml = "tools: &t\n  timeout: 0x10\n  max_iterations: 5\nretry:\n  max_retries: 0o7\n\
                providers:\n  a: &a {base_url: 'http://a'}\n  b:\n    <<: *a\n    model: yes\n";
    let config = Case::yaml(yaml).load().config;
    assert_eq!(config.tools.timeout.get(), Duration::from_secs(16));
    assert_eq!(config.retry.max_retries.get(), 7);
    assert_eq!(config.providers["b"].base_url.as_deref(), Some("http://a"));
    assert_eq!(config.providers["b"].model.as_deref(), Some("yes"), "yes is a word, not true");
}
