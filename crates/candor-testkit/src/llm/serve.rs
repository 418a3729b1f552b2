//! One connection: request, answer, and again.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::dialect::Route;
use super::encode::Voice;
use super::failure::Failure;
use super::http::{Incoming, Reader};
use super::plan::{self, Step};
use super::reply::Part;
use super::strict::{self, Reasoned};
use super::{Dialect, Reply, Seen, Shared, State};

/// What becomes of a connection after an answer.
#[derive(PartialEq, Eq)]
enum After {
    Keep,
    End,
}

/// Serves one connection until either side has had enough.
pub(super) fn connection(shared: &Arc<Shared>, stream: TcpStream, number: usize) {
    if let Ok(reading) = stream.try_clone() {
        let mut reader = Reader::new(reading);
        // A client that breaks off within a request is its own business.
        while let Ok(Some(incoming)) = reader.request() {
            let steps = answer(shared, &incoming, number);
            let after = play(shared, steps, &stream);
            shared.lock().answered.push(Instant::now());
            if after == After::End || incoming.closes() {
                break;
            }
        }
    }
    // The last handle must be this one: only its end closes, or resets, the connection.
    shared.lock().open.remove(&number);
    drop(stream);
}

fn answer(shared: &Shared, incoming: &Incoming, connection: usize) -> Vec<Step> {
    let dialect = shared.dialect;
    let id = shared.next_id();
    match dialect.route(&incoming.method, &incoming.target) {
        Route::Model(in_path) => model_answer(shared, incoming, connection, in_path),
        Route::List => match strict::auth(dialect, incoming) {
            Ok(()) => plan::json(200, &[], &model_list(dialect, &shared.lock().models)),
            Err(failure) => plan::json(failure.status, &[], &failure.body(dialect, &id)),
        },
        Route::Nowhere => {
            let asked = format!("{} {}", incoming.method, incoming.target);
            let failure = Failure::of_kind(dialect, "not_found", &format!("Invalid URL ({asked})"));
            shared.lock().strays.push(asked);
            plan::json(404, &[], &failure.body(dialect, &id))
        }
    }
}

fn model_answer(
    shared: &Shared,
    incoming: &Incoming,
    connection: usize,
    model_in_path: Option<String>,
) -> Vec<Step> {
    let dialect = shared.dialect;
    let parsed = serde_json::from_slice::<Value>(&incoming.body);
    let id = shared.next_id();
    let mut state = shared.lock();
    let checked = match &parsed {
        Ok(body) => strict::check(dialect, incoming, body, state.required_reasoning()),
        Err(error) => Err(Failure::refusal(dialect, &format!("the request body is not valid JSON: {error}"))),
    };
    let chosen = checked.and_then(|()| state.next_reply(dialect));
    let body = parsed.unwrap_or_default();
    let model = model_in_path.or_else(|| body["model"].as_str().map(str::to_string)).unwrap_or_default();
    state.seen.push(Seen {
        method: incoming.method.clone(),
        path: incoming.target.clone(),
        headers: incoming.headers.clone(),
        body,
        body_bytes: incoming.body.len(),
        connection,
        at: incoming.at,
        refused: chosen.as_ref().err().map(|failure| failure.message.clone()),
        dialect,
    });
    let steps = match chosen {
        Err(failure) => plan::json(failure.status, &[], &failure.body(dialect, &id)),
        Ok(mut reply) => {
            reply.number_calls(dialect, || shared.next_id());
            reply.bend();
            state.remember(&reply);
            let model = reply.model.clone().unwrap_or(model);
            plan::steps(dialect, &Voice { reply: &reply, model: &model, id: &id })
        }
    };
    drop(state);
    shared.changed.notify_all();
    steps
}

impl State {
    fn required_reasoning(&self) -> &[Reasoned] {
        if self.require_reasoning { &self.reasoned } else { &[] }
    }

    fn next_reply(&mut self, dialect: Dialect) -> Result<Reply, Failure> {
        let reply = self.queue.pop_front().or_else(|| self.repeat.clone());
        reply.ok_or_else(|| {
            let words = format!("the fake has no reply left for request {}", self.seen.len() + 1);
            Failure::refusal(dialect, &words)
        })
    }

    /// Keeps what a later request has to give back.
    fn remember(&mut self, reply: &Reply) {
        if !reply.parts.iter().any(|part| matches!(part, Part::Reasoning { .. })) {
            return;
        }
        let ids = reply.parts.iter().filter_map(|part| match part {
            Part::Call { id, .. } => id.clone(),
            _ => None,
        });
        self.reasoned.push(Reasoned { ids: ids.collect(), text: reply.whole_text() });
    }
}

fn play(shared: &Shared, steps: Vec<Step>, stream: &TcpStream) -> After {
    for step in steps {
        let goes_on = match step {
            Step::Write(bytes) => write(stream, &bytes, 1),
            Step::Repeat(bytes, times) => write(stream, &bytes, times),
            Step::Hold(gate) => {
                let open = gate.hold(|| shared.stopping.load(Ordering::SeqCst) || has_left(stream));
                if !open {
                    shared.hung_up();
                }
                open
            }
            Step::Silence => {
                wait_until_left(stream);
                shared.hung_up();
                true
            }
            Step::Close => return After::End,
            Step::Reset => {
                // Not to linger at all is what turns the end of a connection into a reset.
                let _ = rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO));
                return After::End;
            }
        };
        if !goes_on {
            return After::End;
        }
    }
    After::Keep
}

/// Returns whether the client still takes bytes.
fn write(mut stream: &TcpStream, bytes: &[u8], times: usize) -> bool {
    (0..times).all(|_| stream.write_all(bytes).is_ok())
}

fn has_left(stream: &TcpStream) -> bool {
    let looked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let _ = stream.set_nonblocking(false);
    match looked {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

fn wait_until_left(mut stream: &TcpStream) {
    let mut ignored = [0; 1024];
    while stream.read(&mut ignored).is_ok_and(|count| count > 0) {}
}

fn model_list(dialect: Dialect, names: &[String]) -> Value {
    let entry = |name: &String| match dialect {
        Dialect::OpenaiChat | Dialect::OpenaiResponses => {
            json!({ "id": name, "object": "model", "created": 1_760_000_000, "owned_by": "fake" })
        }
        Dialect::Anthropic => json!({ "type": "model", "id": name, "display_name": name,
            "created_at": "2025-10-09T00:00:00Z" }),
        Dialect::Gemini => json!({ "name": format!("models/{name}"), "displayName": name,
            "supportedGenerationMethods": ["generateContent", "countTokens"] }),
        Dialect::Ollama => json!({ "name": name, "model": name, "modified_at": "2025-10-09T00:00:00Z",
            "size": 1_000_000_000, "digest": "0123456789ab", "details": { "format": "gguf" } }),
    };
    let entries: Vec<Value> = names.iter().map(entry).collect();
    match dialect {
        Dialect::OpenaiChat | Dialect::OpenaiResponses => json!({ "object": "list", "data": entries }),
        Dialect::Anthropic => json!({ "data": entries, "has_more": false, "first_id": names.first(),
            "last_id": names.last() }),
        Dialect::Gemini | Dialect::Ollama => json!({ "models": entries }),
    }
}
