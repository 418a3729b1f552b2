//! What servers want to know from people.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use candor_mcp::Servers;
use candor_tools::{Approver, BoxFuture, Question, Reply, ToolContext};
use serde_json::json;

use crate::rig::{Rig, call, call_in, code, context};

/// A person who answers one thing after the other, and then leaves.
struct Person {
    answers: Mutex<VecDeque<&'static str>>,
    asked: Mutex<Vec<Question>>,
}

impl Person {
    fn saying(answers: &[&'static str]) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.iter().copied().collect()), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|question| question.text.clone()).collect()
    }
}

impl Approver for Person {
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<Reply>> {
        let answer = self.answers.lock().unwrap().pop_front();
        if let Some(answer) = answer {
            let choices = &question.choices;
            assert!(choices.is_empty() || choices.iter().any(|choice| choice == answer), "{question:?}");
        }
        assert!(question.reason.is_some(), "{question:?}");
        self.asked.lock().unwrap().push(question);
        let reply = answer.map(|choice| Reply { choice: choice.to_owned(), reason: None });
        Box::pin(std::future::ready(reply))
    }
}

/// What the server was told when this person was asked who they are.
async fn answered(person: &Arc<Person>) -> String {
    let rig = Rig::new();
    let approver = Arc::clone(person) as Arc<dyn Approver>;
    let context = ToolContext { approver, ..context(Path::new("/")) };
    let output = call_in(&rig.known("old").await, "mcp__fake__ask", json!({}), &context).await;
    assert!(!output.is_error, "{}", output.for_model);
    let log = rig.log();
    log.lines().find_map(|line| line.strip_prefix("answered ")).unwrap().to_owned()
}

#[tokio::test]
async fn a_form_is_asked_thing_by_thing_and_sent_as_the_server_wants_it() {
    let person = Person::saying(&["answer", "Ada", "36"]);
    assert_eq!(answered(&person).await, r#"{"action": "accept", "content": {"age": 36, "name": "Ada"}}"#);
    let asked = person.asked();
    assert!(asked[0].starts_with("The MCP server fake asks: Who are you?\n"), "{asked:?}");
    assert_eq!(asked[1..], ["name (text; - to leave it out)", "age (a whole number; - for 7)"]);
}

#[tokio::test]
async fn what_the_server_proposes_is_taken_where_nothing_else_is_said() {
    for answers in [&["answer", "-", "-"][..], &["answer as proposed"]] {
        let told = answered(&Person::saying(answers)).await;
        assert_eq!(told, r#"{"action": "accept", "content": {"age": 7}}"#);
    }
}

#[tokio::test]
async fn a_wrong_answer_is_asked_for_again_and_not_for_ever() {
    let person = Person::saying(&["answer", "Ada", "old", "36"]);
    assert_eq!(answered(&person).await, r#"{"action": "accept", "content": {"age": 36, "name": "Ada"}}"#);
    assert!(person.asked()[3].starts_with("“old” is no number. age"), "{:?}", person.asked());
    let person = Person::saying(&["answer", "Ada", "old", "older", "oldest"]);
    assert_eq!(answered(&person).await, r#"{"action": "decline"}"#);
}

#[tokio::test]
async fn a_person_may_say_nothing_and_nobody_says_nothing() {
    assert_eq!(answered(&Person::saying(&["do not answer"])).await, r#"{"action": "decline"}"#);
    assert_eq!(answered(&Person::saying(&[])).await, r#"{"action": "cancel"}"#);
    // Who leaves in the middle has not answered.
    assert_eq!(answered(&Person::saying(&["answer", "Ada"])).await, r#"{"action": "cancel"}"#);
}

/// A person who needs as long as a call to another server may take, and then agrees.
struct Slow {
    other: Arc<Servers>,
}

impl Approver for Slow {
    fn ask(&self, _question: Question) -> BoxFuture<'_, Option<Reply>> {
        Box::pin(async {
            assert_eq!(code(&call(&self.other, "mcp__fake__hang", json!({})).await), "MCP_TIMEOUT");
            Some(Reply { choice: "answer as proposed".to_owned(), reason: None })
        })
    }
}

#[tokio::test]
async fn who_thinks_for_longer_than_a_call_may_take_is_waited_for() {
    let quick = |rig: &Rig| {
        let mut entry = rig.fake("old");
        entry["timeout"] = json!(0.2);
        rig.servers(&json!({ "fake": entry }))
    };
    let (rig, elsewhere) = (Rig::new(), Rig::new());
    let (servers, other) = (quick(&rig), quick(&elsewhere));
    servers.probe("fake").await.unwrap();
    other.probe("fake").await.unwrap();
    let context = ToolContext { approver: Arc::new(Slow { other }), ..context(Path::new("/")) };
    let output = call_in(&servers, "mcp__fake__ask", json!({}), &context).await;
    assert!(!output.is_error, "{}", output.for_model);
}
