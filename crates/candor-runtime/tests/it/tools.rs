//! Tools come and go while sessions go on.

use std::sync::Arc;

use candor_protocol::ToolSpec;
use candor_testkit::Reply;
use candor_tools::{BoxFuture, Effect, Tool, ToolContext, ToolOutput};
use serde_json::{Value, json};

use crate::rig::Rig;

struct Echo(ToolSpec);

impl Tool for Echo {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, _args: &'a Value, _context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::success("echoed", "echoed") })
    }
}

fn names(rig: &Rig, request: usize) -> Vec<String> {
    let tools = rig.fake.requests()[request].body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().filter_map(|tool| tool["function"]["name"].as_str().map(str::to_owned)).collect()
}

fn prompt(rig: &Rig, request: usize) -> String {
    rig.fake.requests()[request].body["messages"][0]["content"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn s13_7_tools_that_are_added_or_removed_count_without_a_restart() {
    let rig = Rig::new().await;
    let session = rig.create();
    rig.fake.push(Reply::text("One."));
    rig.ask(session, "First").await;
    assert!(!names(&rig, 0).contains(&"echo".to_owned()));
    assert!(!prompt(&rig, 0).contains("Says it again."));
    let spec = ToolSpec {
        name: "echo".to_owned(),
        description: "Says it again.".to_owned(),
        parameters: json!({ "type": "object" }).into(),
    };
    rig.runtime.tools().add(Arc::new(Echo(spec)));
    rig.fake.push(Reply::calls([("echo", json!({}))]));
    rig.fake.push(Reply::text("Two."));
    rig.ask(session, "Second").await;
    assert!(names(&rig, 1).contains(&"echo".to_owned()));
    assert!(prompt(&rig, 1).contains("Says it again."), "{}", prompt(&rig, 1));
    assert_eq!(rig.sent(2).last().unwrap().1, "echoed");
    assert!(rig.runtime.tools().remove("echo") && rig.runtime.tools().remove("file_write"));
    rig.fake.push(Reply::calls([("echo", json!({}))]));
    rig.fake.push(Reply::text("Three."));
    rig.ask(session, "Third").await;
    assert!(!names(&rig, 3).iter().any(|name| name == "echo" || name == "file_write"));
    assert!(!prompt(&rig, 3).contains("Says it again."));
    assert!(rig.sent(4).last().unwrap().1.contains("there is no tool called echo"));
}
