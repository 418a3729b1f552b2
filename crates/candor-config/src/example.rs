//! A config file with every key, commented: `config.example.toml`, and what `candor init` writes.

use std::fmt::Write;

use serde_json::Value as Json;

use crate::decode::one_of;
use crate::setting::{Field, Kind};
use crate::settings::Config;

/// The format of a config file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Format {
    Toml,
    Yaml,
}

impl Format {
    /// The name of a home's config file in this format.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Toml => "config.toml",
            Self::Yaml => "config.yaml",
        }
    }
}

/// A value that is set rather than commented out: the dotted key and the value.
pub type Chosen = (&'static str, String);

/// What to show for keys that have no default.
const SAMPLES: &[(&str, &str)] = &[
    ("provider", "\"anthropic\""),
    ("model", "\"claude-sonnet-4-5\""),
    ("api_key", "\"ANTHROPIC_API_KEY\""),
    ("max_tokens", "8192"),
    ("system_prompt", "\"You are a helpful programming assistant.\""),
    ("max_cost", "5.0"),
    ("session.database_url", "\"postgres://localhost/candor\""),
    ("telegram.bot_token", "\"TELEGRAM_BOT_TOKEN\""),
    ("telegram.webhook_url", "\"https://bot.example.org/candor_telegram_webhook\""),
    ("telegram.webhook_secret", "\"TELEGRAM_WEBHOOK_SECRET\""),
    ("providers.local.dialect", "\"openai-chat\""),
    ("providers.local.script", "\"demo.json\""),
    ("providers.local.base_url", "\"http://127.0.0.1:8080/v1\""),
    ("providers.local.api_key", "\"LOCAL_KEY\""),
    ("providers.local.model", "\"qwen3-coder\""),
    ("telegram.groups.*.group_policy", "\"allowlist\""),
    ("telegram.groups.*.require_mention", "true"),
    ("telegram.groups.*.topics.7.group_policy", "\"open\""),
    ("telegram.groups.*.topics.7.require_mention", "false"),
    ("approval", "\"doubtful\""),
    ("sandbox.policy", "\"workspace\""),
    ("sandbox.max_memory_mb", "8000"),
    ("web.proxy", "\"http://127.0.0.1:3128\""),
    ("web.search.engine", "\"searxng\""),
    ("web.search.base_url", "\"http://127.0.0.1:8888\""),
    ("web.search.api_key", "\"SEARCH_KEY\""),
];

/// The name that stands for the user's own in a table of names.
fn sample_name(key: &str) -> &'static str {
    match key {
        "providers" => "local",
        "telegram.groups" => "*",
        _ => "7",
    }
}

/// Prints the file. Keys in `chosen` are set; every other key is a comment with its default.
pub fn example(format: Format, chosen: &[Chosen]) -> String {
    let mut page = Page { format, chosen, text: String::new() };
    page.line(
        0,
        "# Configuration of Candor. Every key is here; a commented key shows its default or a sample.",
    );
    page.line(0, "# `candor config check` looks for mistakes; docs/configuration.md explains each key.");
    page.table("", Config::FIELDS, 0);
    page.text
}

struct Page<'a> {
    format: Format,
    chosen: &'a [Chosen],
    text: String,
}

impl Page<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        let indent = if self.format == Format::Yaml { depth * 2 } else { 0 };
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn doc(&mut self, depth: usize, field: &Field) {
        self.text.push('\n');
        for line in field.doc {
            self.line(depth, &format!("# {}", line.trim()));
        }
    }

    /// Plain keys first, then tables: TOML has no other order.
    fn table(&mut self, path: &str, fields: &'static [Field], depth: usize) {
        for field in fields.iter().filter(|field| !is_section(field)) {
            self.key(path, field, depth);
        }
        for field in fields.iter().filter(|field| is_section(field)) {
            let inner = join(path, field.name);
            match (field.kind)() {
                Kind::Table(fields) => self.section(&inner, field, fields, depth),
                Kind::Map(item) => {
                    if let Kind::Table(fields) = item() {
                        let name = sample_name(&inner);
                        self.doc(depth, field);
                        self.named(&inner, name, fields, depth);
                    }
                }
                _ => {}
            }
        }
    }

    fn section(&mut self, path: &str, field: &Field, fields: &'static [Field], depth: usize) {
        self.doc(depth, field);
        self.header(path, field.name, depth);
        self.table(path, fields, depth + 1);
    }

    /// A sample of a name the user may choose, wholly a comment: set, it would be a thing of its own.
    fn named(&mut self, path: &str, name: &str, fields: &'static [Field], depth: usize) {
        let inner = format!("{path}.{name}");
        let mut sample = Page { format: self.format, chosen: &[], text: String::new() };
        if self.format == Format::Toml {
            sample.line(depth, &format!("[{}]", quote_path(&inner)));
        } else {
            sample.line(depth, &format!("{}:", path.rsplit('.').next().unwrap_or(path)));
            sample.line(depth + 1, &format!("{}:", quote_name(name)));
        }
        sample.table(&inner, fields, depth + 2);
        for line in sample.text.lines() {
            let line = line.trim_end();
            let commented = line.trim_start().starts_with('#') || line.is_empty();
            self.line(0, &if commented { line.to_owned() } else { comment(line) });
        }
    }

    /// A table's own line. It is set, so that taking the mark off a key below it is enough.
    fn header(&mut self, path: &str, name: &str, depth: usize) {
        match self.format {
            Format::Toml => self.line(depth, &format!("[{}]", quote_path(path))),
            Format::Yaml => self.line(depth, &format!("{name}:")),
        }
    }

    fn key(&mut self, path: &str, field: &Field, depth: usize) {
        let key = join(path, field.name);
        self.doc(depth, field);
        if let Kind::Word(words) = (field.kind)() {
            self.line(depth, &format!("# {}.", capital(&one_of(words))));
        }
        let chosen = self.chosen.iter().find(|(chosen, _)| spells(field, path, chosen));
        let (name, value, mark) = if let Some((chosen, value)) = chosen {
            let name = chosen.rsplit('.').next().unwrap_or(chosen).to_owned();
            (name, Json::from(value.as_str()).to_string(), "")
        } else {
            let suffix = if matches!((field.kind)(), Kind::Secret) { "_env" } else { "" };
            (format!("{}{suffix}", field.name), sample(&key, field), "# ")
        };
        let line = match self.format {
            Format::Toml => format!("{mark}{name} = {value}"),
            Format::Yaml => format!("{mark}{name}: {value}"),
        };
        self.line(depth, &line);
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Turns a line into a comment at the same depth.
fn comment(line: &str) -> String {
    let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
    format!("{indent}# {rest}")
}

/// `system_prompt` is shown as the text that most people want; its table is explained by its doc comment.
fn is_section(field: &Field) -> bool {
    field.name != "system_prompt" && matches!((field.kind)(), Kind::Table(_) | Kind::Map(_))
}

fn spells(field: &Field, path: &str, chosen: &str) -> bool {
    (field.kind)().spellings(field.name).iter().any(|spelling| join(path, spelling) == chosen)
}

fn sample(key: &str, field: &Field) -> String {
    let known = SAMPLES.iter().find(|(sample, _)| *sample == key).map(|(_, value)| (*value).to_owned());
    known.unwrap_or_else(|| (field.default)().to_string())
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn quote_path(path: &str) -> String {
    path.split('.').map(quote_name).collect::<Vec<_>>().join(".")
}

fn quote_name(name: &str) -> String {
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}
