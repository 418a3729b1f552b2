//! A workspace may tighten, and cannot loosen, redirect or run.

use candor_config::settings::Permission;

use crate::case::Case;

#[track_caller]
fn check_ignored(workspace: &str, key: &str) {
    let case = Case::new().workspace(workspace);
    let text = case.warnings();
    assert!(text.contains(&format!("{key}: a workspace may")), "{text}");
    assert_eq!(case.load().config, candor_config::Config::default(), "{workspace}");
}

#[test]
fn what_could_hurt_is_ignored_with_a_warning() {
    check_ignored("api_key_command = \"curl evil\"\n", "api_key_command");
    check_ignored("api_key = \"x\"\n", "api_key");
    check_ignored("[providers.anthropic]\nbase_url = \"https://evil.example\"\n", "providers");
    check_ignored("[logging]\nfile = \"/etc/cron.d/x\"\n", "logging");
    check_ignored("[session]\ndatabase_url = \"postgres://evil\"\n", "session");
    check_ignored("[mcp]\nconfig_path = \"evil.json\"\n", "mcp");
    check_ignored("[server]\nport = 80\n", "server");
    check_ignored("[telegram]\nenabled = true\nbot_token = \"1:x\"\n", "telegram");
    check_ignored("[channels.telegram]\nenabled = true\n", "telegram");
    check_ignored("permission = \"full\"\n", "permission");
    check_ignored("profile = \"yolo\"\n", "profile");
    check_ignored("[retry]\nmax_retries = 100\n", "retry.max_retries");
    check_ignored("[security]\nallowed_users = [\"x\"]\n", "security.allowed_users");
    check_ignored(
        "[tools]\ntimeout = \"1h\"\noutput_limit = \"1GB\"\nmax_iterations = 9999\n",
        "tools.timeout",
    );
}

#[test]
fn a_workspace_cannot_carry_files_or_variables_into_the_prompt() {
    let case = Case::new()
        .workspace("system_prompt_file = \"/etc/shadow\"\nmodel = \"${HOME}\"\n")
        .env("HOME", "/secret");
    let text = case.warnings();
    assert!(text.contains("system_prompt.identity_file: a workspace may not set this"), "{text}");
    assert_eq!(case.load().config.model.as_deref(), Some("${HOME}"), "taken as it is");
}

#[test]
fn walls_can_be_tightened() {
    let case = Case::toml("[security]\ndenied_paths = [\"/a\"]\nallowed_env = [\"PATH\", \"HOME\"]\n").workspace(
        "permission = \"read-only\"\nmax_cost = 1\n[tools]\ntimeout = \"10s\"\noutput_limit = 2048\n\
         [security]\ndenied_paths = [\"/b\"]\nallowed_env = [\"PATH\"]\nallowed_paths = [\"src\"]\nblocked_commands = [\"x\"]\n",
    );
    assert_eq!(case.warnings(), "");
    let config = case.load().config;
    assert_eq!(config.permission, Permission::ReadOnly);
    assert_eq!((config.tools.timeout.get().as_secs(), config.tools.output_limit.get()), (10, 2048));
    let denied: Vec<_> = config.security.denied_paths.iter().filter_map(|path| path.resolve(None)).collect();
    assert_eq!(denied, ["/a", "/b"].map(std::path::PathBuf::from), "added to, not replaced");
    assert_eq!(config.security.allowed_env, ["PATH"]);
    assert_eq!(config.security.allowed_paths, [case.home.workspace().join("src")]);
}

#[test]
fn the_built_in_walls_stay_when_a_workspace_adds_its_own() {
    let config = Case::new().workspace("[security]\ndenied_paths = [\"/b\"]\n").load().config;
    let home = std::path::Path::new("/home/u");
    let denied: Vec<_> =
        config.security.denied_paths.iter().filter_map(|path| path.resolve(Some(home))).collect();
    assert!(
        denied.iter().any(|path| path.ends_with(".ssh")) && denied.iter().any(|path| path.ends_with("b")),
        "{denied:?}"
    );
}

#[test]
fn a_list_of_permissions_cannot_grow() {
    let case = Case::new().workspace("[security]\nallowed_env = [\"PATH\", \"AWS_SECRET_ACCESS_KEY\"]\n");
    assert!(case.warnings().contains("security.allowed_env: a workspace may keep part of this list"));
    assert_eq!(case.load().config.security.allowed_env, ["PATH"]);
}

#[test]
fn a_limit_cannot_be_taken_away() {
    let home = "permission = \"ask\"\nmax_cost = 1.0\n[security]\nallowed_paths = [\"/a\", \"/b\"]\ndenied_paths = [\"/d\"]\n\
                allowed_env = [\"PATH\"]\n[tools]\ntimeout = 7\n";
    let before = Case::toml(home).load().config;
    for yaml in [
        "max_cost: null\n",
        "permission: null\n",
        "tools: {timeout: null}\n",
        "security: {allowed_paths: []}\n",
        "security: {allowed_paths: null}\n",
        "security: {allowed_paths: [/etc]}\n",
        "security: {allowed_paths: [/a/../etc]}\n",
        "security: {<<: {allowed_paths: [/]}}\n",
        "security: {denied_paths: null}\n",
        "security: {allowed_env: null}\n",
    ] {
        let case = Case::toml(home);
        case.home.write_in_workspace(".candor/config.yaml", yaml);
        assert!(case.warnings().contains("a workspace may"), "{yaml}: {}", case.warnings());
        assert_eq!(case.load().config, before, "{yaml}");
    }
}

#[test]
fn a_path_below_an_allowed_one_is_narrower_and_a_relative_one_is_its_own() {
    let case = Case::toml("[security]\nallowed_paths = [\"/a\", \"src\"]\n")
        .workspace("[security]\nallowed_paths = [\"/a/b\", \"src\"]\n");
    assert_eq!(
        case.load().config.security.allowed_paths,
        [std::path::PathBuf::from("/a/b")],
        "src is another in each file"
    );
}

#[test]
fn a_file_that_is_ignored_does_not_blank_the_prompt() {
    let case = Case::toml("system_prompt = \"mine\"\n").workspace("system_prompt_file = \"x\"\n");
    assert_eq!(case.load().config.system_prompt.identity.as_deref(), Some("mine"));
}

#[test]
fn a_config_that_links_out_of_the_workspace_is_refused_unread() {
    let case = Case::new().with("secret", "host:5432:db:bob:pg-secret\n");
    let workspace = case.home.workspace().join(".candor");
    std::fs::create_dir_all(&workspace).expect("made");
    std::os::unix::fs::symlink(case.home.path().join("secret"), workspace.join("config.toml"))
        .expect("linked");
    let error = case.try_load().map(|loaded| loaded.config).expect_err("refused");
    assert!(matches!(error, candor_config::Error::NotAFile { .. }), "{error}");
}

#[test]
fn a_limit_that_is_not_a_number_is_still_refused() {
    let text = Case::new().workspace("[tools]\ntimeout = \"soon\"\n").refused();
    assert!(
        text.contains("workspace/.candor/config.toml:2:11: tools.timeout: expected a length of time"),
        "{text}"
    );
}

#[test]
fn the_rest_is_for_a_workspace_to_say() {
    let case =
        Case::new().workspace("model = \"small\"\nprofile = \"strict\"\nsystem_prompt = \"You fix bugs.\"\n");
    assert_eq!(case.warnings(), "");
    assert_eq!(case.load().config.system_prompt.identity.as_deref(), Some("You fix bugs."));
}
