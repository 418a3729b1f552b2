//! One provider, one fake server, and what is true whenever one is asked through the other.

use std::fmt::Debug;
use std::time::Duration;

use candor_llm::retry::{self, Notice, Policy};
use candor_llm::{Answer, Delta, Dialect, Endpoint, Error, HttpProvider, Request, Timeouts};
use candor_protocol::{Message, Part, Role, StopReason, ToolCall, ToolResult, ToolSpec, plain_text};
use candor_testkit::{FakeLlm, Fault, Reply};
use serde_json::json;

/// The key of the tests; it must never be seen.
pub(crate) const KEY: &str = "sk-fault-table-secret-key";

/// What the fake says in the end.
pub(super) const FINE: &str = "All is well.";

/// Words that fill several deltas.
pub(super) const WORDS: &str = "It was a dark and stormy night; the rain fell in torrents.";

/// Longer than anything here takes on a busy machine; what takes longer hangs.
const HANG_LIMIT: Duration = Duration::from_secs(30);

/// A provider and its fake server.
pub(crate) struct Rig {
    pub(crate) dialect: Dialect,
    pub(crate) fake: FakeLlm,
    provider: HttpProvider,
    /// The dialect and the case, for the messages of assertions.
    pub(crate) name: String,
}

/// A wait between two attempts.
#[derive(Debug)]
pub(crate) struct Wait {
    pub(crate) delay: Duration,
    pub(crate) error: Error,
    /// What was told before is void.
    pub(crate) discard: bool,
}

/// What came of asking.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) answer: Result<Answer, Error>,
    pub(crate) waits: Vec<Wait>,
    /// How many requests it took.
    pub(crate) requests: usize,
}

/// Runs a case in every dialect.
pub(crate) async fn in_all(case: &str, run: impl AsyncFn(Rig)) {
    for dialect in Dialect::ALL {
        run(Rig::new(dialect, case)).await;
    }
}

/// Runs a case in every dialect in which the fault has a meaning. There is at least one.
pub(crate) async fn where_it_applies(fault: &Fault, run: impl AsyncFn(Rig)) {
    let meant: Vec<_> =
        Dialect::ALL.into_iter().filter(|dialect| fault.applies(fake_dialect(*dialect))).collect();
    assert!(!meant.is_empty(), "{fault:?} has no meaning anywhere");
    for dialect in meant {
        run(Rig::new(dialect, &format!("{:.60}", format!("{fault:?}")))).await;
    }
}

/// The fake's word for a dialect.
fn fake_dialect(dialect: Dialect) -> candor_testkit::Dialect {
    let all = candor_testkit::Dialect::ALL.iter().copied();
    all.into_iter().find(|known| known.name() == dialect.name()).unwrap()
}

impl Rig {
    pub(crate) fn new(dialect: Dialect, case: &str) -> Self {
        Self::with_timeouts(dialect, case, Timeouts::default())
    }

    /// The provider asks somewhere else than at the fake.
    pub(super) fn at(dialect: Dialect, case: &str, base_url: &str) -> Self {
        let provider = HttpProvider::new(endpoint(dialect, base_url)).unwrap();
        Self { provider, ..Self::new(dialect, case) }
    }

    pub(crate) fn with_timeouts(dialect: Dialect, case: &str, timeouts: Timeouts) -> Self {
        let fake = FakeLlm::start(fake_dialect(dialect));
        let endpoint = Endpoint { timeouts, ..endpoint(dialect, &fake.base_url()) };
        let provider = HttpProvider::new(endpoint).unwrap();
        Self { dialect, fake, provider, name: format!("{dialect}, {case}") }
    }

    /// Asks a short question.
    pub(crate) async fn ask(&self) -> Asked {
        self.ask_with(&request(vec![Message::text(Role::User, "hi")])).await
    }

    /// Asks, and checks what holds for every answer: it comes in time, what was told is what is answered, and the key is
    /// in no error.
    pub(crate) async fn ask_with(&self, request: &Request) -> Asked {
        let before = self.fake.requests().len();
        let (mut waits, mut told) = (Vec::new(), String::new());
        let mut notice = |notice: Notice<'_>| match notice {
            Notice::Delta(Delta::Text(text)) => told.push_str(text),
            Notice::Delta(Delta::Reasoning(_)) => {}
            Notice::Waiting { delay, error, discard, .. } => {
                assert!(discard || told.is_empty(), "{}: {told:?} is not void", self.name);
                told.clear();
                waits.push(Wait { delay, error: error.clone(), discard });
            }
        };
        let policy = policy();
        let asking = retry::ask(&self.provider, request, &policy, &mut notice);
        let answer = tokio::time::timeout(HANG_LIMIT, asking).await;
        let answer = answer.unwrap_or_else(|_| panic!("{}: no end within {HANG_LIMIT:?}", self.name));
        for error in waits.iter().map(|wait| &wait.error).chain(answer.as_ref().err()) {
            keyless(&self.name, error);
        }
        if let Ok(answer) = &answer {
            assert!(told == plain_text(&answer.parts), "{}: told is not what is answered", self.name);
        }
        let requests = self.fake.requests().len() - before;
        Asked { name: self.name.clone(), answer, waits, requests }
    }

    /// The first wait that asking leads to, without waiting for its end.
    pub(crate) async fn first_wait(&self) -> Duration {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let request = request(vec![Message::text(Role::User, "hi")]);
        let policy = policy();
        let mut notice = |notice: Notice<'_>| {
            if let Notice::Waiting { delay, .. } = notice {
                tell.send(delay).unwrap();
            }
        };
        tokio::select! {
            answer = retry::ask(&self.provider, &request, &policy, &mut notice) => {
                panic!("{}: no wait but {answer:?}", self.name)
            }
            delay = told.recv() => delay.unwrap(),
            () = tokio::time::sleep(HANG_LIMIT) => panic!("{}: no end within {HANG_LIMIT:?}", self.name),
        }
    }

    /// Goes on after an answer: every call gets a result, the user speaks, and the strict server takes it all.
    pub(crate) async fn goes_on(&self, answer: &Answer) {
        let said = Message::new(Role::Assistant, answer.parts.clone());
        let results: Vec<Part> = said.calls().map(result_of).collect();
        let mut messages = vec![Message::text(Role::User, "hi"), said];
        if !results.is_empty() {
            messages.push(Message::new(Role::Tool, results));
        }
        messages.push(Message::text(Role::User, "go on"));
        self.takes(messages).await;
    }

    /// The strict server takes this conversation.
    pub(crate) async fn takes(&self, messages: Vec<Message>) {
        self.fake.push(Reply::text(FINE));
        let asked = self.ask_with(&request(messages)).await;
        let last = self.fake.requests().pop().unwrap();
        assert_eq!(last.refused, None, "{}", self.name);
        asked.recovered(FINE, 0);
    }

    /// Asks where the fake goes wrong once and then answers; the answer comes after one retry, and the session goes on.
    pub(super) async fn survives(&self, reply: Reply) -> Asked {
        self.fake.push(reply).push(Reply::text(FINE));
        let asked = self.ask().await;
        self.goes_on(asked.recovered(FINE, 1)).await;
        asked
    }
}

impl Asked {
    /// The answer, after so many retries, with these words.
    #[track_caller]
    pub(crate) fn recovered(&self, words: &str, retries: usize) -> &Answer {
        let answer = self.answered(retries);
        let said = plain_text(&answer.parts);
        assert!(said == words, "{}: {said:.200?} instead of {words:.200?}", self.name);
        answer
    }

    /// The answer, after so many retries.
    #[track_caller]
    pub(crate) fn answered(&self, retries: usize) -> &Answer {
        let Ok(answer) = &self.answer else { panic!("{}: {:?}", self.name, self.answer) };
        assert_eq!((self.waits.len(), self.requests), (retries, retries + 1), "{}: {self:?}", self.name);
        answer
    }

    /// The error, after so many retries.
    #[track_caller]
    pub(crate) fn failed(&self, retries: usize) -> &Error {
        let Err(error) = &self.answer else { panic!("{}: an answer, {:.200?}", self.name, self.answer) };
        assert_eq!((self.waits.len(), self.requests), (retries, retries + 1), "{}: {self:?}", self.name);
        error
    }

    /// The error of this kind, at once.
    #[track_caller]
    pub(crate) fn failed_at_once(&self, kind: &str) -> &Error {
        let error = self.failed(0);
        self.is_kind(error, kind);
        error
    }

    /// The one wait, after an error of this kind.
    #[track_caller]
    pub(crate) fn waited_after(&self, kind: &str) -> &Wait {
        let [wait] = &*self.waits else { panic!("{}: {:?}", self.name, self.waits) };
        self.is_kind(&wait.error, kind);
        wait
    }

    /// The one wait came after an error of this kind, when words had been told already.
    #[track_caller]
    pub(super) fn discarded_after(&self, kind: &str) {
        let wait = self.waited_after(kind);
        assert!(wait.discard, "{}: what was told stays", self.name);
    }

    #[track_caller]
    fn is_kind(&self, error: &Error, kind: &str) {
        assert_eq!(kind_of(error), kind, "{}: {error:?}", self.name);
    }
}

/// The name of the variant.
pub(super) fn kind_of(error: &Error) -> String {
    let debug = format!("{error:?}");
    debug.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// The key is in nothing that people or logs see of an error.
#[track_caller]
pub(crate) fn keyless(name: &str, error: &Error) {
    let facts = error.failure("fake", "FAKE_KEY").facts;
    let seen = format!("{error} {error:?} {facts:?}");
    assert!(!seen.contains(KEY), "{name}: {}", seen.replace(KEY, "[THE KEY]"));
}

/// Waits are real, so they are short.
fn policy() -> Policy {
    Policy { base_delay: OWN_DELAY_MAX, max_delay: OWN_DELAY_MAX, ..Policy::default() }
}

/// The longest wait of our own choice.
pub(super) const OWN_DELAY_MAX: Duration = Duration::from_millis(1);

/// How often the policy tries again.
pub(super) const RETRIES: usize = 3;

pub(crate) fn endpoint(dialect: Dialect, base_url: &str) -> Endpoint {
    Endpoint {
        name: "fake".to_owned(),
        dialect,
        base_url: base_url.to_owned(),
        key: Some(KEY.to_owned()),
        timeouts: Timeouts::default(),
        proxy: None,
    }
}

pub(crate) fn request(messages: Vec<Message>) -> Request {
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let tool = ToolSpec {
        name: "read".to_owned(),
        description: "Reads a file.".to_owned(),
        parameters: parameters.into(),
    };
    Request {
        model: "fake-model".to_owned(),
        messages,
        tools: vec![tool],
        max_tokens: None,
        context_tokens: None,
        cache_key: None,
    }
}

pub(super) fn call(id: &str, args: serde_json::Value) -> Part {
    Part::ToolCall(ToolCall {
        call_id: id.to_owned(),
        tool_name: "read".to_owned(),
        args,
        malformed: None,
        opaque: None,
    })
}

pub(super) fn result(id: &str, content: &str) -> Part {
    Part::ToolResult(ToolResult {
        call_id: id.to_owned(),
        tool_name: "read".to_owned(),
        content: content.to_owned(),
        is_error: false,
        card: None,
        images: Vec::new(),
    })
}

fn result_of(call: &ToolCall) -> Part {
    Part::ToolResult(ToolResult {
        call_id: call.call_id.clone(),
        tool_name: call.tool_name.clone(),
        content: "done".to_owned(),
        is_error: false,
        card: None,
        images: Vec::new(),
    })
}

/// The calls of an answer.
pub(crate) fn calls<'a>(answer: &'a Answer) -> Vec<&'a ToolCall> {
    let call = |part: &'a Part| match part {
        Part::ToolCall(call) => Some(call),
        _ => None,
    };
    answer.parts.iter().filter_map(call).collect()
}

/// Why it ended.
#[track_caller]
pub(super) fn check_stop(name: &str, answer: &Answer, expect: StopReason) {
    assert_eq!(answer.stop, expect, "{name}: {answer:?}");
}

/// A stream of events with a hand-made body.
pub(crate) fn stream(body: impl AsRef<str>) -> Reply {
    Reply::status(200).body("text/event-stream", body.as_ref())
}

/// Values that a message of an assertion shows in part.
pub(super) fn short(value: &impl Debug) -> String {
    format!("{value:.300?}")
}
