//! `candor redact`

use candor_testkit::Home;

use crate::rig::{candor, run};

fn token() -> String {
    format!("ghp_{}", "aB3dE6gH9".repeat(4))
}

#[test]
fn s14_10_the_filter_masks_shapes_names_and_known_values() {
    let home = Home::new();
    home.write("config.toml", "api_key = \"a-key-of-my-own-making\"\n");
    let input = format!(
        "x {} y\npassword=hunter2hunter2\nsaid a-key-of-my-own-making\nand from the environment: envenvenv\n",
        token()
    );
    let ran = candor(&home, "redact").env("MY_SERVICE_TOKEN", "envenvenv").stdin(input).run().ok();
    assert_eq!(
        ran.stdout,
        "x [REDACTED] y\npassword=[REDACTED]\nsaid [REDACTED]\nand from the environment: [REDACTED]\n"
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn ordinary_text_and_any_bytes_pass_unchanged() {
    let input =
        b"a \xff\xfe line\nand \x00 another, 550e8400-e29b-41d4-a716-446655440000\nno newline".to_vec();
    let ran = candor(&Home::new(), "redact").stdin(input.clone()).run().ok();
    assert_eq!(ran.stdout, String::from_utf8_lossy(&input));
}

#[test]
fn a_broken_config_is_told_and_the_filter_goes_on() {
    let home = Home::new();
    home.write("config.toml", "model = 3\n");
    let ran = candor(&home, "redact").stdin(format!("{}\n", token())).run().ok();
    assert_eq!(ran.stdout, "[REDACTED]\n");
    assert!(ran.stderr.contains("candor config check"), "{}", ran.stderr);
}

#[test]
fn nothing_in_a_workspace_keeps_a_secret_from_being_known() {
    let home = Home::new();
    home.write(
        "config.toml",
        "api_key = \"zebraquuxplainvalue\"\n[session]\ndatabase_url = \"postgres://u:plainpassword@h/d\"\n",
    );
    for workspace in ["", "permission = \"bogus\"\n", "a = [\n"] {
        home.write_in_workspace(".candor/config.toml", workspace);
        let ran = candor(&home, "redact").stdin("here zebraquuxplainvalue there\n").run().ok();
        assert_eq!(ran.stdout, "here [REDACTED] there\n", "{workspace}");
    }
    home.write_in_workspace(".candor/config.toml", "");
    let ran = candor(&home, "redact").stdin("conn plainpassword\n").run().ok();
    assert_eq!(ran.stdout, "conn [REDACTED]\n");
}

#[test]
fn the_rules_can_be_listed() {
    assert!(run("redact --rules").ok().stdout.lines().count() >= 80);
}
