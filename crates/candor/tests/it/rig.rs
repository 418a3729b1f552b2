//! Short ways to run the binary.

use std::sync::Arc;

use candor_testkit::{Candor, FakeLlm, Home, Ran};
use serde_json::Value;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_candor");

/// The binary in a home, with arguments as one would type them; nothing is quoted.
pub(crate) fn candor<'h>(home: &'h Home, line: &str) -> Candor<'h> {
    Candor::new(BINARY, home).args(line.split_whitespace())
}

/// Runs it in a fresh home.
pub(crate) fn run(line: &str) -> Ran {
    candor(&Home::new(), line).run()
}

/// The lines that begin with a number and a dot: a card's steps.
pub(crate) fn steps(text: &str) -> Vec<&str> {
    let numbered =
        |line: &&str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    text.lines().filter(numbered).collect()
}

/// Where the binary keeps its sessions.
#[derive(Clone, Debug)]
pub(crate) enum Keep {
    /// In the file of its home.
    Home,
    /// In a schema of its own on a PostgreSQL server.
    Postgres(Arc<candor_testkit::Database>),
}

impl Keep {
    pub(crate) fn in_home() -> Self {
        Self::Home
    }

    pub(crate) fn postgres() -> Self {
        Self::Postgres(Arc::new(candor_testkit::Postgres::shared()))
    }

    /// The binary, told where.
    pub(crate) fn on<'h>(&self, candor: Candor<'h>) -> Candor<'h> {
        match self {
            Self::Home => candor,
            Self::Postgres(schema) => candor.env("CANDOR_DATABASE_URL", schema.url()),
        }
    }
}

/// Makes each test twice, one for each database.
macro_rules! on_both {
    ($($(#[$note:meta])* fn $name:ident($keep:ident) $body:block)*) => {
        $(fn $name($keep: &crate::rig::Keep) $body)*
        mod sqlite {
            $($(#[$note])* #[test] fn $name() { super::$name(&crate::rig::Keep::in_home()); })*
        }
        mod postgres {
            $($(#[$note])* #[test] fn $name() { super::$name(&crate::rig::Keep::postgres()); })*
        }
    };
}
pub(crate) use on_both;

/// The key that the fake model is asked with.
pub(crate) const KEY: &str = "fk-4f9a1c77e2b84d0aa6";

/// A home that talks to a fake model.
pub(crate) fn home_of(fake: &FakeLlm) -> Home {
    home_with(fake, "")
}

/// The same with more settings.
pub(crate) fn home_with(fake: &FakeLlm, settings: &str) -> Home {
    let home = Home::new();
    let (dialect, base_url) = (fake.dialect().name(), fake.base_url());
    let config = format!(
        "provider = \"fake\"\nsession.model_titles = false\n{settings}\n[providers.fake]\ndialect = \"{dialect}\"\nbase_url = \"{base_url}\"\n\
         api_key_env = \"FAKE_KEY\"\nmodel = \"fake-model\"\n"
    );
    home.write("config.toml", &config);
    home
}

/// The binary with a prompt.
pub(crate) fn ask<'h>(home: &'h Home, words: &[&str]) -> Candor<'h> {
    Candor::new(BINARY, home).args(words).env("FAKE_KEY", KEY)
}

/// The events that `--json` printed.
#[track_caller]
pub(crate) fn events(ran: &Ran) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    ran.stdout.lines().map(parse).collect()
}

/// The events of one type.
pub(crate) fn of_type<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

/// The lines of the log, of one event.
#[track_caller]
pub(crate) fn log_lines(home: &Home, event: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(home.path().join("logs/candor.log")).unwrap_or_default();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a log line is JSON"));
    lines.filter(|line| line["event"] == event).collect()
}

/// Whether a process is there whose arguments name this home: a command's number means nothing outside of its walls.
pub(crate) fn is_running(home: &Home) -> bool {
    let name = home.path().display().to_string();
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).contains(&name))
}
