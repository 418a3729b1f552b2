//! How long a compaction takes beside the model: all that is looked at and written when the model writes no summary.
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]

use std::sync::Arc;

use candor_agent::{
    BoxFuture, Compaction, Conversation, Limits, Mask, Model, Price, RunDeps, RunInput, Sink, Task, Verifier,
    Verify,
};
use candor_llm::ScriptedProvider;
use candor_llm::retry::Policy;
use candor_protocol::{EventBody, Failure, Message, Outcome, Part, Role, SessionId, ToolCall, ToolResult};
use candor_tools::{Registry, Rules, ToolContext};
use divan::Bencher;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// What the figure is about.
const MESSAGES: usize = 10_000;
/// A result as most are.
const RESULT_BYTES: usize = 1_000;

fn main() {
    divan::main();
}

/// The whole run: what the model would read is written, it does not answer, and the rules write the summary.
#[divan::bench(args = [MESSAGES / 4, MESSAGES])]
fn compaction(bencher: Bencher<'_, '_>, messages: usize) {
    // This is no summary.
    let provider =
        ScriptedProvider::from_json("bench".to_owned(), r#"{"replies": [{"text": "No."}]}"#, "bench")
            .expect("parses");
    let models = [Model {
        provider: Arc::new(provider),
        name: "bench".to_owned(),
        key_source: String::new(),
        price: Price::Free,
        context_window: None,
    }];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("starts");
    let home = candor_testkit::Home::new();
    let (policy, tools) = (Policy { max_retries: 0, ..Policy::default() }, Registry::built_in());
    let conversation = conversation(messages);
    let verifier = Verifier::default();
    bencher
        .with_inputs(|| (conversation.clone(), deps(&models, &policy, &tools, &verifier, &home)))
        .bench_local_values(|(conversation, deps)| {
            (compacted(&runtime, conversation, &deps), deps.context.session)
        });
}

fn compacted(runtime: &Runtime, conversation: Conversation, deps: &RunDeps<'_>) -> Outcome {
    let limits = Limits { turns: 1, cost_usd: None, time: None };
    let input = RunInput { conversation, task: Task::Compact, limits };
    runtime.block_on(candor_agent::run(input, deps, &Nobody))
}

/// Questions, each with a file that is read and an answer.
fn conversation(messages: usize) -> Conversation {
    let turn = |at: usize| {
        let (call_id, tool_name) = (format!("call_{at}"), "file_read".to_owned());
        let args = json!({ "path": format!("src/module_{}.rs", at % 500) });
        let call = ToolCall {
            call_id: call_id.clone(),
            tool_name: tool_name.clone(),
            args,
            malformed: None,
            opaque: None,
        };
        let content = "let line = source.next(); ".repeat(RESULT_BYTES / 26);
        let result = ToolResult {
            call_id,
            tool_name,
            content,
            is_error: at.is_multiple_of(7),
            card: None,
            images: Vec::new(),
        };
        [
            Message::text(Role::User, format!("Now look at module {at} and tell me what it does.")),
            Message::new(Role::Assistant, vec![Part::ToolCall(call)]),
            Message::new(Role::Tool, vec![Part::ToolResult(result)]),
            Message::text(Role::Assistant, format!("Module {at} reads lines until there are none left.")),
        ]
    };
    (0..messages / 4).flat_map(turn).collect::<Vec<_>>().into()
}

fn deps<'a>(
    models: &'a [Model],
    policy: &'a Policy,
    tools: &'a Registry,
    verifier: &'a Verifier,
    home: &candor_testkit::Home,
) -> RunDeps<'a> {
    RunDeps {
        models,
        policy,
        tools,
        context: ToolContext::alone(SessionId::now(), home.workspace(), Rules::default()),
        mask: &Nobody,
        prompt: &|_| None,
        max_tokens: None,
        compaction: Compaction { enabled: true, reserve_tokens: 16_384, keep_tokens: 20_000 },
        verifier,
        verify: Verify::Waived,
        recovery: candor_agent::Recovery::Off,
        children: None,
    }
}

/// Hears nothing and hides nothing.
struct Nobody;

impl Sink for Nobody {
    fn emit(&self, body: EventBody) {
        drop(divan::black_box(body));
    }

    fn settled(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn under_way(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn steering(&self) -> Vec<Vec<Part>> {
        Vec::new()
    }
}

impl Mask for Nobody {
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
