//! Built-in, home, workspace, environment, flags: the later wins, and every value knows its origin.

use crate::case::Case;

#[test]
fn each_layer_wins_over_the_one_before() {
    let home = "model = \"home\"\nprofile = \"strict\"\nmax_tokens = 1\nprovider = \"openai\"\n";
    let case = Case::toml(home)
        .workspace("model = \"workspace\"\nprofile = \"smoke\"\nmax_tokens = 2\n")
        .env("CANDOR_MODEL", "environment")
        .env("CANDOR_PROFILE", "yolo")
        .flag("--model", "model", "flag");
    assert_eq!(case.shown("model"), ("\"flag\"".into(), "--model".into()));
    assert_eq!(case.shown("profile"), ("\"yolo\"".into(), "$CANDOR_PROFILE".into()));
    assert_eq!(case.shown("max_tokens"), ("2".into(), "workspace/.candor/config.toml:3:14".into()));
    assert_eq!(case.shown("provider"), ("\"openai\"".into(), "config.toml:4:12".into()));
    assert_eq!(case.shown("permission"), ("\"workspace\"".into(), "default".into()));
}

#[test]
fn tables_are_merged_key_by_key() {
    let case =
        Case::toml("[retry]\nmax_retries = 3\nbase_delay_ms = 200\n").workspace("[retry]\nmax_retries = 2\n");
    let retry = case.load().config.retry;
    assert_eq!((retry.max_retries.get(), retry.base_delay_ms.get().as_millis()), (2, 200));
}

#[test]
fn a_heading_without_keys_takes_nothing_away() {
    let case = Case::yaml("retry:\n  max_retries: 1\nproviders:\nlogging:\n");
    case.home.write_in_workspace(".candor/config.yaml", "retry:\n");
    assert_eq!(case.load().config.retry.max_retries.get(), 1);
    assert_eq!(case.warnings(), "");
}

#[test]
fn another_spelling_in_a_later_layer_replaces_the_value() {
    let case = Case::toml("[retry]\nbase_delay_ms = 200\n").env("CANDOR_RETRY__BASE_DELAY", "3s");
    assert_eq!(case.shown("retry.base_delay_ms"), ("\"3s\"".into(), "$CANDOR_RETRY__BASE_DELAY".into()));
    let case = Case::toml("api_key = \"inline-value\"\n").env("CANDOR_API_KEY_ENV", "MY_KEY");
    assert_eq!(case.shown("api_key").0, "{\"env\":\"MY_KEY\"}");
    let case = Case::toml("[server]\nlisten = \"127.0.0.1:1\"\n").env("CANDOR_SERVER__PORT", "99");
    assert_eq!(case.shown("server.listen"), ("\"127.0.0.1:99\"".into(), "$CANDOR_SERVER__PORT".into()));
}

#[test]
fn a_prompt_file_of_a_later_layer_beats_the_text_of_an_earlier() {
    let case = Case::toml("system_prompt = \"text\"\n").env("CANDOR_SYSTEM_PROMPT_FILE", "/p.md");
    let prompt = case.load().config.system_prompt;
    assert_eq!(
        (prompt.identity, prompt.identity_file.resolve("/x".as_ref()).display().to_string()),
        (None, "/p.md".into())
    );
    let case = Case::toml("system_prompt_file = \"/p.md\"\n").env("CANDOR_SYSTEM_PROMPT", "text");
    assert_eq!(case.load().config.system_prompt.identity.as_deref(), Some("text"));
}

#[test]
fn variables_carry_every_kind_of_value() {
    let config = Case::new()
        .env("CANDOR_RETRY__RETRYABLE_STATUSES", "429, 500")
        .env("CANDOR_COMPACTION__ENABLED", "off")
        .env("CANDOR_TOOLS__TIMEOUT", "90")
        .env("CANDOR_TOOLS__OUTPUT_LIMIT", "64KiB")
        .env("CANDOR_MAX_COST", "2.5")
        .env("CANDOR_DATABASE_URL", "postgres://localhost/x")
        .env("DATABASE_URL", "postgres://localhost/not-ours")
        .env("CANDOR_PROVIDERS__LOCAL__BASE_URL", "http://127.0.0.1:2")
        .load()
        .config;
    assert_eq!(config.retry.retryable_statuses.len(), 2);
    assert!(!config.compaction.enabled);
    assert_eq!(config.tools.timeout.get().as_secs(), 90);
    assert_eq!(config.tools.output_limit.get(), 65_536);
    assert!((config.max_cost.expect("set").0 - 2.5).abs() < f64::EPSILON);
    assert_eq!(config.session.database_url.as_deref(), Some("postgres://localhost/x"));
    assert_eq!(config.providers["local"].base_url.as_deref(), Some("http://127.0.0.1:2"));
}

#[test]
fn an_unknown_variable_is_a_warning() {
    let text = Case::new().env("CANDOR_LOGGING__LEVLE", "info").warnings();
    assert_eq!(text, "$CANDOR_LOGGING__LEVLE: logging.levle: unknown key, ignored; did you mean \"level\"?");
}

#[test]
fn a_variable_with_one_underscore_too_few_is_told_so() {
    let text = Case::new().env("CANDOR_LOGGING_LEVEL", "debug").warnings();
    assert!(text.ends_with("did you mean the variable CANDOR_LOGGING__LEVEL?"), "{text}");
}

#[test]
fn a_usual_place_is_shown_in_the_home_that_is_in_force() {
    let case = Case::new();
    let log = case.home.path().join("logs/candor.log");
    assert_eq!(
        case.load().shown().iter().find(|shown| shown.key == "logging.file").map(|shown| shown.value.clone()),
        Some(log.display().to_string().into())
    );
}

#[test]
fn an_empty_variable_is_not_set() {
    assert_eq!(Case::toml("model = \"x\"\n").env("CANDOR_MODEL", "").shown("model").0, "\"x\"");
}

#[test]
fn a_named_file_replaces_the_one_of_the_home() {
    let case = Case::toml("model = \"home\"\n").with("other.yaml", "model: other\n");
    let other = case.home.path().join("other.yaml");
    let case = case.file(other);
    assert_eq!(case.load().config.model.as_deref(), Some("other"));
}

#[test]
fn working_in_the_user_home_does_not_read_the_home_as_a_workspace() {
    let case = Case::new();
    let user = case.home.user();
    std::fs::create_dir_all(user.join(".candor")).expect("made");
    std::fs::write(user.join(".candor/config.toml"), "[logging]\nlevel = \"debug\"\n").expect("written");
    let case = case.without_env("CANDOR_HOME").with("other.toml", "model = \"other\"\n");
    let mut request = case.request();
    request.cwd = user;
    let loaded = candor_config::load(&request).expect("loads");
    assert_eq!(loaded.files.len(), 1);
    assert!(loaded.warnings.is_empty(), "the owner's file is no workspace's");
    assert_eq!(loaded.config.logging.level, candor_protocol::Level::Debug);

    request.file = Some(case.home.path().join("other.toml"));
    let loaded = candor_config::load(&request).expect("loads");
    assert_eq!(loaded.files.len(), 1, "another file instead of the home's is meant");
    assert_eq!(loaded.config.logging.level, candor_protocol::Level::Info);
}
