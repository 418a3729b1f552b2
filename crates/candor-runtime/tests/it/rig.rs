//! A runtime in a throw-away home, the model that it asks, and what happened in it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use candor_agent::{Compaction, Limits, Model, Price, Verify};
use candor_llm::retry::Policy;
use candor_llm::{Dialect, Endpoint, HttpProvider, Provider, ScriptedProvider, Timeouts};
use candor_protocol::{Body, Event, EventBody, Failure, Origin, Outcome, Part, RunId, SessionId, Submission};
use candor_runtime::{
    Bounds, Naming, NewSession, PromptFiles, Receipt, Retention, Runtime, Setup, Subscription, Titles,
};
use candor_store::{Location, Store};
use candor_testkit::{FakeLlm, Gate, Home, Reply};
use candor_tools::{Plan, Rules};
use serde_json::Value;

/// A wait that takes longer has hung.
const HUNG: Duration = Duration::from_secs(30);

/// Which database a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    Sqlite,
    Postgres,
}

/// Runs each test on both databases.
macro_rules! on_both {
    ($($(#[$note:meta])* async fn $name:ident($on:ident) $body:block)*) => {
        $(async fn $name($on: crate::rig::On) $body)*
        mod sqlite {
            $($(#[$note])* #[tokio::test] async fn $name() { super::$name(crate::rig::On::Sqlite).await })*
        }
        mod postgres {
            $($(#[$note])* #[tokio::test] async fn $name() { super::$name(crate::rig::On::Postgres).await })*
        }
    };
}
pub(crate) use on_both;

/// A runtime, its home and its model.
pub(crate) struct Rig {
    pub(crate) runtime: Runtime,
    pub(crate) fake: Arc<FakeLlm>,
    pub(crate) home: Arc<Home>,
    pub(crate) database: Arc<Database>,
}

/// Where a test's sessions are.
pub(crate) struct Database {
    pub(crate) location: Location,
    /// A schema of its own, which is dropped at the end.
    schema: Option<candor_testkit::Database>,
}

impl Database {
    fn new(on: On, home: &Home) -> Self {
        match on {
            On::Sqlite => Self { location: Location::File(database(home)), schema: None },
            On::Postgres => {
                let schema = candor_testkit::Postgres::shared();
                Self { location: Location::Postgres(schema.url()), schema: Some(schema) }
            }
        }
    }
}

impl Rig {
    pub(crate) async fn new() -> Self {
        Self::on(On::Sqlite).await
    }

    /// One on this database.
    pub(crate) async fn on(on: On) -> Self {
        Self::on_with(on, |_| {}).await
    }

    /// One whose setup is changed before it starts.
    pub(crate) async fn with(change: impl FnOnce(&mut Setup)) -> Self {
        Self::on_with(On::Sqlite, change).await
    }

    pub(crate) async fn on_with(on: On, change: impl FnOnce(&mut Setup)) -> Self {
        let fake = Arc::new(FakeLlm::start(candor_testkit::Dialect::OpenaiChat));
        let home = Arc::new(Home::new());
        let database = Arc::new(Database::new(on, &home));
        let mut setup = setup(&home, provider(&fake));
        change(&mut setup);
        let runtime = Runtime::open(&database.location, setup).await.unwrap();
        Self { runtime, fake, home, database }
    }

    /// The same home after a restart.
    pub(crate) async fn reopen(self) -> Self {
        let Self { runtime, fake, home, database } = self;
        drop(runtime);
        let runtime = Runtime::open(&database.location, setup(&home, provider(&fake))).await.unwrap();
        Self { runtime, fake, home, database }
    }

    /// A second process in the same home, with the same model.
    pub(crate) async fn beside(&self) -> Self {
        let Self { fake, home, database, .. } = self;
        let runtime = Runtime::open(&database.location, setup(home, provider(fake))).await.unwrap();
        let (fake, home, database) = (Arc::clone(fake), Arc::clone(home), Arc::clone(database));
        Self { runtime, fake, home, database }
    }

    /// The database, as somebody else opens it.
    pub(crate) async fn store(&self) -> Store {
        Store::open(&self.database.location).await.unwrap()
    }

    /// Does to a PostgreSQL database what another program might, or asks it something.
    pub(crate) fn meddle(&self, sql: &str) -> String {
        self.database.schema.as_ref().expect("a server").ask(sql)
    }

    pub(crate) fn create(&self) -> SessionId {
        self.runtime.create(new_session()).unwrap()
    }

    pub(crate) async fn submit(&self, session: SessionId, body: Body) -> Result<Receipt, Failure> {
        let submission = Submission { session, origin: Origin::Cli, body };
        within(self.runtime.submit(submission)).await
    }

    /// Says something and gives the run that will answer it.
    pub(crate) async fn say(&self, session: SessionId, text: &str) -> RunId {
        let receipt = self.submit(session, Body::Say(vec![Part::text(text)])).await.unwrap();
        receipt.run.unwrap()
    }

    pub(crate) async fn steer(&self, session: SessionId, text: &str) -> Receipt {
        self.submit(session, Body::Steer(vec![Part::text(text)])).await.unwrap()
    }

    pub(crate) async fn watch(&self, session: SessionId, after: u64) -> Subscription {
        self.runtime.subscribe(session, after).await.unwrap()
    }

    /// Says something and waits for the end of the run: how it ended, and all that was shown.
    pub(crate) async fn ask(&self, session: SessionId, text: &str) -> (Outcome, Vec<Event>) {
        let after = self.runtime.query().last_seq(session).await.unwrap().unwrap_or(0);
        let mut watching = self.watch(session, after).await;
        let run = self.say(session, text).await;
        end_of(&mut watching, run).await
    }

    /// What is stored of a session, as somebody else finds it.
    pub(crate) async fn stored(&self, session: SessionId) -> Vec<Event> {
        let store = self.store().await;
        let events = store.events(session, 0, 10_000).await.unwrap();
        store.close().await;
        events
    }

    /// The messages of a request, without the system prompt: who spoke, and what.
    pub(crate) fn sent(&self, request: usize) -> Vec<(String, String)> {
        let requests = self.fake.requests();
        let messages = requests[request].body["messages"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        messages
            .iter()
            .filter(|message| message["role"] != "system")
            .map(|message| (text(&message["role"]), text(&message["content"])))
            .collect()
    }
}

pub(crate) fn location(home: &Home) -> Location {
    Location::File(database(home))
}

pub(crate) fn database(home: &Home) -> PathBuf {
    home.path().join("candor.db")
}

pub(crate) fn new_session() -> NewSession {
    NewSession { origin: Origin::Cli, naming: Naming::Words("a session".to_owned()), instructions: None }
}

/// The fake, asked the way a real server is.
pub(crate) fn provider(fake: &FakeLlm) -> Arc<dyn Provider> {
    Arc::new(
        HttpProvider::new(Endpoint {
            name: "fake".to_owned(),
            dialect: Dialect::OpenaiChat,
            base_url: fake.base_url(),
            key: Some("any".to_owned()),
            timeouts: Timeouts::default(),
            proxy: None,
        })
        .unwrap(),
    )
}

pub(crate) fn scripted(script: &Value) -> Arc<dyn Provider> {
    let provider = ScriptedProvider::from_json("script".to_owned(), &script.to_string(), "script.json");
    Arc::new(provider.unwrap())
}

pub(crate) fn model(provider: Arc<dyn Provider>) -> Model {
    Model {
        provider,
        name: "fake-model".to_owned(),
        key_source: "a test".to_owned(),
        price: Price::Free,
        context_window: None,
    }
}

pub(crate) fn setup(home: &Home, provider: Arc<dyn Provider>) -> Setup {
    Setup {
        hooks: Arc::default(),
        skills: Arc::default(),
        workspace: home.workspace(),
        models: vec![model(provider)],
        policy: Policy { max_retries: 0, ..Policy::default() },
        limits: Limits { turns: 50, cost_usd: None, time: None },
        max_tokens: None,
        compaction: Compaction { enabled: true, reserve_tokens: 16_384, keep_tokens: 20_000 },
        profile: "fast".to_owned(),
        verifier: Arc::default(),
        verify: Verify::Waived,
        recovery: candor_agent::Recovery::Off,
        prompt: PromptFiles::default(),
        tools: Rules {
            env: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
            output_bytes_max: 100_000,
            ..Rules::default()
        },
        walls: Plan::default(),
        secrets: Vec::new().into(),
        titles: Titles::FirstWords,
        retention: Retention::default(),
        delegate: Bounds { depth: 2, children: 8, running: 4 },
        child_models: Vec::new(),
    }
}

/// A wait that must come to an end.
pub(crate) async fn within<T>(wait: impl Future<Output = T>) -> T {
    tokio::time::timeout(HUNG, wait).await.expect("it hangs")
}

/// Everything up to the end of a run, and how that was.
pub(crate) async fn end_of(watching: &mut Subscription, run: RunId) -> (Outcome, Vec<Event>) {
    let mut events = Vec::new();
    loop {
        let event = within(watching.next()).await.unwrap();
        events.push(event.clone());
        if let EventBody::RunEnd(outcome) = event.body
            && event.run_id == Some(run)
        {
            return (outcome, events);
        }
    }
}

/// Waits for an event of a kind.
pub(crate) async fn until(watching: &mut Subscription, wanted: fn(&EventBody) -> bool) -> Event {
    loop {
        let event = within(watching.next()).await.unwrap();
        if wanted(&event.body) {
            return event;
        }
    }
}

/// Waits, without keeping the runtime from its work, until an answer is held at the gate.
pub(crate) async fn reached(gate: &Gate) {
    let gate = gate.clone();
    tokio::task::spawn_blocking(move || gate.wait_reached()).await.unwrap();
}

/// An answer that is held after its first words.
pub(crate) fn held(text: &str) -> (Reply, Gate) {
    let gate = Gate::new();
    (Reply::text(text).gate(&gate), gate)
}

/// Those that are stored.
pub(crate) fn durable(events: &[Event]) -> Vec<Event> {
    events.iter().filter(|event| event.body.is_durable()).cloned().collect()
}

/// The kind of each event, as its JSON names it.
pub(crate) fn kinds(events: &[Event]) -> Vec<String> {
    let kind = |event: &Event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
    events.iter().map(kind).collect()
}

/// What a model said in complete messages.
pub(crate) fn answers(events: &[Event]) -> Vec<String> {
    let text = |event: &Event| match &event.body {
        EventBody::MessageComplete { content, .. } => Some(candor_protocol::plain_text(content)),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

pub(crate) fn is_run_start(body: &EventBody) -> bool {
    matches!(body, EventBody::RunStart { .. })
}

pub(crate) fn is_tool_start(body: &EventBody) -> bool {
    matches!(body, EventBody::ToolStart { .. })
}

pub(crate) fn is_delta(body: &EventBody) -> bool {
    matches!(body, EventBody::StreamDelta { .. })
}
