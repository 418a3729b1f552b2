//! Whoever wants to be asked about everything is asked before anything is sent, and what comes back approves nothing.

use std::sync::{Arc, Mutex};

use candor_protocol::Code;
use candor_tools::{Approval, Approver, BoxFuture, Permission, Question, Reply};

use crate::rig::{Rig, Server, check_failure, html, open};

/// A person who always says the same.
struct Person {
    says: &'static str,
    asked: Mutex<Vec<Question>>,
}

impl Approver for Person {
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<Reply>> {
        self.asked.lock().unwrap().push(question);
        Box::pin(std::future::ready(Some(Reply { choice: self.says.to_owned(), reason: None })))
    }
}

fn asking(says: &'static str) -> (Rig, Arc<Person>) {
    let person = Arc::new(Person { says, asked: Mutex::default() });
    let mut rig = Rig::new(open());
    rig.context.approver = Arc::clone(&person) as Arc<dyn Approver>;
    rig.context.rules.approval = Approval::Always;
    (rig, person)
}

#[tokio::test]
async fn a_person_who_says_no_is_heard_before_anything_is_sent() {
    let server = Server::saying(html("yes, always"));
    let (rig, person) = asking("no");
    check_failure(&rig.fetch(&server.url("/a?b")).await, Code::ToolDenied, "said no");
    assert_eq!(server.connections(), 0);
    assert_eq!(person.asked.lock().unwrap()[0].text, format!("web_fetch: {}", server.url("/a?b")));
}

#[tokio::test]
async fn always_stands_for_one_site() {
    let (server, other) = (Server::saying(html("yes, always")), Server::saying(html("x")));
    let (rig, person) = asking("always");
    for path in ["/a", "/b"] {
        rig.page(&server.url(path)).await;
    }
    assert_eq!(person.asked.lock().unwrap().len(), 1);
    rig.page(&other.url("/")).await;
    assert_eq!(person.asked.lock().unwrap().len(), 2, "a page cannot speak for another site");
}

#[tokio::test]
async fn nobody_is_asked_by_default_nor_where_nothing_may_be_changed() {
    let server = Server::saying(html("x"));
    let mut rig = Rig::new(open());
    rig.context.rules.permission = Permission::ReadOnly;
    for approval in [Approval::Doubtful, Approval::Never] {
        rig.context.rules.approval = approval;
        assert_eq!(rig.page(&server.url("/")).await["content"], "x");
    }
}
