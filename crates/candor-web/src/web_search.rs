//! `web_search`: what an engine finds.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::ToolSpec;
use candor_tools::arguments::AtLeast;
use candor_tools::{BoxFuture, Effect, Reach, Tool, ToolContext, ToolOutput, arguments};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::body::{self, Unread};
use crate::client::Clients;
use crate::engine::{self, Hit};
use crate::error::innermost;
use crate::text::{piece, visible};
use crate::{Error, Search, Web, html, secret, untrusted};

const NAME: &str = "web_search";

/// How many results there are, unless the model wants another number, and at most.
const COUNT: u64 = 5;
const COUNT_MAX: u64 = 20;
/// The longest question; engines take no longer ones.
const QUERY_BYTES_MAX: usize = 2_000;
/// The longest answer of an engine.
const ANSWER_BYTES_MAX: usize = 2 << 20;
/// How much of a result is shown.
const TITLE_BYTES_MAX: usize = 300;
const URL_BYTES_MAX: usize = 2_000;
const SNIPPET_BYTES_MAX: usize = 1_000;
/// How much of the words of an engine that refuses is shown.
const SAID_BYTES_MAX: usize = 300;

arguments! {
    struct Args<'a> {
        query: &'a str;
        count: Option<AtLeast<1>>, or ["limit", "max_results"];
    }
}

/// What an engine finds.
pub(crate) struct WebSearch {
    spec: ToolSpec,
    settings: Arc<Web>,
    clients: Clients,
}

impl WebSearch {
    pub(crate) fn new(settings: Arc<Web>) -> Self {
        let description = "Search the web.\nRead results with web_fetch.";
        Self {
            spec: arguments::spec::<Args<'_>>(NAME, description),
            clients: Clients::new(Arc::clone(&settings)),
            settings,
        }
    }

    async fn search(&self, args: &Args<'_>, context: &ToolContext) -> Result<ToolOutput, Error> {
        let Some(search) = &self.settings.search else { return Ok(ToolOutput::success("[]", "nothing")) };
        secret::stays(self.settings.secrets.as_ref(), context.session, "question", args.query)?;
        let count = args.count.map_or(COUNT, |AtLeast(count)| count).min(COUNT_MAX);
        let count = usize::try_from(count).unwrap_or(1);
        let limit = self.settings.total_timeout;
        let late = || failed(search, format!("it did not answer within {} seconds", limit.as_secs_f32()));
        let mut hits = timeout(limit, self.ask(search, args.query, count)).await.map_err(|_| late())??;
        hits.truncate(count);
        let found = hits.len();
        let results: Vec<Value> = hits.iter().map(shown).collect();
        let ours = vec![("query", json!(args.query)), ("engine", json!(search.engine.name()))];
        Ok(ToolOutput::success(
            untrusted::framed(ours, "results", json!(results)),
            format!("{found} results"),
        ))
    }

    async fn ask(&self, search: &Search, query: &str, count: usize) -> Result<Vec<Hit>, Error> {
        if query.len() > QUERY_BYTES_MAX {
            return Err(failed(search, format!("the question is longer than {QUERY_BYTES_MAX} bytes")));
        }
        let failed = |reason: String| failed(search, reason);
        let url = engine::address(search).map_err(failed)?;
        let client = self.clients.open(url.scheme() == "https").map_err(failed)?;
        let request = engine::request(search, &client, url, query, count).map_err(failed)?;
        let mut response = request.send().await.map_err(|error| failed(innermost(&error)))?;
        let status = response.status();
        let body = body::read(&mut response, ANSWER_BYTES_MAX).await.map_err(|unread| match unread {
            Unread::Broken(reason) | Unread::Packed(reason) => failed(reason),
        })?;
        if status.is_success() {
            if body.is_cut {
                return Err(failed(format!("its answer is longer than {ANSWER_BYTES_MAX} bytes")));
            }
            return engine::hits(search.engine, &body.bytes).map_err(failed);
        }
        let said = said(&body.bytes, search.key.as_deref());
        let reason = if said.is_empty() { status.to_string() } else { format!("{status}: {said}") };
        Err(match status.as_u16() {
            401 | 403 => Error::SearchKey { engine: search.engine.name(), reason },
            _ => failed(reason),
        })
    }
}

fn failed(search: &Search, reason: String) -> Error {
    Error::Search { engine: search.engine.name(), reason }
}

fn shown(hit: &Hit) -> Value {
    let line = |text: &str, bytes_max| piece(&visible(&html::words(text)), 0, bytes_max).to_owned();
    json!({
        "title": line(&hit.title, TITLE_BYTES_MAX),
        "url": piece(&hit.url, 0, URL_BYTES_MAX),
        "snippet": line(&hit.snippet, SNIPPET_BYTES_MAX),
    })
}

/// The words with which an engine refuses. Some repeat the key, which is taken out before anything is cut.
fn said(body: &[u8], key: Option<&str>) -> String {
    let body = String::from_utf8_lossy(body);
    let body = match key.filter(|key| !key.is_empty()) {
        Some(key) => body.replace(key, "[REDACTED]"),
        None => body.into_owned(),
    };
    let words = visible(&html::words(&body));
    piece(&words, 0, SAID_BYTES_MAX).to_owned()
}

impl Tool for WebSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["websearch", "search_web"]
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn reach(&self) -> Reach {
        Reach::Send
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Sends
    }

    fn time_max(&self, _args: &Value, _context: &ToolContext) -> Duration {
        self.settings.total_timeout
    }

    fn shown(&self, args: &Value) -> String {
        args["query"].as_str().map_or_else(|| args.to_string(), str::to_owned)
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async {
            let args: Args<'_> = match arguments::of(NAME, args) {
                Ok(args) => args,
                Err(error) => return ToolOutput::failure(&error),
            };
            tokio::select! {
                biased;
                () = context.cancel.cancelled() => {
                    ToolOutput::failure(&candor_tools::Error::Interrupted { tool: NAME.to_owned() })
                }
                found = self.search(&args, context) => {
                    found.unwrap_or_else(|error| ToolOutput::refused(&error.failure()))
                }
            }
        })
    }
}
