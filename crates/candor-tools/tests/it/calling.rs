//! A call always gets an answer.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Code, ToolSpec};
use candor_tools::{BoxFuture, Effect, Ready, Registry, Tool, ToolContext, ToolOutput, dispatch};
use serde_json::{Value, json};

use crate::rig::{Rig, call, check_failure, check_success};

/// A tool that goes wrong in a way of its own.
struct Odd(ToolSpec);

impl Tool for Odd {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        panic!("no effect")
    }

    fn run<'a>(&'a self, args: &'a Value, _context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        assert!(args["way"] != "at once", "it broke at once");
        Box::pin(async {
            tokio::task::yield_now().await;
            assert!(args["way"] != "later", "it broke {}", "later");
            std::future::pending().await
        })
    }
}

fn odd() -> Rig {
    let mut rig = Rig::new();
    let parameters = json!({ "type": "object", "properties": { "way": { "type": "string" } } });
    rig.registry = Registry::new(vec![Arc::new(Odd(ToolSpec {
        name: "odd".into(),
        description: "Odd.".into(),
        parameters: parameters.into(),
    }))]);
    rig
}

#[tokio::test]
async fn a_tool_that_panics_gives_a_result() {
    let rig = odd();
    for (way, message) in [("at once", "it broke at once"), ("later", "it broke later")] {
        let output = rig.call("odd", json!({ "way": way })).await;
        check_failure(&output, Code::InternalPanic);
        assert!(output.for_model.contains(message), "{output:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_given_up() {
    let mut rig = odd();
    rig.context.rules.timeout = Duration::from_secs(30);
    check_failure(&rig.call("odd", json!({})).await, Code::ToolTimeout);
    let cancel = rig.context.cancel.clone();
    let (output, ()) = tokio::join!(rig.call("odd", json!({})), async { cancel.cancel() });
    check_failure(&output, Code::ToolInterrupted);
}

#[tokio::test]
async fn a_call_that_was_cancelled_before_is_not_run() {
    let rig = Rig::new();
    rig.context.cancel.cancel();
    check_failure(&rig.write("file", "text").await, Code::ToolInterrupted);
    assert!(!rig.inside("file").exists());
}

#[tokio::test]
async fn an_unknown_tool_is_told_with_those_that_there_are() {
    let output = Rig::new().call("delete_everything", json!({})).await;
    check_failure(&output, Code::ToolUnknown);
    let cause = output.card.unwrap().cause;
    assert!(
        cause.starts_with("There is no tool called delete_everything. There are: shell_exec, file_read"),
        "{cause}"
    );
}

#[tokio::test]
async fn a_call_that_could_not_be_read_is_told_with_what_was_written() {
    let rig = Rig::new();
    let mut call = call("file_write", json!({}));
    call.malformed = Some(format!("{{\"path\": {}", "é".repeat(400)));
    let output = dispatch(&rig.registry, &call, &call.args, &rig.context).await;
    check_failure(&output, Code::ToolArguments);
    let cause = output.card.unwrap().cause;
    assert!(cause.contains(&format!("{{\"path\": {} …", "é".repeat(191))), "{cause}");
}

#[tokio::test]
async fn s6_2_arguments_that_do_not_fit_are_told() {
    let rig = Rig::new();
    let check = async |tool: &str, args: Value, reason: &str| {
        let output = rig.call(tool, args.clone()).await;
        check_failure(&output, Code::ToolArguments);
        let cause = output.card.unwrap().cause;
        assert!(cause.ends_with(&format!("Reason: {reason}")), "{args}: {cause}");
    };
    check("shell_exec", json!({}), "`command` is missing").await;
    check("shell_exec", json!([]), "the arguments are not a JSON object").await;
    check("shell_exec", json!({ "command": null }), "`command` is missing").await;
    check("shell_exec", json!({ "command": 1 }), "`command` is a number, not string").await;
    check("shell_exec", json!({ "command": " " }), "`command` is empty").await;
    check("shell_exec", json!({ "command": "a", "timeout": 0 }), "`timeout` is 0, less than 1").await;
    check("shell_exec", json!({ "command": "a", "timeout": 1.5 }), "`timeout` is a number, not integer")
        .await;
    check("file_read", json!({ "path": "a", "offset": -1 }), "`offset` is -1, less than 0").await;
    check("file_read", json!({ "path": "a", "limit": "9" }), "`limit` is a string, not integer").await;
    check("file_read", json!({ "path": "" }), "`path` is empty").await;
    check("file_read", json!({ "path": "a\0" }), "`path` holds a NUL byte").await;
    check("file_write", json!({ "path": "a\0b", "content": "" }), "`path` holds a NUL byte").await;
    check(
        "file_write",
        json!({ "content": true }),
        "`path` is missing; `content` is a truth value, not string",
    )
    .await;
}

#[tokio::test]
async fn what_does_no_harm_is_taken() {
    let rig = Rig::new();
    std::fs::write(rig.inside("file"), "one\ntwo\n").unwrap();
    let args = json!({ "path": "file", "offset": 2.0, "limit": null, "reason": "none of your business" });
    check_success(&rig.call("file_read", args).await, "two\n");
}

#[tokio::test]
async fn tools_answer_to_their_other_names() {
    let rig = Rig::new();
    let output = rig.call("write", json!({ "path": "file", "content": "text" })).await;
    check_success(&output, r#"{"written_bytes":4,"path":"file"}"#);
    check_success(&rig.call("read", json!({ "path": "file" })).await, "text");
    assert!(!rig.call("bash", json!({ "command": "true" })).await.is_error);
    assert!(rig.registry.find("Bash").is_none());
}

#[test]
fn the_tools_are_described_in_few_words() {
    let specs = Registry::built_in().specs();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let all =
        "shell_exec file_read file_write file_edit apply_patch search find list process todo ask_user sleep";
    assert_eq!(names.join(" "), all);
    for spec in &specs {
        let bytes = serde_json::to_string(spec).unwrap().len();
        assert!(bytes <= 500, "{}: {bytes}", spec.name);
        assert!(spec.description.lines().next().unwrap().ends_with('.'), "{}", spec.description);
    }
    // Every request pays for them.
    assert!(serde_json::to_string(&specs).unwrap().len() < 5000);
}

#[tokio::test]
async fn two_hundred_calls_are_answered() {
    let rig = Rig::new();
    for number in 0..50 {
        let name = format!("folder/{number}");
        assert!(!rig.write(&name, &number.to_string()).await.is_error);
        check_success(&rig.read(&name).await, &number.to_string());
        check_failure(&rig.read(Path::new("none").join(&name)).await, Code::FileNotFound);
        assert!(!rig.shell("true").await.is_error);
    }
    rig.check_outside();
}

const MAKE: &str = "echo done > done.txt";

/// What may have run must be known after a crash: until the answer that asks for it is stored, nothing is done, however long that takes.
#[tokio::test(start_paused = true)]
async fn nothing_is_done_before_it_may_be() {
    for (tool, args) in [
        ("shell_exec", json!({ "command": MAKE })),
        ("file_write", json!({ "path": "done.txt", "content": "done" })),
    ] {
        let mut rig = Rig::new();
        let (starter, ready) = Ready::pending();
        rig.context.ready = ready;
        let call = rig.call(tool, args.clone());
        tokio::pin!(call);
        // It comes as far as it may, and waits there.
        let early = tokio::time::timeout(Duration::from_hours(24), &mut call).await;
        assert!(early.is_err() && !rig.inside("done.txt").exists(), "{tool}: {early:?}");
        tokio::time::resume();
        starter.start();
        let output = call.await;
        assert!(!output.is_error && rig.inside("done.txt").exists(), "{tool}: {output:?}");
        tokio::time::pause();
    }
}

/// It never may, or it was stopped before it might.
#[tokio::test]
async fn nothing_is_done_that_may_not_be() {
    for (tool, args) in [
        ("shell_exec", json!({ "command": MAKE })),
        ("process", json!({ "action": "start", "command": MAKE })),
        ("file_write", json!({ "path": "done.txt", "content": "done" })),
    ] {
        for is_stopped in [false, true] {
            let mut rig = Rig::new();
            let (starter, ready) = Ready::pending();
            rig.context.ready = ready;
            let (output, ()) = tokio::join!(rig.call(tool, args.clone()), async {
                if is_stopped {
                    rig.context.cancel.cancel();
                    starter.start();
                }
            });
            check_failure(&output, Code::ToolInterrupted);
            assert!(!rig.inside("done.txt").exists(), "{tool}");
        }
    }
}
