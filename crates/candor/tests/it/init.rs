//! `candor init`

use candor_testkit::{Candor, Home};

use crate::rig::{BINARY, candor};

#[test]
fn what_it_writes_its_own_loader_accepts_without_a_word() {
    for (format, file) in [("toml", "config.toml"), ("yaml", "config.yaml")] {
        let home = Home::new();
        let ran =
            candor(&home, &format!("init --provider openai --permission ask --format {format}")).run().ok();
        assert_eq!(ran.stdout, format!("wrote {}\n", home.path().join(file).display()));
        assert!(ran.stderr.contains("export OPENAI_API_KEY"), "{}", ran.stderr);
        assert_eq!((home.mode(file), home.mode("")), (0o600, 0o700));
        let checked = candor(&home, "config check").run().ok();
        assert_eq!(checked.stderr, "");
        candor(&home, "config show")
            .run()
            .ok()
            .stdout_has("provider = \"openai\"\nmodel = \"gpt-5\"\n")
            .stdout_has("permission = \"ask\"");
    }
}

#[test]
fn without_flags_or_a_terminal_no_key_is_set() {
    let home = Home::new();
    candor(&home, "init").run().ok();
    assert!(home.read("config.toml").lines().all(|line| line.is_empty() || line.starts_with(['#', '['])));
}

#[test]
fn an_existing_config_is_left_alone_unless_forced_and_kept_then() {
    let home = Home::new();
    home.write("config.yaml", "model: mine\n");
    candor(&home, "init").run().code(1).stderr_has("Error Code: CONFIG_EXISTS");
    assert_eq!(home.read("config.yaml"), "model: mine\n");
    candor(&home, "init --force").run().ok();
    assert_eq!(home.read("config.yaml.bak"), "model: mine\n");
    candor(&home, "config check").run().ok();
    home.write("config.toml", "model = \"second\"\n");
    candor(&home, "init --force").run().ok();
    home.write("config.toml", "model = \"third\"\n");
    candor(&home, "init --force").run().ok();
    assert_eq!(home.read("config.toml.bak"), "model = \"second\"\n", "no copy is replaced");
    assert_eq!(home.read("config.toml.bak.1"), "model = \"third\"\n");
}

#[test]
fn wrong_choices_are_refused_before_anything_is_written() {
    let home = Home::new();
    candor(&home, "init --provider antropic").run().code(2).stderr_has("did you mean \"anthropic\"?");
    candor(&home, "init --permission root").run().code(2).stderr_has("read-only");
    assert!(!home.path().exists());
}

#[test]
fn on_a_terminal_the_end_of_input_stops_init() {
    let home = Home::new();
    let init = format!("{BINARY} init");
    // Control-D at the first question: what follows is not meant for us.
    let ran = Candor::new("script", &home).args(["-qec", &init, "/dev/null"]).stdin("\u{4}").run().code(130);
    assert!(ran.stdout.contains("nothing more was written"), "{}", ran.stdout);
    assert!(!home.path().exists());
}

#[test]
fn on_a_terminal_init_asks() {
    let home = Home::new();
    // `script` is a terminal that answers from its standard input.
    let ran = Candor::new("script", &home)
        .args(["-qec", &format!("{BINARY} init"), "/dev/null"])
        .stdin("nobody\n2\ngpt-x\n")
        .run()
        .ok();
    assert!(ran.stdout.contains("Which model provider?"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\"nobody\" is not in the list"), "{}", ran.stdout);
    candor(&home, "config show").run().ok().stdout_has("provider = \"openai\"\nmodel = \"gpt-x\"\n");
}
