//! What the name of a program or a script says about how long it runs.

/// Parts of a name that say: this goes on.
const LASTING: &[&str] = &[
    "api",
    "backend",
    "bot",
    "broker",
    "chatbot",
    "consumer",
    "crawlerd",
    "daemon",
    "gateway",
    "httpd",
    "listener",
    "poller",
    "proxy",
    "scheduler",
    "serve",
    "server",
    "service",
    "svc",
    "tgbot",
    "web",
    "webapp",
    "webhook",
    "websocket",
    "worker",
    "wsgi",
    "asgi",
];
/// What a word may end in to say so as well: `echoserver`, `mybot`.
const LASTING_ENDS: &[&str] = &["server", "bot", "daemon", "worker"];
/// Words that only look like it.
const LOOKALIKES: &[&str] = &["observer", "robot", "abbot", "preserver"];
/// Parts of a name that say: this does something and ends.
const ENDING: &[&str] = &[
    "bench",
    "benchmark",
    "build",
    "check",
    "clean",
    "cli",
    "client",
    "config",
    "configure",
    "convert",
    "create",
    "debug",
    "delete",
    "deploy",
    "download",
    "export",
    "fixture",
    "format",
    "gen",
    "generate",
    "helper",
    "helpers",
    "import",
    "init",
    "install",
    "kill",
    "lint",
    "load",
    "migrate",
    "migration",
    "mock",
    "models",
    "probe",
    "reset",
    "scrape",
    "seed",
    "send",
    "setup",
    "smoke",
    "spec",
    "status",
    "stop",
    "sync",
    "test",
    "tests",
    "types",
    "uninstall",
    "update",
    "upload",
    "util",
    "utils",
    "validate",
    "verify",
];

/// Whether a file name, with or without its folder and ending, is one that people give to something long-lived.
pub(crate) fn is_service_name(name: &str) -> bool {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = base.split_once('.').map_or(base, |(stem, _)| stem);
    let parts = parts(stem);
    if parts.iter().any(|part| ENDING.contains(&part.as_str()))
        || base.contains(".test.")
        || base.contains(".spec.")
    {
        return false;
    }
    parts.iter().any(|part| {
        LASTING.contains(&part.as_str())
            || (LASTING_ENDS.iter().any(|end| part.ends_with(end)) && !LOOKALIKES.contains(&part.as_str()))
    })
}

/// A name's parts in small letters: `runTheServer`, `run_the-server` are three.
fn parts(stem: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut was_small = false;
    for letter in stem.chars() {
        let begins = !letter.is_alphanumeric() || (letter.is_uppercase() && was_small);
        was_small = letter.is_lowercase();
        if begins {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut()
            && letter.is_alphanumeric()
        {
            last.extend(letter.to_lowercase());
        }
    }
    // `bot2` is a bot.
    found
        .iter()
        .map(|part| part.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned())
        .collect()
}
