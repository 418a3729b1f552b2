//! What must hold between keys.

use crate::decode::Decoder;
use crate::nearest::nearest;
use crate::node::{Node, Table};
use crate::presets::PRESETS;
use crate::problem::WarningKind;
use crate::secret::SecretSource;
use crate::settings::{Config, Dialect, Telegram, TelegramMode};

/// Shortest secret Telegram may be asked to send along: short ones can be guessed.
const WEBHOOK_SECRET_CHARS_MIN: usize = 16;

pub(crate) fn check(config: &Config, tree: &Table, decoder: &mut Decoder<'_>) {
    let mut checks = Checks { tree, decoder };
    checks.provider(config);
    checks.providers(config);
    if config.retry.max_delay_ms.get() < config.retry.base_delay_ms.get() {
        let message = format!(
            "the longest wait is shorter than the first ({} is {:?}); make it at least as long",
            "retry.base_delay_ms",
            config.retry.base_delay_ms.get()
        );
        checks.wrong(
            &["retry.max_delay_ms", "retry.max_delay", "retry.base_delay_ms", "retry.base_delay"],
            &message,
        );
    }
    let known =
        |url: &str| ["sqlite:", "postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
    if config.session.database_url.as_deref().is_some_and(|url| !known(url)) {
        checks
            .wrong(&["session.database_url"], "expected an address that begins with postgres:// or sqlite:");
    }
    for pattern in &config.security.blocked_commands {
        // A wall with a hole is worse than none that is known to be missing.
        if regex_syntax::parse(pattern).is_err() {
            let message = format!("{pattern:?} is not a valid regular expression");
            checks.wrong(&["security.blocked_commands"], &message);
        }
    }
    for (key, entries) in [
        ("security.deny_commands", &config.security.deny_commands),
        ("security.ask_commands", &config.security.ask_commands),
        ("security.allow_commands", &config.security.allow_commands),
    ] {
        for entry in entries {
            if let Some(problem) = command_problem(entry) {
                checks.wrong(&[key], &format!("{entry:?} {problem}"));
            }
        }
    }
    // Whoever sets these counts on something, and would not learn otherwise that it is not there.
    if !config.security.allowed_users.is_empty() {
        checks.no_effect(
            "security.allowed_users",
            "users are not told apart yet: everyone with the token gets in",
        );
    }
    if config.telegram.enabled {
        checks.no_effect("telegram.enabled", "there is no bot yet");
    }
    for host in &config.sandbox.hosts {
        if !is_host(host) {
            checks.wrong(&["sandbox.hosts"], &format!("{host:?} is no \"host:port\" and no \"*.host:port\""));
        }
    }
    if config.telegram.enabled {
        checks.telegram(&config.telegram);
    }
    if config.telegram.delivery.retry.jitter.0 > 1.0 {
        checks.wrong(&["telegram.delivery.retry.jitter"], "expected a fraction from 0 to 1");
    }
    if config.telegram.polling.timeout_seconds.get().as_secs() > 60 {
        checks.wrong(
            &["telegram.polling.timeout_seconds", "telegram.polling.timeout"],
            "Telegram waits for 60 seconds at most",
        );
    }
}

/// What is wrong with an entry of a list of commands: words, or a regular expression between slashes.
fn command_problem(entry: &str) -> Option<&'static str> {
    let entry = entry.trim();
    let pattern = entry.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    match pattern.filter(|pattern| !pattern.is_empty()) {
        _ if entry.is_empty() => Some("names no command"),
        Some(pattern) if regex_syntax::parse(pattern).is_err() => Some("is not a valid regular expression"),
        _ => None,
    }
}

fn is_host(entry: &str) -> bool {
    let Some((host, port)) = entry.rsplit_once(':') else { return false };
    let host = host.strip_prefix("*.").unwrap_or(host);
    let is_name = !host.is_empty() && !host.contains(['/', '*', ' ']);
    is_name && port.parse::<u16>().is_ok_and(|port| port > 0)
}

struct Checks<'a, 'd, 'e> {
    tree: &'a Table,
    decoder: &'d mut Decoder<'e>,
}

impl Checks<'_, '_, '_> {
    /// Reports a problem at the first of these keys that was written down.
    fn wrong(&mut self, keys: &[&str], message: &str) {
        let written: Option<(&&str, &Node)> = keys.iter().find_map(|key| Some((key, self.tree.find(key)?)));
        if let Some((key, node)) = written {
            let place = node.place.clone();
            self.decoder.inside(key, |decoder| decoder.wrong::<()>(&place, message));
        }
    }

    /// Warns of a key that was written down and does nothing.
    fn no_effect(&mut self, key: &str, message: &str) {
        let Some(place) = self.tree.find(key).map(|node| node.place.clone()) else { return };
        let message = message.to_owned();
        self.decoder.inside(key, |decoder| decoder.warn(&place, WarningKind::NoEffect, message));
    }

    fn provider(&mut self, config: &Config) {
        let Some(name) = &config.provider else { return };
        let mut known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        known.extend(config.providers.keys().map(String::as_str));
        if known.contains(&name.as_str()) {
            return;
        }
        let near = nearest(name, known.iter().copied()).map(|near| format!("; did you mean {near:?}?"));
        let message = format!(
            "{name:?} is neither a preset nor the name of a [providers.NAME] table{} Known: {}",
            near.unwrap_or_else(|| ".".to_owned()),
            known.join(", ")
        );
        self.wrong(&["provider"], &message);
    }

    fn providers(&mut self, config: &Config) {
        for (name, provider) in &config.providers {
            let is_preset = PRESETS.iter().any(|preset| preset.name == name);
            let key = format!("providers.{name}");
            let is_scripted = provider.dialect == Some(Dialect::Scripted);
            if is_scripted && provider.script.is_none() {
                self.wrong(&[&key], "a scripted provider needs a script, the path of a JSON file");
            }
            match &provider.base_url {
                None if is_preset || is_scripted => {}
                None => self.wrong(
                    &[&key],
                    "a provider that is no preset needs a base_url, such as \"http://127.0.0.1:8080/v1\"",
                ),
                Some(url) if url.starts_with("http://") || url.starts_with("https://") => {}
                Some(_) => self.wrong(
                    &[&format!("{key}.base_url")],
                    "expected an address that begins with http:// or https://",
                ),
            }
        }
    }

    fn telegram(&mut self, telegram: &Telegram) {
        if telegram.bot_token.is_none() {
            self.wrong(
                &["telegram.enabled"],
                "the bot is on but has no bot_token; give bot_token_env, bot_token_file or bot_token",
            );
        }
        if telegram.mode != TelegramMode::Webhook {
            return;
        }
        if telegram.webhook_url.is_none() {
            self.wrong(&["telegram.mode"], "webhook mode needs a webhook_url");
        }
        match &telegram.webhook_secret {
            None => self
                .wrong(&["telegram.mode"], "webhook mode needs a webhook_secret of at least 16 characters"),
            Some(SecretSource::Inline(secret))
                if secret.reveal().chars().count() < WEBHOOK_SECRET_CHARS_MIN =>
            {
                self.wrong(&["telegram.webhook_secret"], "too short: at least 16 characters are needed");
            }
            Some(_) => {}
        }
    }
}
