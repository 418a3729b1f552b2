//! One run at a time, with a model that says what a test tells it to say, and what the run told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_agent::{
    BoxFuture, Compaction, Conversation, Limits, Mask, Model, Price, RunDeps, RunInput, Sink, Summary, Task,
    Verify,
};
use candor_llm::retry::Policy;
use candor_llm::{Dialect, Endpoint, HttpProvider, Timeouts};
use candor_protocol::{
    Event, EventBody, Failure, Message, Moment, Outcome, Part, RunId, SessionId, SummarisedBy,
};
use candor_testkit::{FakeLlm, Home};
use candor_tools::{Permission, Registry, Rules, ToolContext};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A run that takes longer has hung.
const HUNG: Duration = Duration::from_secs(30);

pub(crate) struct Rig {
    pub(crate) fake: FakeLlm,
    pub(crate) models: Vec<Model>,
    pub(crate) compaction: Compaction,
    pub(crate) limits: Limits,
    pub(crate) cancel: CancellationToken,
    home: Home,
    told: Told,
}

/// What a compaction told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) removed: u64,
    pub(crate) tokens_before: u64,
    pub(crate) summary: Summary,
    pub(crate) by: SummarisedBy,
}

#[derive(Default)]
struct Told(Mutex<Vec<EventBody>>);

impl Sink for Told {
    fn emit(&self, body: EventBody) {
        self.0.lock().unwrap().push(body);
    }

    fn settled(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn steering(&self) -> Vec<Vec<Part>> {
        Vec::new()
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
    let endpoint = Endpoint {
        name: "fake".to_owned(),
        dialect: Dialect::OpenaiChat,
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
        let fake = FakeLlm::start(candor_testkit::Dialect::OpenaiChat);
        Self {
            models: vec![model(&fake, Some(context_window))],
            fake,
            compaction: Compaction { enabled: true, reserve_tokens: 0, keep_tokens },
            limits: Limits { turns: 50, cost_usd: None, time: None },
            cancel: CancellationToken::new(),
            home: Home::new(),
            told: Told::default(),
        }
    }

    pub(crate) async fn compact(&self, conversation: impl Into<Conversation>) -> Outcome {
        self.run(Task::Compact, conversation.into()).await
    }

    pub(crate) async fn answer(&self, conversation: impl Into<Conversation>) -> Outcome {
        self.run(Task::Answer, conversation.into()).await
    }

    async fn run(&self, task: Task, conversation: Conversation) -> Outcome {
        let tools = Registry::built_in();
        let deps = RunDeps {
            models: &self.models,
            policy: &Policy { max_retries: 0, ..Policy::default() },
            tools: &tools,
            context: self.context(),
            mask: &NoSecrets,
            prompt: &|_| None,
            max_tokens: None,
            compaction: self.compaction,
            profile: "fast",
            verify: Verify::Waived,
        };
        let input = RunInput { conversation, task, limits: self.limits };
        let run = candor_agent::run(input, &deps, &self.told);
        tokio::time::timeout(HUNG, run).await.expect("the run hangs")
    }

    fn context(&self) -> ToolContext {
        ToolContext {
            session: SessionId::now(),
            workspace: self.home.workspace(),
            rules: Rules {
                permission: Permission::Workspace,
                env: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
                timeout: Duration::from_secs(120),
                output_bytes_max: 1_000_000,
                hidden: Vec::new(),
                allowed: Vec::new(),
                spill: None,
            },
            cancel: self.cancel.clone(),
        }
    }

    /// What was told, as the runtime would store it.
    pub(crate) fn events(&self) -> Vec<Event> {
        let (session_id, run_id) = (SessionId::now(), Some(RunId::now()));
        let event = |(at, body): (usize, &EventBody)| Event {
            seq: at as u64 + 1,
            session_id,
            run_id,
            at: Moment::now(),
            body: body.clone(),
        };
        self.told.0.lock().unwrap().iter().enumerate().map(event).collect()
    }

    /// The conversation after the run.
    pub(crate) fn after(&self, messages: Vec<Message>) -> Conversation {
        let mut conversation = Conversation::from(messages);
        self.events().iter().for_each(|event| conversation.event(event));
        conversation
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
