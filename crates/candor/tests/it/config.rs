//! `candor config`

use candor_testkit::Home;
use serde_json::Value as Json;

use crate::rig::{candor, run, steps};

#[test]
fn show_with_origin_names_file_line_variable_and_flag() {
    let home = Home::new();
    home.write("config.toml", "model = \"a\"\n[logging]\nlevel = \"warn\"\n");
    let ran =
        candor(&home, "config show --origin --permission ask").env("CANDOR_PROFILE", "strict").run().ok();
    let line =
        |key: &str| ran.stdout.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
    assert!(line("model = \"a\"").ends_with("config.toml:1:9"), "{}", ran.stdout);
    assert!(line("logging.level = \"warn\"").ends_with("config.toml:3:9"));
    assert!(line("profile = \"strict\"").ends_with("# $CANDOR_PROFILE"));
    assert!(line("permission = \"ask\"").ends_with("# --permission"));
    assert!(line("retry.max_retries = 3").ends_with("# default"));
    assert!(line("# provider is not set").ends_with("# default"));
}

#[test]
fn show_json_is_json_and_a_prefix_narrows_it() {
    let json: Json = serde_json::from_str(&run("config show --json retry").ok().stdout).expect("JSON");
    assert_eq!(json["retry.max_retries"]["value"], 3);
    assert_eq!(json["retry.max_retries"]["origin"], "default");
    assert!(json.get("model").is_none());
}

#[test]
fn check_is_good_without_a_file_and_counts_warnings() {
    assert_eq!(run("config check").ok().stdout, "ok: no config file, so the defaults hold\n");
    let home = Home::new();
    home.write("config.toml", "modle = \"a\"\n");
    let ran = candor(&home, "config check").run().ok();
    assert!(ran.stdout.ends_with("config.toml, 1 warning\n"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("warning: ") && ran.stderr.contains("did you mean \"model\"?"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_wrong_config_is_a_card_with_every_problem() {
    let home = Home::new();
    home.write("config.yaml", "logging:\n  level: loud\nserver:\n  port: 70000\n");
    let ran = candor(&home, "config check").run().code(1);
    assert!(ran.stderr.contains("Error Code: CONFIG_INVALID"), "{}", ran.stderr);
    assert!(ran.stderr.contains("config.yaml:2:10: logging.level:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("config.yaml:4:9: server.port:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Verify: candor config check"), "{}", ran.stderr);
    assert_eq!(steps(&ran.stderr).len(), 3);
    home.write("config.yaml", "logging:\n  level: debug\nserver:\n  port: 7000\n");
    candor(&home, "config check").run().ok();
}

#[test]
fn each_kind_of_broken_file_has_its_card() {
    for (file, text, code) in [
        ("config.toml", b"a = \n".as_slice(), "CONFIG_SYNTAX"),
        ("config.yaml", b"a: [\n", "CONFIG_SYNTAX"),
        ("config.toml", b"a = \"\xff\"\n", "CONFIG_NOT_UTF8"),
        ("config.yaml/x", b"", "CONFIG_NOT_A_FILE"),
    ] {
        let home = Home::new();
        home.write(file, text);
        let ran = candor(&home, "config check").run().code(1);
        assert!(ran.stderr.contains(&format!("Error Code: {code}\n")), "{file}: {}", ran.stderr);
    }
    let home = Home::new();
    home.write("config.toml", "");
    home.write("config.yml", "");
    candor(&home, "config check").run().code(1).stderr_has("Error Code: CONFIG_BOTH_FORMATS");
    candor(&home, "config check --config no.toml").run().code(1).stderr_has("Error Code: CONFIG_NOT_FOUND");
    candor(&home, "config check")
        .without_env("HOME")
        .without_env("CANDOR_HOME")
        .run()
        .code(4)
        .stderr_has("HOME_NOT_FOUND");
}

#[test]
fn the_steps_of_a_card_look_at_the_files_that_were_meant() {
    let home = Home::new();
    let file = home.write("my config.toml", "model = 3\n");
    let file = file.display().to_string();
    let ran = candor(&home, "config check --config").args([&file]).run().code(1);
    assert!(ran.stderr.contains(&format!("Verify: candor --config '{file}' config check")), "{}", ran.stderr);
    candor(&home, "config check -w nowhere").run().code(1).stderr_has("Error Code: FILE_NOT_FOUND");
}

#[test]
fn an_unknown_key_is_told_along_with_a_wrong_value() {
    let home = Home::new();
    home.write("config.yaml", "provdier: openai\nprofile: bad\n");
    let ran = candor(&home, "config check").run().code(1);
    assert!(
        ran.stderr.contains("did you mean \"provider\"?") && ran.stderr.contains("2:10: profile:"),
        "{}",
        ran.stderr
    );
}

#[test]
fn path_says_where_it_is_or_would_be() {
    let home = Home::new();
    let would_be = home.path().join("config.toml").display().to_string();
    let ran = candor(&home, "config path").run().ok();
    assert_eq!(ran.stdout.trim(), would_be);
    assert!(ran.stderr.contains("candor init"), "{}", ran.stderr);
    home.write("config.yml", "");
    home.write_in_workspace(".candor/config.toml", "");
    let ran = candor(&home, "config path").run().ok();
    let workspace = home.workspace().join(".candor/config.toml");
    assert_eq!(
        ran.stdout,
        format!("{}\n{}\n", home.path().join("config.yml").display(), workspace.display())
    );
}

#[test]
fn schema_is_a_json_schema() {
    let schema: Json = serde_json::from_str(&run("config schema").ok().stdout).expect("JSON");
    assert_eq!(schema["properties"]["logging"]["properties"]["level"]["default"], "info");
}

#[test]
fn watching_tells_of_good_and_bad_edits_and_logs_them() {
    let home = Home::new();
    home.write("config.toml", "model = \"a\"\n");
    let watching = candor(&home, "config check --watch").spawn();
    watching.wait_for_stderr("watching");
    home.write("config.toml", "model = \"b\"\n[retry]\nmax_retries = 1\n");
    watching.wait_for_stdout("ok: reloaded; changed: model, retry");
    home.write("config.toml", "model = 3\n");
    watching.wait_for_stderr("the last good configuration stays in force");
    watching.signal("INT");
    let lines: Vec<Json> =
        home.read("logs/candor.log").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["event"], "config_reload");
    assert_eq!(lines[0]["level"], "info");
    assert_eq!(lines[0]["changedSections"], serde_json::json!(["model", "retry"]));
    assert_eq!(lines[1]["event"], "config_reload");
    assert_eq!(lines[1]["level"], "error");
    assert!(lines[1]["error"].as_str().is_some_and(|error| !error.is_empty()));
    assert_eq!((home.mode("logs/candor.log"), home.mode("logs")), (0o600, 0o700));
}
