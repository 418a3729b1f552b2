//! Tools that a model is told about only when it looks for them.

use std::sync::Arc;

use candor_protocol::ToolSpec;
use candor_tools::{BoxFuture, Effect, Tool, ToolContext, ToolOutput, ToolSearch, ToolSource};
use serde_json::{Value, json};

use crate::rig::Rig;

/// A tool of somebody else's.
struct Foreign(ToolSpec);

impl Tool for Foreign {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn is_foreign(&self) -> bool {
        true
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, _args: &'a Value, _context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::success(self.0.name.clone(), "") })
    }
}

struct Source(Arc<[Arc<dyn Tool>]>);

impl ToolSource for Source {
    fn tools(&self) -> Arc<[Arc<dyn Tool>]> {
        Arc::clone(&self.0)
    }
}

fn rig(count: usize) -> Rig {
    let foreign = |number: usize| {
        let name = format!("mcp__weather__forecast_{number}");
        let description =
            format!("Tells the weather of city number {number} in many words. {}", "x ".repeat(100));
        let parameters = json!({ "type": "object", "properties": { "day": { "type": "string" } } });
        Arc::new(Foreign(ToolSpec { name, description, parameters: parameters.into() })) as Arc<dyn Tool>
    };
    let payments = ToolSpec {
        name: "mcp__bank__transfer".to_owned(),
        description: "Moves money between accounts.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "amount": { "type": "number" } } }).into(),
    };
    let mut tools: Vec<Arc<dyn Tool>> = (0..count).map(foreign).collect();
    tools.push(Arc::new(Foreign(payments)));
    let (rig, source) = (Rig::new(), Arc::new(Source(tools.into())));
    rig.registry.add_source(Arc::clone(&source) as _);
    rig.registry.add(Arc::new(ToolSearch::new(source)));
    rig
}

fn offered(rig: &Rig, window_tokens: u64) -> Vec<String> {
    let specs = rig.registry.offered(&rig.context.sought, Some(window_tokens));
    specs
        .into_iter()
        .map(|spec| spec.name)
        .filter(|name| name.contains("mcp__") || name == "tool_search")
        .collect()
}

#[tokio::test]
async fn few_are_all_offered_and_there_is_nothing_to_look_for() {
    assert_eq!(offered(&rig(1), 200_000), ["mcp__weather__forecast_0", "mcp__bank__transfer"]);
}

#[tokio::test]
async fn where_they_would_take_more_than_a_tenth_they_wait_until_they_are_found() {
    let rig = rig(40);
    assert_eq!(offered(&rig, 20_000), ["tool_search"]);
    let told = rig.call("tool_search", json!({ "query": "send money to an account" })).await;
    let told: Value = serde_json::from_str(&told.for_model).unwrap();
    assert_eq!(told["found"][0]["name"], "mcp__bank__transfer");
    assert_eq!(told["found"][0]["parameters"]["properties"]["amount"]["type"], "number");
    assert_eq!(told["searched"], 41);
    assert_eq!(offered(&rig, 20_000), ["tool_search", "mcp__bank__transfer"]);
}

#[tokio::test]
async fn a_search_is_bounded_takes_names_and_may_find_nothing() {
    let rig = rig(40);
    let count = async |args: Value| {
        let told = rig.call("tool_search", args).await.for_model;
        let told: Value = serde_json::from_str(&told).unwrap();
        told["found"].as_array().map(Vec::len)
    };
    assert_eq!(count(json!({ "query": "weather" })).await, Some(5));
    assert_eq!(count(json!({ "query": "weather", "limit": 1000 })).await, Some(20));
    assert_eq!(
        count(json!({ "query": "select:mcp__weather__forecast_3, mcp__bank__transfer" })).await,
        Some(2)
    );
    assert_eq!(count(json!({ "query": "zebra" })).await, Some(0));
    assert_eq!(count(json!({ "query": "" })).await, Some(0));
}

#[tokio::test]
async fn a_tool_that_waits_can_be_called_all_the_same() {
    let rig = rig(40);
    assert_eq!(rig.call("mcp__weather__forecast_3", json!({})).await.for_model, "mcp__weather__forecast_3");
}
