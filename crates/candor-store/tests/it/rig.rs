//! A throw-away database, and events to put into it.

use std::path::{Path, PathBuf};

use candor_protocol::{
    Event, EventBody, Moment, Origin, Outcome, Parent, Part, RunId, SessionId, Status, StopReason, Usage,
    Verdict, VerdictStatus,
};
use candor_store::{Error, Location, Store};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

/// Noon of a day, in milliseconds since 1970.
pub(crate) const NOON: i64 = 1_739_275_200_000;

/// A throw-away database, gone when this is dropped.
pub(crate) enum Rig {
    File(tempfile::TempDir),
    Server(candor_testkit::Database),
}

/// Runs each of some tests on both databases.
macro_rules! on_both {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::rig::Rig::new()).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::rig::Rig::postgres()).await;
            })*
        }
    };
}
pub(crate) use on_both;

impl Rig {
    /// A SQLite file in a folder of its own.
    pub(crate) fn new() -> Self {
        Self::File(tempfile::tempdir().unwrap())
    }

    /// A schema of its own on the shared server.
    pub(crate) fn postgres() -> Self {
        Self::Server(candor_testkit::Postgres::shared())
    }

    pub(crate) fn directory(&self) -> &Path {
        match self {
            Self::File(directory) => directory.path(),
            Self::Server(_) => panic!("a server has no directory"),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory().join("candor.db")
    }

    pub(crate) fn location(&self) -> Location {
        match self {
            Self::File(_) => Location::File(self.path()),
            Self::Server(database) => Location::Postgres(database.url()),
        }
    }

    pub(crate) async fn open(&self) -> Store {
        self.try_open().await.unwrap()
    }

    pub(crate) async fn try_open(&self) -> Result<Store, Error> {
        Store::open(&self.location()).await
    }

    /// Does to the database what another program might.
    pub(crate) async fn meddle(&self, sql: &'static str) {
        if let Self::Server(database) = self {
            database.ask(sql);
            return;
        }
        let options =
            SqliteConnectOptions::new().filename(self.path()).create_if_missing(true).foreign_keys(false);
        let mut connection = options.connect().await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    /// The texts that a question of a test's own is answered with.
    pub(crate) async fn ask(&self, sql: &'static str) -> Vec<String> {
        if let Self::Server(database) = self {
            return database.ask(sql).lines().map(str::to_owned).collect();
        }
        let mut connection = SqliteConnectOptions::new().filename(self.path()).connect().await.unwrap();
        let rows = sqlx::query_scalar(sql).fetch_all(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        rows
    }
}

/// Makes the events of one session, each with the next number and a second later.
pub(crate) struct Log {
    pub(crate) session: SessionId,
    pub(crate) seq: u64,
    pub(crate) at: i64,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self { session: SessionId::now(), seq: 0, at: NOON }
    }

    pub(crate) fn event(&mut self, run_id: Option<RunId>, body: EventBody) -> Event {
        self.seq += 1;
        self.at += 1000;
        Event { seq: self.seq, session_id: self.session, run_id, at: Moment::from_millis(self.at), body }
    }

    pub(crate) fn created(&mut self) -> Event {
        self.created_in("/work")
    }

    pub(crate) fn created_in(&mut self, workspace: &str) -> Event {
        self.created_with(workspace, None)
    }

    /// The same for a session that works for another one.
    pub(crate) fn created_for(&mut self, parent: SessionId) -> Event {
        self.created_with("/work", Some(Parent { session_id: parent, depth: 1, tools: None, model: None }))
    }

    fn created_with(&mut self, workspace: &str, parent: Option<Parent>) -> Event {
        let (source, name) = ("cli".to_owned(), "a name".to_owned());
        let workspace = workspace.to_owned();
        self.event(
            None,
            EventBody::SessionCreated {
                source,
                name,
                workspace,
                instructions: None,
                job: None,
                forked_from: None,
                parent,
            },
        )
    }

    pub(crate) fn said(&mut self, text: &str) -> Event {
        self.event(None, EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text(text)] })
    }

    pub(crate) fn start(&mut self, run: RunId, model: &str) -> Event {
        self.event(Some(run), EventBody::RunStart { model: model.to_owned(), message_count: 1 })
    }

    pub(crate) fn answered(&mut self, run: RunId, text: &str) -> Event {
        let (content, model) = (vec![Part::text(text)], "m".to_owned());
        let (usage, stop_reason) = (Usage::new(1, 1), StopReason::EndTurn);
        self.event(Some(run), EventBody::MessageComplete { content, model, usage, stop_reason })
    }

    pub(crate) fn end(&mut self, run: RunId, outcome: Outcome) -> Event {
        self.event(Some(run), EventBody::RunEnd(outcome))
    }
}

/// A run that took so many tokens.
pub(crate) fn outcome(usage: Usage, cost_usd: Option<f64>) -> Outcome {
    let verdict = Verdict {
        status: VerdictStatus::NotApplicable,
        profile: "standard".to_owned(),
        evidence: Vec::new(),
    };
    let (turns, tool_calls, duration_ms) = (2, 3, 400);
    Outcome {
        status: Status::Done,
        verdict,
        usage,
        cost_usd,
        turns,
        tool_calls,
        duration_ms,
        card: None,
        children: None,
    }
}
