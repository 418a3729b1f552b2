//! The catalogue, completions, man pages, and the demonstration.

use candor_testkit::{Candor, Home};
use serde_json::Value as Json;

use crate::rig::{BINARY, candor, run, steps};

#[test]
fn the_catalogue_is_listed_and_every_code_can_be_shown() {
    let list = run("errors list").ok().stdout;
    assert!(list.lines().count() >= 40, "{list}");
    let json: Json = serde_json::from_str(&run("errors list --json").ok().stdout).expect("JSON");
    let cards = json.as_array().expect("a list");
    assert_eq!(cards.len(), list.lines().count());
    let home = Home::new();
    // Ours all; of those of other programs a few.
    let ours = |at: usize| at < 100 || at.is_multiple_of(40);
    for card in cards.iter().enumerate().filter(|(at, _)| ours(*at)).map(|(_, card)| card) {
        let code = card["code"].as_str().expect("a code");
        assert!(list.contains(code));
        let shown = candor(&home, &format!("errors show {}", code.to_lowercase())).run().ok().stdout;
        assert!(shown.contains(&format!("Error Code: {code}\n")) && !steps(&shown).is_empty(), "{shown}");
    }
}

#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&format!("completions {shell}")).ok().stdout;
        assert!(
            script.contains("candor") && script.contains("doctor") && script.contains("origin"),
            "{shell}"
        );
        assert!(!script.contains("generate"), "{shell}: hidden stays hidden");
    }
}

#[test]
fn man_pages_are_written_for_every_command() {
    let home = Home::new();
    let dir = home.path().join("man");
    candor(&home, "generate man").args([std::ffi::OsStr::new("--dir"), dir.as_os_str()]).run().ok();
    for page in ["candor.1", "candor-config-show.1", "candor-logs.1"] {
        assert!(home.read(format!("man/{page}")).contains(".TH"), "{page}");
    }
    candor(&home, "generate man").run().code(2).stderr_has("USAGE_MISSING_ARGUMENT");
}

#[test]
fn the_demonstration_refuses_verifies_and_leaves_nothing() {
    let home = Home::new();
    let ran = candor(&home, "demo").run().ok();
    // In this order, and on the stream that a pipe reads.
    let mut rest = ran.stdout.as_str();
    for shown in [
        "stdin: { send: '5927508593 ping', expect: pong }",
        "you> Write bot.sh",
        "model> Success. The bot starts without an error and answers messages. Everything is done!",
        "bot: start: ready after",
        "VERIFY_PROBE_FAILED",
        "runtime log errors detected: 1, the first in stderr: handlers.messages - ERROR - Error for user 5927508593: Request URL is missing an 'http://' or 'https://' protocol.",
        "Not done: the model is told what failed.",
        "model> The address of the API has no protocol",
        "model> Repaired:",
        "bot: message: stdin \"5927508593 ping\": the answer came",
        "done, verified (",
        "The model said done twice.",
        "candor demo --keep",
    ] {
        let at = rest.find(shown).unwrap_or_else(|| panic!("{shown} is not in\n{rest}"));
        rest = &rest[at + shown.len()..];
    }
    assert_eq!(ran.stderr, "");
    assert_eq!(std::fs::read_dir(home.tmp()).expect("a folder").count(), 0);
    assert!(!home.path().exists());
}

#[test]
fn a_demonstration_that_is_kept_can_be_looked_at() {
    let home = Home::new();
    let ran = candor(&home, "demo --keep").run().ok();
    let line = ran.stdout.lines().find(|line| line.contains("sessions show")).expect("where to look");
    let words: Vec<&str> = line.split_whitespace().collect();
    let kept = words[0].strip_prefix("CANDOR_HOME=").expect("a home");
    let session = words[4];
    let shown = Candor::new(BINARY, &home)
        .args(["sessions", "show", session])
        .env("CANDOR_HOME", kept)
        .run()
        .ok()
        .stdout;
    for word in [
        "verifier> The runtime looked for itself",
        "bot: log: runtime log errors detected",
        "[done, verified (",
    ] {
        assert!(shown.contains(word), "{word} is not in\n{shown}");
    }
}
