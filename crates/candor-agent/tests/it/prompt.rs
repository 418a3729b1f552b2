//! The layers of the system prompt.

use candor_agent::{Catalogue, Harness, IDENTITY, LayerName, Layers, Sourced};
use candor_protocol::ToolSpec;
use serde_json::json;

fn sourced(text: &str) -> Sourced {
    Sourced { text: text.to_owned(), source: "here".to_owned() }
}

fn tool(name: &str, description: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object"}).into(),
    }
}

fn entry(name: &str, description: &str) -> Catalogue {
    Catalogue { name: name.to_owned(), description: description.to_owned() }
}

fn all() -> Layers {
    Layers {
        identity: Some(sourced("IDENTITY")),
        harness: Some(Harness {
            model: "m".to_owned(),
            workspace: "/w".to_owned(),
            date: "2025-02-11".to_owned(),
            platform: "linux x86_64".to_owned(),
            constraints: vec!["no writing".to_owned()],
        }),
        tools: vec![
            tool("shell_exec", "Runs a command.\nMore about it."),
            tool("file_read", "Reads a file."),
        ],
        workflows: vec![entry("deploy", "Ships it")],
        skills: vec![entry("pdf", "Reads PDF")],
        notes: Some("release, in home: taste".to_owned()),
        workspace: Some(sourced("WORKSPACE")),
        agents: Some(sourced("AGENTS")),
        session: Some("SESSION".to_owned()),
        custom: Some(sourced("CUSTOM")),
    }
}

#[track_caller]
fn in_order(text: &str, parts: &[&str]) {
    let mut at = 0;
    for part in parts {
        let found = text[at..].find(part);
        assert!(found.is_some(), "{part:?} is not where it should be in:\n{text}");
        at += found.unwrap_or(0);
    }
}

#[test]
fn layers_come_in_the_order_of_the_contract() {
    let order = [
        LayerName::Identity,
        LayerName::Harness,
        LayerName::Tools,
        LayerName::Workflows,
        LayerName::Skills,
        LayerName::Notes,
        LayerName::Separator,
        LayerName::Workspace,
        LayerName::Agents,
        LayerName::Session,
        LayerName::Custom,
    ];
    let names: Vec<_> = all().list().into_iter().map(|layer| layer.name).collect();
    assert_eq!(names, order);
    let text = all().assemble().unwrap();
    in_order(
        &text,
        &[
            "IDENTITY",
            "Model: m",
            "shell_exec",
            "deploy",
            "pdf",
            "in home: taste",
            "---",
            "WORKSPACE",
            "AGENTS",
            "SESSION",
            "CUSTOM",
        ],
    );
}

#[test]
fn s13_1_the_identity_from_the_config_is_included_and_the_built_in_one_is_not() {
    let text = all().assemble().unwrap();
    assert!(text.starts_with("IDENTITY"));
    assert!(!text.contains(IDENTITY));
    let built_in = Layers { identity: None, ..all() }.assemble().unwrap();
    assert!(built_in.starts_with("You are an AI agent running on a dedicated virtual machine."));
}

#[test]
fn s13_2_every_tool_has_one_line() {
    let text = all().assemble().unwrap();
    assert!(text.contains("- **shell_exec**: Runs a command.\n- **file_read**: Reads a file."), "{text}");
    assert!(!text.contains("More about it."), "only the first line of a description is told");
    assert!(!text.contains("\"type\""), "schemas travel in the request's own field");
}

#[test]
fn s13_3_workflows_are_listed_when_there_are_any() {
    assert!(all().assemble().unwrap().contains("## Available Workflows\n\n- **deploy**: Ships it"));
    let none = Layers { workflows: Vec::new(), ..all() }.assemble().unwrap();
    assert!(!none.contains("Available Workflows"));
}

#[test]
fn s13_4_the_sessions_own_instructions_are_appended() {
    assert!(all().assemble().unwrap().contains("## Session Instructions\nSESSION"));
    let none = Layers { session: None, ..all() }.assemble().unwrap();
    assert!(!none.contains("Session Instructions"));
}

#[test]
fn every_layer_can_be_missing() {
    let bare = Layers { identity: Some(sourced("only me")), ..Layers::default() };
    assert_eq!(bare.assemble().as_deref(), Some("only me"));
}

#[test]
fn no_separator_without_words_of_the_workspace() {
    let layers = Layers { workspace: None, agents: None, ..all() };
    assert!(layers.list().iter().all(|layer| layer.name != LayerName::Separator));
}
