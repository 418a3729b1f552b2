//! What servers cost that nobody uses, and what we add to the time of one that is used.
//!
//! Prints one line a figure, `measure | goal | measured | met`. `cargo bench -p candor-mcp --bench idle`
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_mcp::{Options, Servers, read};
use candor_protocol::SessionId;
use candor_testkit::row;
use candor_tools::{Permission, Rules, ToolContext};
use serde_json::{Map, Value, json};

const SERVERS: usize = 50;
/// As many as servers have that people set up.
const TOOLS: usize = 12;
const SAMPLES: usize = 200;
const CALLS: usize = 500;

/// A server that does nothing else, and says how long it took from reading a call to answering it, in nanoseconds.
const SERVER: &str = r#"
import sys, json, time
for line in sys.stdin:
    begun = time.perf_counter_ns()
    asked = json.loads(line)
    method, number = asked.get("method"), asked.get("id")
    if number is None: continue
    if method == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": str(time.perf_counter_ns() - begun)}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
"#;

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    unused(home.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(used(home.path()));
}

/// A file with many servers, and all that is known about them.
fn unused(home: &Path) {
    let mut servers = Map::new();
    for number in 0..SERVERS {
        let entry = json!({ "command": "npx", "args": ["-y", format!("@example/server-{number}")], "env": { "KEY": "x" } });
        servers.insert(format!("server-{number}"), entry);
    }
    let file = json!({ "mcpServers": servers }).to_string();
    let options =
        Options { cache: Some(home.join("cache.jsonl")), ..Options::new(home.to_owned(), Vec::new()) };
    let entries = || read(Path::new("mcp.json"), &file, &|_| None).entries;
    let outlines: Vec<Value> = entries().into_iter().map(|entry| outline(&entry.hash, &offer())).collect();
    let first = json!({ "version": 2, "servers": outlines }).to_string();
    let lines: Vec<String> = (0..SERVERS).map(|_| offer().to_string()).collect();
    let cache = format!("{first}\n{}\n", lines.join("\n"));
    std::fs::write(home.join("cache.jsonl"), &cache).expect("a file");
    let run = || {
        let begun = Instant::now();
        let servers = Servers::new(entries(), options.clone());
        let tools = servers.tools();
        assert_eq!(tools.len(), SERVERS * TOOLS);
        (begun.elapsed(), servers, tools)
    };
    let before = resident_bytes();
    let held = run();
    let grown = resident_bytes().saturating_sub(before);
    drop(held);
    let mut times: Vec<Duration> = (0..SAMPLES).map(|_| run().0).collect();
    times.sort();
    let median = times[SAMPLES / 2];
    let measure =
        format!("{SERVERS} MCP servers with {TOOLS} tools each, none used ({} KB known)", cache.len() >> 10);
    row(&format!("{measure}: time a run"), "1 ms", &shown(median), Some(median <= Duration::from_millis(1)));
    row(&format!("{measure}: memory"), "1 MB", &format!("{} KB", grown >> 10), Some(grown <= 1 << 20));
}

fn offer() -> Value {
    let mut properties = Map::new();
    for name in ["path", "query", "limit"] {
        properties.insert(
            name.to_owned(),
            json!({ "type": "string", "description": "What it is about, in a few words" }),
        );
    }
    let schema = json!({ "type": "object", "properties": properties, "required": ["path"] });
    let tool = |number: usize| {
        let mut description = String::new();
        let _ = write!(
            description,
            "Does thing number {number} and says what came of it, in as many words as it takes."
        );
        json!({ "name": format!("tool_{number}"), "description": description, "schema": schema })
    };
    let tools: Vec<Value> = (0..TOOLS).map(tool).collect();
    json!({ "server": "s 1", "protocol": "2025-11-25", "tools": tools })
}

/// What stands in the first line of the file about an offer.
fn outline(hash: &str, offer: &Value) -> Value {
    let bytes = |tool: &Value| tool["description"].to_string().len() - 2 + tool["schema"].to_string().len();
    let tools: Vec<Value> = offer["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| json!([tool["name"], bytes(tool)]))
        .collect();
    json!({ "hash": hash, "is_stateless": false, "has_resources": false, "has_prompts": false, "bytes": offer.to_string().len(), "tools": tools })
}

/// Calls of a server that is there.
async fn used(home: &Path) {
    std::fs::write(home.join("server.py"), SERVER).expect("a file");
    let env = vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())];
    let file = json!({ "mcpServers": { "s": { "command": "python3", "args": ["server.py"] } } }).to_string();
    let entries = read(Path::new("mcp.json"), &file, &|_| None).entries;
    let servers = Servers::new(entries, Options::new(home.to_owned(), env));
    servers.probe("s").await.expect("the server starts");
    let tool = Arc::clone(&servers.tools()[0]);
    let rules = Rules { permission: Permission::Full, ..Rules::default() };
    let context = ToolContext::alone(SessionId::now(), home.to_owned(), rules);
    let mut over = Vec::new();
    for _ in 0..CALLS {
        let begun = Instant::now();
        let output = tool.run(&json!({}), &context).await;
        let whole = begun.elapsed();
        let told: Value = serde_json::from_str(&output.for_model).expect("JSON");
        let own = told["content"].as_str().and_then(|own| own.parse().ok()).expect("a time");
        over.push(whole.saturating_sub(Duration::from_nanos(own)));
    }
    over.sort();
    let median = over[CALLS / 2];
    let met = Some(median <= Duration::from_millis(1));
    row("a call through a warm stdio server, over the server's own time", "1 ms", &shown(median), met);
    servers.stop().await;
}

fn shown(time: Duration) -> String {
    format!("{:.3} ms", time.as_nanos() as f64 / 1e6)
}

/// What the process holds in memory.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("the kernel says");
    let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number");
    pages * 4096
}
