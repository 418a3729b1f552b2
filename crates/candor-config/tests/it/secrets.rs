//! Secrets: four ways to give one, and none to see one.

use candor_config::{Env, Error, Resolved, Secret, SecretSource};

use crate::case::Case;

#[test]
fn the_four_ways() {
    let config = Case::toml(
        "api_key = \"inline\"\n[providers.a]\nbase_url = \"http://a\"\napi_key_env = \"A_KEY\"\n\
         [providers.b]\nbase_url = \"http://b\"\napi_key_file = \"~/b.key\"\n\
         [providers.c]\nbase_url = \"http://c\"\napi_key_command = \"pass show c\"\n",
    );
    let loaded = config.load();
    let keys: Vec<_> = loaded.secrets().into_iter().map(|(key, source)| (key, source.clone())).collect();
    assert_eq!(
        keys,
        [
            ("api_key".into(), SecretSource::Inline(Secret::new("inline"))),
            ("providers.a.api_key".into(), SecretSource::Env("A_KEY".into())),
            ("providers.b.api_key".into(), SecretSource::File(config.home.user().join("b.key"))),
            ("providers.c.api_key".into(), SecretSource::Command("pass show c".into())),
        ]
    );
}

#[test]
fn two_ways_at_once_are_refused() {
    let text = Case::toml("api_key_env = \"A\"\napi_key_file = \"b\"\n").refused();
    assert!(
        text.contains("api_key_file: this is the same setting as \"api_key_env\": give one of them"),
        "{text}"
    );
}

#[test]
fn resolving_reads_the_variable_and_the_file_and_runs_nothing() {
    let case = Case::new();
    let file = case.home.write("key", "from-file\n");
    let env = Env::of([("KEY", "from-env")]);
    let value = |text: &str| Resolved::Value(Secret::new(text));
    assert_eq!(SecretSource::Env("KEY".into()).resolve("k", &env).expect("set"), value("from-env"));
    assert_eq!(SecretSource::File(file).resolve("k", &env).expect("read"), value("from-file"));
    assert_eq!(
        SecretSource::Command("x".into()).resolve("k", &env).expect("kept"),
        Resolved::Run("x".into())
    );
    assert!(matches!(SecretSource::Env("NO".into()).resolve("k", &env), Err(Error::SecretMissing { .. })));
    assert!(matches!(SecretSource::File("/no".into()).resolve("k", &env), Err(Error::SecretFile { .. })));
}

#[test]
fn nothing_that_is_shown_or_debugged_holds_a_secret() {
    let case = Case::toml("api_key = \"hunter2-hunter2\"\n").env("SOME_TOKEN", "tok-tok-tok-tok");
    let loaded = case.load();
    let shown: Vec<_> = loaded.shown().iter().map(|shown| shown.value.to_string()).collect();
    assert!(shown.contains(&"\"[REDACTED]\"".to_owned()));
    for text in [shown.join(" "), format!("{:?}", loaded.config), format!("{:?}", case.request().env)] {
        assert!(!text.contains("hunter2") && !text.contains("tok-tok"), "{text}");
    }
}

#[test]
fn a_secret_in_a_file_that_others_read_is_warned_of() {
    let case = Case::toml("model = \"x\"\n[telegram]\nbot_token = \"abcdefgh\"\n");
    assert_eq!(case.warnings(), "", "0600 is fine");
    case.home.set_mode("config.toml", 0o640);
    let text = case.warnings();
    assert!(
        text.contains(
            "config.toml:3:13: telegram.bot_token: this file holds a secret and others can read it (mode 640)"
        ),
        "{text}"
    );
    let case = Case::toml("api_key_env = \"X\"\n");
    case.home.set_mode("config.toml", 0o644);
    assert_eq!(case.warnings(), "", "the name of a variable is no secret");
}

#[test]
fn the_owner_s_secrets_are_known_whatever_else_is_wrong() {
    let home = "api_key = \"inline-value\"\npermission = \"bogus\"\n";
    for case in [Case::toml(home), Case::toml("api_key = \"inline-value\"\n").workspace("a = [\n")] {
        assert!(case.try_load().is_err());
        let known = candor_config::owner_secrets(&case.request());
        assert_eq!(known, [("api_key".to_owned(), SecretSource::Inline(Secret::new("inline-value")))]);
    }
}

#[test]
fn a_line_that_sets_a_secret_is_never_shown() {
    for text in [
        "api_key = plain-words\n",
        "[telegram]\n\"bot_token\" = plain-words\n",
        "[providers.a]\n api_key = [plain-words\n",
    ] {
        let text = Case::toml(text).refused();
        assert!(text.contains("config.toml:") && !text.contains("plain"), "{text}");
    }
}

#[test]
fn the_environment_knows_its_secrets_by_name() {
    let env = Env::of([
        ("A_TOKEN", "long-enough"),
        ("B_KEY", "short"),
        ("PATH", "/usr/bin:/bin"),
        ("pgpassword", "in-lower-case"),
    ]);
    assert_eq!(env.secret_values().collect::<Vec<_>>(), ["long-enough", "in-lower-case"]);
}
