//! Conversations that something happened to: the strict server must take what is made of them.

use candor_llm::Dialect;
use candor_protocol::{Message, Part, Role, StopReason};
use candor_testkit::Reply;
use serde_json::json;

use super::rig::{FINE, Rig, call, check_stop, in_all, request, result};

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn assistant(parts: Vec<Part>) -> Message {
    Message::new(Role::Assistant, parts)
}

fn tool(parts: Vec<Part>) -> Message {
    Message::new(Role::Tool, parts)
}

fn read(id: &str) -> Part {
    call(id, json!({ "path": "a" }))
}

#[tokio::test]
async fn f17_duplicate_ids_are_told_apart() {
    let histories = [
        (
            "in one message",
            vec![
                user("hi"),
                assistant(vec![read("call_0"), read("call_0")]),
                tool(vec![result("call_0", "one"), result("call_0", "two")]),
            ],
        ),
        (
            "in two messages, as servers that count from zero do",
            vec![
                user("hi"),
                assistant(vec![read("call_0")]),
                tool(vec![result("call_0", "one")]),
                assistant(vec![read("call_0")]),
                tool(vec![result("call_0", "two")]),
                user("and?"),
            ],
        ),
        (
            "empty ids",
            vec![
                user("hi"),
                assistant(vec![read(""), read("")]),
                tool(vec![result("", "one"), result("", "two")]),
            ],
        ),
    ];
    for (case, messages) in histories {
        in_all(case, async |rig| {
            rig.takes(messages.clone()).await;
            let seen = rig.fake.requests().pop().unwrap();
            assert_eq!(seen.tool_results(), ["one", "two"], "{}", rig.name);
        })
        .await;
    }
}

#[tokio::test]
async fn f17_a_result_that_comes_twice_is_sent_once() {
    let messages = vec![
        user("hi"),
        assistant(vec![read("call_1")]),
        tool(vec![result("call_1", "one"), result("call_1", "again")]),
        user("and?"),
    ];
    in_all("two results of one call", async |rig| {
        rig.takes(messages.clone()).await;
        let seen = rig.fake.requests().pop().unwrap();
        assert_eq!(seen.tool_results(), ["one"], "{}", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f18_a_call_without_a_result_is_said_to_be_interrupted() {
    let histories = [
        ("at the end", vec![user("hi"), assistant(vec![read("call_1")])]),
        ("before the user", vec![user("hi"), assistant(vec![read("call_1")]), user("are you there?")]),
        (
            "the second of two",
            vec![
                user("hi"),
                assistant(vec![read("call_0"), read("call_1")]),
                tool(vec![result("call_0", "one")]),
            ],
        ),
        (
            "the user speaks in between",
            vec![user("hi"), assistant(vec![Part::text("Look:"), read("call_1")]), user("wait"), user("go")],
        ),
    ];
    for (case, messages) in histories {
        in_all(case, async |rig| {
            rig.takes(messages.clone()).await;
            let results = rig.fake.requests().pop().unwrap().tool_results();
            assert!(
                results.last().is_some_and(|last| last.contains("Interrupted")),
                "{}: {results:?}",
                rig.name
            );
        })
        .await;
    }
}

#[tokio::test]
async fn f18_whatever_became_of_the_conversation_it_is_taken() {
    let histories = [
        ("a result without a call", vec![user("hi"), tool(vec![result("call_9", "lost")]), user("and?")]),
        ("a result first", vec![tool(vec![result("call_9", "lost")]), user("and?")]),
        ("the assistant first", vec![assistant(vec![Part::text("Hello.")]), user("hi")]),
        ("the assistant last", vec![user("hi"), assistant(vec![Part::text("Hello. ")])]),
        ("a call first", vec![assistant(vec![read("call_1")]), tool(vec![result("call_1", "one")])]),
        ("blank words", vec![user("hi"), assistant(vec![Part::text(" ")]), user(""), user("and?")]),
        ("nothing but blanks", vec![user(" ")]),
        ("nothing", vec![]),
        (
            "a blank result",
            vec![user("hi"), assistant(vec![read("call_1")]), tool(vec![result("call_1", "")])],
        ),
        ("arguments that are no object", vec![user("hi"), assistant(vec![call("call_1", json!([1]))])]),
        (
            "two of the user",
            vec![
                user("hi"),
                user("ho"),
                assistant(vec![Part::text("a")]),
                assistant(vec![Part::text("b")]),
                user("c"),
            ],
        ),
        (
            "results in the wrong order",
            vec![
                user("hi"),
                assistant(vec![read("call_1"), read("call_2")]),
                tool(vec![result("call_2", "two")]),
                tool(vec![result("call_1", "one")]),
            ],
        ),
    ];
    for (case, messages) in histories {
        in_all(case, async |rig| rig.takes(messages.clone()).await).await;
    }
}

/// The signature as it must come back, by the name of its field.
fn gives_back(dialect: Dialect) -> Option<&'static str> {
    match dialect {
        Dialect::OpenaiChat => Some("\"reasoning_content\":\"I should look.\""),
        Dialect::OpenaiResponses => Some("\"encrypted_content\":\"c2lnbmVk\""),
        Dialect::Anthropic => Some("\"signature\":\"c2lnbmVk\""),
        Dialect::Gemini => Some("\"thoughtSignature\":\"c2lnbmVk\""),
        // Nothing is signed there, and nothing is wanted back.
        Dialect::Ollama => None,
    }
}

#[tokio::test]
async fn f19_thoughts_go_back_to_whoever_wants_them() {
    in_all("a thought before a call", async |rig| {
        rig.fake.require_reasoning_back();
        let thinking =
            Reply::calls([("read", json!({ "path": "a" }))]).and_reasoning("I should look.", "c2lnbmVk");
        rig.fake.push(thinking);
        let asked = rig.ask().await;
        let answer = asked.recovered("", 0);
        check_stop(&rig.name, answer, StopReason::ToolUse);
        rig.goes_on(answer).await;
        let sent = rig.fake.requests().pop().unwrap().body.to_string();
        if let Some(field) = gives_back(rig.dialect) {
            assert!(sent.contains(field), "{}: {sent}", rig.name);
        }
    })
    .await;
}

#[tokio::test]
async fn f19_a_thought_before_words_goes_back_too() {
    in_all("a thought before words", async |rig| {
        rig.fake.require_reasoning_back();
        rig.fake.push(Reply::text(FINE).and_reasoning("I should look.", "c2lnbmVk"));
        let asked = rig.ask().await;
        rig.goes_on(asked.recovered(FINE, 0)).await;
    })
    .await;
}

#[tokio::test]
async fn f19_thoughts_of_another_dialect_are_kept_from_strangers() {
    for from in Dialect::ALL {
        let teacher = Rig::new(from, "thinks");
        teacher.fake.push(
            Reply::calls([("read", json!({ "path": "a" }))]).and_reasoning("I should look.", "c2lnbmVk"),
        );
        let thought = teacher.ask().await.answered(0).clone();
        for to in Dialect::ALL.into_iter().filter(|to| *to != from) {
            let rig = Rig::new(to, &format!("after {from}"));
            rig.goes_on(&thought).await;
            let sent = rig.fake.requests().pop().unwrap().body.to_string();
            assert!(!sent.contains("c2lnbmVk"), "{}: {sent}", rig.name);
        }
    }
}

#[tokio::test]
async fn f19_an_answer_that_was_retried_gives_back_its_own_thought() {
    in_all("a thought that was cut, and another", async |rig| {
        rig.fake.require_reasoning_back();
        let cut = candor_testkit::Fault::CutAfterDeltas(1);
        rig.fake.push(Reply::text(FINE).and_reasoning("No, this is wrong.", "d3Jvbmc=").fault(cut));
        rig.fake.push(Reply::text(FINE).and_reasoning("I should look.", "c2lnbmVk"));
        let asked = rig.ask().await;
        let answer = asked.recovered(FINE, 1);
        assert!(asked.waited_after("Cut").discard, "{}: the thought stays", rig.name);
        rig.goes_on(answer).await;
        let sent = rig.fake.requests().pop().unwrap();
        assert!(!sent.body.to_string().contains("this is wrong"), "{}: {}", rig.name, sent.body);
        assert!(request(vec![]).tools.len() == sent.tool_names().len(), "{}", rig.name);
    })
    .await;
}
