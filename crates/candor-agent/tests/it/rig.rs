//! One run at a time, with a model that says what a test tells it to say, and what the run told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_agent::{
    BoxFuture, Compaction, Conversation, Limits, Mask, Model, Price, Recovery, RunDeps, RunInput, Sink,
    Summary, Task, Verifier, Verify,
};
use candor_llm::retry::Policy;
use candor_llm::{Endpoint, HttpProvider, Timeouts};
use candor_protocol::{
    Event, EventBody, Failure, Message, Moment, Origin, Outcome, Part, RunId, SessionId, SummarisedBy,
};
use candor_testkit::{Dialect, FakeLlm, Home};
use candor_tools::{Registry, Rules, ToolContext};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A run that takes longer has hung.
const HUNG: Duration = Duration::from_secs(30);

pub(crate) struct Rig {
    pub(crate) fake: FakeLlm,
    pub(crate) models: Vec<Model>,
    pub(crate) compaction: Compaction,
    pub(crate) limits: Limits,
    pub(crate) policy: Policy,
    pub(crate) cancel: CancellationToken,
    pub(crate) tools: Registry,
    pub(crate) mask: Box<dyn Mask>,
    home: Home,
    pub(crate) told: Arc<Told>,
}

/// What a compaction told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) removed: u64,
    pub(crate) tokens_before: u64,
    pub(crate) summary: Summary,
    pub(crate) by: SummarisedBy,
}

/// What one run told, and what it was told meanwhile.
pub(crate) struct Told {
    session: SessionId,
    run: RunId,
    bodies: Mutex<Vec<EventBody>>,
    steering: Mutex<Vec<Vec<Part>>>,
}

impl Told {
    fn new() -> Self {
        let (bodies, steering) = (Mutex::default(), Mutex::default());
        Self { session: SessionId::now(), run: RunId::now(), bodies, steering }
    }

    /// Says something to the run, as the runtime would pass it on.
    pub(crate) fn steer(&self, text: &str) {
        let content = vec![Part::text(text)];
        self.steering.lock().unwrap().push(content.clone());
        self.emit(EventBody::MessageAccepted { origin: Origin::Cli, content });
    }

    /// An event of the run.
    pub(crate) fn event(&self, body: EventBody) -> Event {
        Event { seq: 1, session_id: self.session, run_id: Some(self.run), at: Moment::now(), body }
    }

    /// The conversation with what was told so far.
    pub(crate) fn after(&self, mut conversation: Conversation) -> Conversation {
        for body in &*self.bodies.lock().unwrap() {
            conversation.event(&self.event(body.clone()));
        }
        conversation
    }
}

impl Sink for Told {
    fn emit(&self, body: EventBody) {
        self.bodies.lock().unwrap().push(body);
    }

    fn settled(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn under_way(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn steering(&self) -> Vec<Vec<Part>> {
        std::mem::take(&mut self.steering.lock().unwrap())
    }
}

struct NoSecrets;

impl Mask for NoSecrets {
    fn hide(&self, text: &str) -> String {
        text.to_owned()
    }

    fn conceal(&self, text: &str) -> String {
        text.to_owned()
    }

    fn reveal(&self, args: &Value) -> Result<Value, Failure> {
        Ok(args.clone())
    }
}

pub(crate) fn model(fake: &FakeLlm, context_window: Option<u64>) -> Model {
    let is_spoken = |dialect: &candor_llm::Dialect| dialect.name() == fake.dialect().name();
    let endpoint = Endpoint {
        name: "fake".to_owned(),
        dialect: candor_llm::Dialect::ALL.into_iter().find(is_spoken).unwrap(),
        base_url: fake.base_url(),
        key: Some("any".to_owned()),
        timeouts: Timeouts::default(),
        proxy: None,
    };
    Model {
        provider: Arc::new(HttpProvider::new(endpoint).unwrap()),
        name: "fake-model".to_owned(),
        key_source: "a test".to_owned(),
        price: Price::Free,
        context_window,
    }
}

impl Rig {
    /// A model with a window of so many tokens, of which the newest few are kept.
    pub(crate) fn new(context_window: u64, keep_tokens: u64) -> Self {
        Self::speaking(Dialect::OpenaiChat, context_window, keep_tokens)
    }

    /// The same in another dialect.
    pub(crate) fn speaking(dialect: Dialect, context_window: u64, keep_tokens: u64) -> Self {
        let fake = FakeLlm::start(dialect);
        Self {
            models: vec![model(&fake, Some(context_window))],
            fake,
            compaction: Compaction { enabled: true, reserve_tokens: 0, keep_tokens },
            limits: Limits { turns: 50, cost_usd: None, time: None },
            policy: Policy { max_retries: 0, ..Policy::default() },
            cancel: CancellationToken::new(),
            tools: Registry::built_in(),
            mask: Box::new(NoSecrets),
            home: Home::new(),
            told: Arc::new(Told::new()),
        }
    }

    pub(crate) async fn compact(&self, conversation: impl Into<Conversation>) -> Outcome {
        self.run(Task::Compact, conversation.into()).await
    }

    pub(crate) async fn answer(&self, conversation: impl Into<Conversation>) -> Outcome {
        self.run(Task::Answer, conversation.into()).await
    }

    async fn run(&self, task: Task, conversation: Conversation) -> Outcome {
        let deps = RunDeps {
            models: &self.models,
            policy: &self.policy,
            tools: &self.tools,
            context: self.context(),
            mask: &*self.mask,
            prompt: &|_| None,
            max_tokens: None,
            compaction: self.compaction,
            verifier: &Verifier::default(),
            verify: Verify::Waived,
            recovery: Recovery::Off,
            children: None,
        };
        let input = RunInput { conversation, task, limits: self.limits };
        let run = candor_agent::run(input, &deps, &*self.told);
        tokio::time::timeout(HUNG, run).await.expect("the run hangs")
    }

    fn context(&self) -> ToolContext {
        let rules = Rules {
            env: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
            output_bytes_max: 1_000_000,
            ..Rules::default()
        };
        let context = ToolContext::alone(SessionId::now(), self.home.workspace(), rules);
        ToolContext { cancel: self.cancel.clone(), ..context }
    }

    /// What was told, as the runtime would store it.
    pub(crate) fn events(&self) -> Vec<Event> {
        let event =
            |(at, body): (usize, &EventBody)| Event { seq: at as u64 + 1, ..self.told.event(body.clone()) };
        self.told.bodies.lock().unwrap().iter().enumerate().map(event).collect()
    }

    /// The conversation after the run.
    pub(crate) fn after(&self, messages: Vec<Message>) -> Conversation {
        self.told.after(Conversation::from(messages))
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        let record = |event: Event| match event.body {
            EventBody::Compacted {
                removed_messages: removed,
                summary: text,
                tokens_before,
                read_files,
                modified_files,
                by,
                ..
            } => {
                let summary = Summary { text, read_files, modified_files };
                Some(Record { removed, tokens_before, summary, by })
            }
            _ => None,
        };
        self.events().into_iter().filter_map(record).collect()
    }

    /// The only compaction.
    #[track_caller]
    pub(crate) fn record(&self) -> Record {
        let mut records = self.records();
        assert_eq!(records.len(), 1, "{records:#?}");
        records.remove(0)
    }

    pub(crate) fn statuses(&self) -> Vec<String> {
        let status = |event: Event| match event.body {
            EventBody::Status { message, .. } => Some(message),
            _ => None,
        };
        self.events().into_iter().filter_map(status).collect()
    }

    /// The last message of a request, which is all that a summariser is sent.
    pub(crate) fn asked(&self, request: usize) -> String {
        self.fake.requests()[request].user_texts().concat()
    }

    /// Every request was one that a strict server takes.
    #[track_caller]
    pub(crate) fn check_sound(&self) {
        let refused: Vec<_> = self.fake.requests().into_iter().filter_map(|seen| seen.refused).collect();
        assert!(refused.is_empty(), "{refused:?}");
    }
}
