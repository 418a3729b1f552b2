//! `candor doctor`

use std::os::unix::fs::PermissionsExt;

use candor_testkit::{Candor, Home};
use serde_json::Value as Json;

use crate::rig::{BINARY, candor};

#[track_caller]
fn part(home: &Home, name: &str) -> Json {
    let ran = candor(home, "doctor --json").run();
    let report: Json = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(ran.status == 0, report["state"] != "problem");
    let parts = report["parts"].as_array().expect("parts").clone();
    parts.into_iter().find(|part| part["part"] == name).unwrap_or_else(|| panic!("no {name}: {report}"))
}

#[test]
fn a_fresh_home_has_one_warning_and_its_fix() {
    let home = Home::new();
    let ran = candor(&home, "doctor").run().ok();
    let warnings: Vec<_> = ran.stdout.lines().filter(|line| line.starts_with("warning")).collect();
    assert_eq!(warnings.len(), 1, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("fix: ") && ran.stdout.contains("candor errors show PROVIDER_NOT_CONFIGURED"),
        "{}",
        ran.stdout
    );
    assert!(!home.path().exists(), "looking changes nothing");
}

#[test]
fn a_broken_config_is_a_problem_with_its_card() {
    let home = Home::new();
    home.write("config.toml", "model = 3\n");
    let config = part(&home, "config");
    assert_eq!(
        (config["state"].as_str(), config["card"]["code"].as_str()),
        (Some("problem"), Some("CONFIG_INVALID"))
    );
    assert!(config["fix"] == "Run: candor config check", "{config}");
}

#[test]
fn a_missing_key_is_a_problem_and_a_present_one_is_fine() {
    let home = Home::new();
    home.write("config.toml", "provider = \"anthropic\"\n");
    assert_eq!(part(&home, "provider")["state"], "problem");
    let ran = candor(&home, "doctor").env("ANTHROPIC_API_KEY", "made-up-for-a-test").run().ok();
    assert!(
        ran.stdout.contains("anthropic, model claude-sonnet-4-5, key from ANTHROPIC_API_KEY"),
        "{}",
        ran.stdout
    );
}

#[test]
fn secrets_of_every_kind_are_fetched_and_not_shown() {
    let home = Home::new();
    home.write("key", "value-from-a-file\n");
    home.write(
        "config.toml",
        "api_key_command = \"echo value-from-a-command\"\n[providers.a]\nbase_url = \"http://a\"\napi_key_file = \"key\"\n\
         [providers.b]\nbase_url = \"http://b\"\napi_key_command = \"exit 3\"\n\
         [providers.c]\nbase_url = \"http://c\"\napi_key_env = \"NOT_SET\"\n",
    );
    let ran = candor(&home, "doctor").run().code(1);
    assert!(
        ran.stdout.contains("api_key is there") && ran.stdout.contains("providers.a.api_key is there"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("providers.b.api_key cannot be had")
            && ran.stdout.contains("SECRET_COMMAND_FAILED"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("providers.c.api_key cannot be had") && ran.stdout.contains("SECRET_MISSING"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("value-from"), "{}", ran.stdout);
}

#[test]
fn a_home_open_to_others_is_a_warning() {
    let home = Home::new();
    home.write("x", "");
    home.set_mode("", 0o755);
    let part = part(&home, "home");
    assert_eq!(
        (part["state"].as_str(), part["card"]["code"].as_str()),
        (Some("warning"), Some("HOME_NOT_PRIVATE"))
    );
}

#[test]
fn a_home_that_is_a_file_is_a_problem() {
    let home = Home::new();
    std::fs::write(home.path(), "").expect("written");
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o600)).expect("set");
    assert_eq!(part(&home, "home")["card"]["code"], "HOME_NOT_WRITABLE");
}

#[test]
fn a_log_that_is_a_directory_is_a_problem() {
    let home = Home::new();
    home.write("logs/candor.log/x", "");
    assert_eq!(part(&home, "log")["card"]["code"], "LOG_OPEN_FAILED");
}

#[test]
fn a_provider_without_a_key_is_said_to_have_none() {
    let home = Home::new();
    home.write(
        "config.toml",
        "provider = \"mine\"\n[providers.mine]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n",
    );
    candor(&home, "doctor").run().ok().stdout_has("provider   mine, model m, no key\n");
}

/// On a machine that allows no namespaces.
#[test]
fn weaker_walls_are_told_with_the_reason() {
    let home = Home::new();
    let script = format!("echo 0 > /proc/sys/user/max_user_namespaces; exec {BINARY} doctor");
    let ran = Candor::new("unshare", &home).args(["--user", "--map-root-user", "sh", "-c", &script]).run();
    let said = ran.stdout.lines().find(|line| line.contains("sandbox ")).unwrap_or(&ran.stderr);
    assert!(!said.contains("namespaces+"), "{said}");
    assert!(said.contains("+seccomp") && said.contains("user.max_user_namespaces"), "{said}");
}
