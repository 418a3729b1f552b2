//! How far an `always` reaches: as far as what was shown, and no further.

use std::sync::{Arc, Mutex};

use candor_tools::{Approval, Approver, BoxFuture, Question, Reply};
use serde_json::{Value, json};

use crate::rig::Rig;

/// A person who says `always` to the first question, and no to every other.
#[derive(Default)]
struct Person {
    asked: Mutex<Vec<Question>>,
}

impl Approver for Person {
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<Reply>> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(question);
        let choice = if asked.len() == 1 { "always" } else { "no" };
        Box::pin(std::future::ready(Some(Reply { choice: choice.to_owned(), reason: None })))
    }
}

/// Of these calls, to the first of which the person says `always`, whether they are asked about each.
async fn asked(approval: Approval, calls: &[(&str, Value)]) -> Vec<bool> {
    let person = Arc::new(Person::default());
    let mut rig = Rig::new();
    rig.context.approver = Arc::clone(&person) as Arc<dyn Approver>;
    rig.context.rules.approval = approval;
    let mut asked = Vec::new();
    for (tool, args) in calls {
        let before = person.asked.lock().unwrap().len();
        rig.call(tool, args.clone()).await;
        asked.push(person.asked.lock().unwrap().len() > before);
    }
    asked
}

fn line(command: &str) -> (&'static str, Value) {
    ("shell_exec", json!({ "command": command }))
}

#[tokio::test]
async fn where_everything_is_asked_about_a_rule_speaks_for_no_other_part_of_a_line() {
    let calls = [
        line("git push"),
        line("git push"),
        line("git push; touch made"),
        line("touch made; git push"),
        line("git push origin main"),
        line("touch made"),
    ];
    assert_eq!(asked(Approval::Always, &calls).await, [true, false, true, true, true, true]);
    // Elsewhere the rest of the line needs no question, unless another rule has one.
    let calls = [
        line("git push"),
        line("git push origin main; touch made"),
        line("git push; npm publish"),
        line("touch made"),
        ("process", json!({ "action": "start", "command": "git push" })),
    ];
    assert_eq!(asked(Approval::Doubtful, &calls).await, [true, false, true, false, true]);
}

#[tokio::test]
async fn a_command_is_allowed_as_it_was_shown() {
    let other = |name: &str, value: Value| ("shell_exec", json!({ "command": "./run.sh", name: value }));
    let calls = [
        line("./run.sh"),
        line("./run.sh"),
        other("cwd", json!("below")),
        other("env", json!({ "MODE": "x" })),
        other("timeout", json!(5)),
        line("./run.sh x"),
        ("process", json!({ "action": "start", "command": "./run.sh" })),
    ];
    assert_eq!(asked(Approval::Always, &calls).await, [true, false, true, true, false, true, true]);
    let calls = [other("cwd", json!("below")), line("./run.sh"), other("cwd", json!("below"))];
    assert_eq!(asked(Approval::Always, &calls).await, [true, true, false]);
}

#[tokio::test]
async fn files_are_written_by_the_tool_that_was_allowed_and_by_no_other() {
    let write = |path: &str| ("file_write", json!({ "path": path, "content": "x" }));
    let edit = ("file_edit", json!({ "path": "one", "old": "x", "new": "y" }));
    let calls = [write("one"), write("two"), edit, line("true"), line("file_write *")];
    assert_eq!(asked(Approval::Always, &calls).await, [true, false, true, true, true]);
    // A model chooses how a command is spelt.
    for spelt in ["file_write *", "git push *"] {
        let calls = [line(spelt), write("one"), line("git push")];
        assert_eq!(asked(Approval::Always, &calls).await, [true, true, true], "{spelt}");
    }
}
