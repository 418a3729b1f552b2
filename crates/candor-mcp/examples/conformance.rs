//! A client for the official conformance suite of MCP, which gives the address of a server as the last argument and says in
//! the environment what it tries.
//!
//! `npx @modelcontextprotocol/conformance client --command target/debug/examples/conformance --requirements 2026-07-28`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program for a suite to run")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use candor_mcp::{Error, Options, Servers, read};
use candor_protocol::{SessionId, ToolCall};
use candor_tools::{
    Approver, BoxFuture, Permission, Question, Registry, Reply, Rules, ToolContext, dispatch,
};
use serde_json::{Value, json};

/// How often a login is tried: a server that wants more and more would go on for ever.
const LOGINS_MAX: usize = 3;
/// The document about us that the suite knows.
const CLIENT_METADATA: &str = "https://conformance-test.local/client-metadata.json";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().next_back() else { return ExitCode::FAILURE };
    let given = variable("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let given: Value = serde_json::from_str(&given).unwrap_or_default();
    let home = match tempfile::tempdir() {
        Ok(home) => home,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut entry = json!({ "type": "http", "url": url });
    if given["client_id"].is_string() {
        entry["oauth"] = json!({ "clientId": given["client_id"], "clientSecret": given["client_secret"] });
    }
    let file = json!({ "mcpServers": { "suite": entry } }).to_string();
    let read = read(Path::new("mcp.json"), &file, &|_| None);
    let options = Options {
        tokens: Some(home.path().join("tokens.json")),
        client_metadata_url: Some(CLIENT_METADATA.to_owned()),
        ..Options::new(home.path().to_owned(), Vec::new())
    };
    let servers = Servers::new(read.entries, options);
    let done = drive(&servers, &given).await;
    servers.stop().await;
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A person who agrees to whatever is proposed.
struct Agreeing;

impl Approver for Agreeing {
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<Reply>> {
        let proposed = question.choices.iter().find(|choice| choice.ends_with("as proposed"));
        let choice = proposed.or(question.choices.first()).cloned();
        Box::pin(std::future::ready(choice.map(|choice| Reply { choice, reason: None })))
    }
}

/// Asks what there is, and calls all of it.
async fn drive(servers: &Arc<Servers>, given: &Value) -> Result<(), String> {
    let mut logins = 0;
    while let Err(error) = servers.probe("suite").await {
        again(servers, &mut logins, &error).await?;
    }
    let tools = servers.tools();
    let registry = Registry::new(tools.clone());
    let specs: Vec<_> = tools.iter().map(|tool| tool.spec().clone()).collect();
    for spec in &specs {
        let mut wanted = arguments(&spec.name, &spec.parameters, given);
        if spec.name.ends_with("__json_schema_echo") {
            // The suite looks whether a schema comes back as it went out.
            let other = specs.iter().find(|other| other.name.ends_with("__json_schema_2020_12_tool"));
            wanted = vec![json!({ "schema": other.map(|other| &other.parameters) })];
        }
        for args in wanted {
            while let Some(wanted) = call(&registry, &spec.name, &args).await {
                again(servers, &mut logins, &wanted).await?;
            }
        }
    }
    for prompt in servers.prompts() {
        let cancel = tokio_util::sync::CancellationToken::new();
        let text = servers.prompt("suite", &prompt.prompt.name, serde_json::Map::new(), &cancel).await;
        println!("{}: {text:?}", prompt.prompt.name);
    }
    Ok(())
}

/// Logs in if that is what is missing.
async fn again(servers: &Servers, logins: &mut usize, error: &Error) -> Result<(), String> {
    *logins += 1;
    if !matches!(error, Error::Login { .. }) || *logins > LOGINS_MAX {
        return Err(error.to_string());
    }
    servers.login("suite", browse).await.map_err(|error| error.to_string())
}

/// Opens an address as a browser would, and goes where it is sent.
fn browse(address: &str) {
    let address = address.to_owned();
    drop(tokio::spawn(async move {
        let provider = rustls::crypto::ring::default_provider();
        let tls = rustls::ClientConfig::builder_with_provider(Arc::new(provider));
        let Ok(tls) = tls.with_safe_default_protocol_versions() else { return };
        let tls = tls.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
        if let Ok(client) = reqwest::Client::builder().tls_backend_preconfigured(tls).build() {
            let _ = client.get(address).send().await;
        }
    }));
}

/// Calls a tool as a model would; a login that is missing is given back.
async fn call(registry: &Registry, name: &str, args: &Value) -> Option<Error> {
    let call = ToolCall {
        call_id: "1".to_owned(),
        tool_name: name.to_owned(),
        args: args.clone(),
        malformed: None,
        opaque: None,
    };
    let rules = Rules { permission: Permission::Full, ..Rules::default() };
    let mut context = ToolContext::alone(SessionId::now(), "/".into(), rules);
    context.approver = Arc::new(Agreeing);
    let output = dispatch(registry, &call, args, &context).await;
    println!("{name}: {}", output.for_model);
    let is_login = output.card.is_some_and(|card| card.code == "MCP_LOGIN");
    is_login.then(|| Error::Login {
        server: "suite".to_owned(),
        reason: output.for_people,
        challenge: candor_mcp::Challenge::default(),
    })
}

/// What the suite wants a tool to be called with, or something that fits its schema.
fn arguments(name: &str, schema: &Value, given: &Value) -> Vec<Value> {
    let short = name.trim_start_matches("mcp__suite__");
    let asked = given["toolCalls"].as_array().into_iter().flatten();
    let asked: Vec<Value> =
        asked.filter(|call| call["name"] == short).map(|call| call["arguments"].clone()).collect();
    if !asked.is_empty() {
        return asked;
    }
    let made = schema["properties"].as_object().into_iter().flatten().map(|(name, property)| {
        let value = match property["type"].as_str() {
            Some("number" | "integer") => json!(5),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => json!("text"),
        };
        (name.clone(), value)
    });
    vec![made.collect::<serde_json::Map<_, _>>().into()]
}

#[expect(clippy::disallowed_methods, reason = "the suite speaks through the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
