//! What is typed into a process that runs.

use candor_protocol::Code;
use candor_tools::{Approval, ToolOutput};
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure};

/// A process with this command, as number 1.
async fn started(command: &str, pty: bool) -> Rig {
    let rig = Rig::new();
    let output = rig.call("process", json!({ "action": "start", "command": command, "pty": pty })).await;
    assert!(!output.is_error, "{output:?}");
    rig
}

async fn typed(rig: &Rig, text: &str) -> ToolOutput {
    rig.call("process", json!({ "action": "input", "id": 1, "text": text })).await
}

#[track_caller]
fn check_blocked(output: &ToolOutput) {
    assert_eq!(output.card.as_ref().map(|card| card.code.as_str()), Some("TOOL_BLOCKED"), "{output:?}");
}

fn said(output: &ToolOutput) -> Value {
    serde_json::from_str(&output.for_model).unwrap()
}

#[tokio::test]
async fn a_text_is_no_script_where_no_shell_reads_it() {
    let rig = started("cat", false).await;
    for text in ["it's fine\n", "x = (1\n", "if x:\n", "shutdown now\n", "rm -rf /\n"] {
        let output = typed(&rig, text).await;
        assert!(!output.is_error, "{text:?}: {output:?}");
        assert_eq!(said(&output)["output"], text);
    }
}

#[tokio::test]
async fn any_key_can_be_pressed_at_a_terminal_where_no_shell_reads() {
    let rig = started("while :; do cat; done", true).await;
    for text in ["\r", "\x1b[A", "\x04", "\x03"] {
        let output = typed(&rig, text).await;
        assert!(!output.is_error, "{text:?}: {output:?}");
    }
}

#[tokio::test]
async fn a_text_is_judged_where_a_shell_reads_it_and_a_key_is_not() {
    for (command, pty) in [("bash", true), ("sh", false), ("bash -c 'exec sh'", false)] {
        let rig = started(command, pty).await;
        check_blocked(&typed(&rig, "shutdown now\n").await);
        check_blocked(&typed(&rig, "\x03shutdown now\r").await);
        check_blocked(&typed(&rig, "true\rshutdown now\r").await);
        for text in ["\r", "echo one\r", "\x03", "\x04"] {
            let output = typed(&rig, text).await;
            let is_over =
                output.card.as_ref().is_some_and(|card| card.cause.contains("does not read any more"));
            assert!(!output.is_error || is_over, "{command} {text:?}: {output:?}");
        }
    }
}

#[tokio::test]
async fn nobody_is_asked_about_a_process_that_is_not_there() {
    let mut rig = Rig::new();
    rig.context.rules.approval = Approval::Always;
    for text in ["shutdown now\n", "it's fine\n"] {
        let output = typed(&rig, text).await;
        check_failure(&output, Code::ToolArguments);
        assert!(output.for_model.contains("there is no process 1"), "{output:?}");
    }
}

#[tokio::test]
async fn the_end_of_the_input_can_be_sent_to_a_pipe_and_to_a_terminal() {
    for (pty, text) in [(false, "a\nb"), (true, "a\nb\n"), (true, "a\nb")] {
        let rig = started("wc -w; echo over", pty).await;
        let output =
            rig.call("process", json!({ "action": "input", "id": 1, "text": text, "eof": true })).await;
        assert!(!output.is_error, "{output:?}");
        let output = rig.call("process", json!({ "action": "logs", "id": 1 })).await;
        assert_eq!(said(&output)["state"], "exit 0", "{output:?}");
        assert!(said(&output)["output"].as_str().unwrap().contains('2'), "{output:?}");
    }
    let rig = started("cat", false).await;
    let output = rig.call("process", json!({ "action": "input", "id": 1 })).await;
    assert!(output.for_model.contains("`text` is missing"), "{output:?}");
}

/// What a process with this command has said when it has ended.
async fn logs_of(command: &str, after: Option<u64>) -> ToolOutput {
    let rig = started(command, false).await;
    loop {
        let output = rig.call("process", json!({ "action": "logs", "id": 1, "after": after })).await;
        if said(&output)["state"] != "running" {
            return output;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_is_not_kept_of_a_long_output_is_told() {
    let output = said(&logs_of("seq 1 100000", Some(1000)).await);
    let text = output["output"].as_str().unwrap();
    let (note, rest) = text.split_once('\n').unwrap();
    assert_eq!(
        note,
        "[output truncated: 582895 bytes left out; to keep all, start it with its output in a file]"
    );
    assert_eq!((rest.len(), rest.ends_with("\n100000\n"), &output["next"]), (5000, true, &json!(588_895)));
    // The beginning is kept, and shown to whoever asks for it.
    let whole = said(&logs_of("seq 1 100000", Some(0)).await);
    assert_eq!(whole["output"], said(&logs_of("seq 1 100000", None).await)["output"]);
    assert!(whole["output"].as_str().unwrap().starts_with("1\n2\n"), "{whole}");
    // Where nothing is missing, nothing is said about it.
    assert_eq!(said(&logs_of("seq 1 5", Some(4)).await)["output"], "3\n4\n5\n");
    assert_eq!(said(&logs_of("seq 1 100000", Some(588_888)).await)["output"], "100000\n");
}

#[tokio::test]
async fn what_a_process_says_takes_no_more_than_the_output_may() {
    for bytes in
        ["head -c 9000 /dev/zero", "head -c 9000 /dev/zero | tr '\\0' '\\377'", "yes '\"' | head -4500"]
    {
        for after in [None, Some(1)] {
            let output = logs_of(bytes, after).await;
            let length = output.for_model.len();
            assert!((9000..=10_000).contains(&length), "{bytes}: {length}");
            let text = said(&output)["output"].as_str().unwrap().to_owned();
            assert!(text.contains("[output truncated: at least "), "{bytes}: {text}");
        }
    }
}
