//! What a service's sources tell besides: where it writes its log, and whether it is a bot that can be spoken to.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::project::Code;
use super::source::Language;
use super::tree::shown;
use crate::plan::{PROBE_TIMEOUT, Probe, ProbeHow};

/// How many log files are named for one service.
const LOGS_MAX: usize = 8;

/// A pattern of ours.
#[expect(clippy::expect_used, reason = "the pattern is fixed, and tried by the test of its stack")]
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of this crate is valid")
}

static LOG_FILE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:filename\s*[=:]\s*|FileHandler\(\s*|RotatingFileHandler\(\s*|createWriteStream\(\s*|OpenFile\(\s*|Logger\.new\(\s*|rolling::\w+\(\s*|\blogger\.add\(\s*)["'`]([^"'`\s]+\.(?:log|jsonl))["'`]"#,
    )
});
static SHELL_LOG: LazyLock<Regex> = LazyLock::new(|| pattern(r#">>?\s*"?([\w./-]+\.log)\b"#));

/// The log files that the sources plainly write, and the project's folder of logs, as globs relative to the workspace.
pub(super) fn logs<'a>(
    folder: &Path,
    codes: impl Iterator<Item = &'a Code>,
    has_folder: impl Fn(&Path) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for code in codes {
        let pattern = if code.language == Language::Shell { &SHELL_LOG } else { &LOG_FILE };
        for captured in pattern.captures_iter(&code.text) {
            let Some(file) = captured.get(1).map(|file| file.as_str().trim_start_matches("./")) else {
                continue;
            };
            let is_plain =
                !file.starts_with('/') && !file.contains("..") && !file.contains(['{', '%', '$', '*']);
            let glob = shown(&folder.join(file));
            if is_plain && !found.contains(&glob) {
                found.push(glob);
            }
        }
    }
    found.truncate(LOGS_MAX);
    for name in ["logs", "log"] {
        let glob = format!("{}/*.log", shown(&folder.join(name)));
        if has_folder(&folder.join(name)) && !found.contains(&glob) {
            found.push(glob);
        }
    }
    found
}

static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:environ(?:\.get)?\s*[\[(]\s*|getenv\(\s*|Getenv\(\s*|process\.env\.|process\.env\[\s*|Deno\.env\.get\(\s*|ENV\[\s*|ENV\.fetch\(\s*|ENV\{\s*|env::var\(\s*|env\(\s*|\$\{?)["']?([A-Z][A-Z0-9_]{2,})"#,
    )
});

/// A Telegram bot, by what its sources use.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Telegram {
    /// The variable that holds the address of the API.
    pub(super) api_base_env: Option<String>,
    /// The variable that holds the token.
    pub(super) token_env: Option<String>,
}

/// Whether these sources talk to Telegram, and through which variables.
pub(super) fn telegram(code: &str) -> Option<Telegram> {
    const USES: &[&str] = &[
        "telegram.ext",
        "import telebot",
        "aiogram",
        "api.telegram.org",
        "telegraf",
        "node-telegram-bot-api",
        "grammy",
        "TelegramBot",
        "getUpdates",
        "TELEGRAM_",
        "Telegram::Bot",
        "teloxide",
    ];
    if !USES.iter().any(|word| code.contains(word)) {
        return None;
    }
    let mut found = Telegram::default();
    for line in code.lines() {
        for captured in VARIABLE.captures_iter(line) {
            let Some(name) = captured.get(1).map(|name| name.as_str()) else { continue };
            let is_ours = ["TELEGRAM", "TG_", "BOT_"].iter().any(|part| name.contains(part));
            let is_base =
                ["BASE", "URL", "ENDPOINT", "HOST", "SERVER", "ROOT"].iter().any(|part| name.contains(part));
            if name.contains("TOKEN") {
                found.token_env.get_or_insert_with(|| name.to_owned());
            } else if is_base && !name.contains("WEBHOOK") && (is_ours || line.contains("api.telegram.org")) {
                found.api_base_env.get_or_insert_with(|| name.to_owned());
            }
        }
    }
    Some(found)
}

/// A token in the shape that libraries insist on. The fake takes any, and a real one has no business there.
pub(super) const MADE_UP_TOKEN: &str = "123456789:AAcandor-verify-made-up-token-00000";

/// A message to a bot. What it must answer is not known, only that it must live through it.
pub(super) fn message(api_base_env: &str) -> Probe {
    Probe {
        name: "message \"ping\"".to_owned(),
        how: ProbeHow::Message {
            text: "ping".to_owned(),
            expect: None,
            api_base_env: api_base_env.to_owned(),
        },
        timeout: PROBE_TIMEOUT,
        retries: 0,
        derived: true,
    }
}
