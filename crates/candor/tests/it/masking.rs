//! Whatever a command prints, no secret is in it.

use candor_testkit::Home;

use crate::rig::candor;

#[test]
fn s11_7_no_command_shows_a_secret_of_the_config_or_the_environment() {
    let home = Home::new();
    let (inline, variable) = ("inline-secret-value", "variable-secret-value");
    home.write(
        "config.toml",
        format!(
            "api_key = \"{inline}\"\nprovider = \"local\"\n[providers.local]\nbase_url = \"http://u:{inline}@127.0.0.1/\"\n\
             [session]\ndatabase_url = \"postgres://u:{inline}@db/x\"\n"
        ),
    );
    for line in [
        "config show",
        "config show --origin",
        "config show --json",
        "config check",
        "doctor",
        "doctor --json",
    ] {
        let ran = candor(&home, line).env("SOME_TOKEN", variable).env("CANDOR_MODEL", variable).run();
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains(inline) && !all.contains(variable), "{line}: {all}");
    }
    let shown = candor(&home, "config show").run().ok().stdout;
    assert!(
        shown.contains("api_key = \"[REDACTED]\"") && shown.contains("postgres://u:[REDACTED]@db/x"),
        "{shown}"
    );
}

#[test]
fn a_secret_in_the_wrong_place_is_masked_in_the_card() {
    let home = Home::new();
    home.write("config.toml", "api_key = [\"listed-secret-value\"]\n[telegram]\nbot_token = 12345\n");
    let ran = candor(&home, "config check").run().code(1);
    assert!(ran.stderr.contains("api_key: expected text in quotes"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("listed-secret-value"), "{}", ran.stderr);
}
