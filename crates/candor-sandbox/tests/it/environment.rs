//! Which variables pass.

use candor_sandbox::env::filtered;

#[track_caller]
fn check(allowed: &[&str], vars: &[&str], expect: &[&str]) {
    let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
    let passed = filtered(vars.iter().map(|name| (*name, "value")), &allowed);
    let names: Vec<&str> = passed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, expect);
    assert!(passed.iter().all(|(_, value)| value == "value"));
}

#[test]
fn s6_6_only_what_is_on_the_list_passes() {
    check(&["PATH", "HOME"], &["PATH", "HOME", "HOMEBREW", "path", "PAT", "X"], &["PATH", "HOME"]);
    check(&["LC_*", "TZ"], &["LC_ALL", "LC_TIME", "LANG", "TZ"], &["LC_ALL", "LC_TIME", "TZ"]);
    check(&[], &["PATH"], &[]);
}

#[test]
fn the_usual_ones_pass() {
    let usual =
        ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR", "TZ", "PWD", "SSH_AUTH_SOCK"];
    check(&["*"], &usual, &usual);
}

#[test]
fn what_hijacks_a_program_never_passes() {
    for name in [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "BASH_FUNC_ls%%",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "GIT_EXEC_PATH",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_GLOBAL",
        "NODE_OPTIONS",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "PERL5OPT",
        "RUBYOPT",
        "PROMPT_COMMAND",
        "IFS",
        "PS4",
        "SHELLOPTS",
        "RUSTC_WRAPPER",
        "JAVA_TOOL_OPTIONS",
        "GCONV_PATH",
        "GLIBC_TUNABLES",
        "SSLKEYLOGFILE",
        "npm_config_prefix",
        "CARGO_REGISTRIES_MINE_INDEX",
    ] {
        check(&["*", name], &[name], &[]);
    }
}

#[test]
fn what_is_called_like_a_secret_never_passes() {
    for name in [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "aws_session_token",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "CLIENT_SECRET",
        "GPG_PASSPHRASE",
        "MY_APIKEY",
    ] {
        check(&["*", name], &[name], &[]);
    }
}
